//! Redirections and here-documents.

use super::parser::{Open, Parser, Pending, Stop};
use super::{Input, Redirection};

impl Parser<'_> {
    pub(super) fn redirect(&mut self, open: &mut Open) -> Result<(), Stop> {
        const OPERATORS: &[&str] = &[
            "&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">",
        ];
        let command = self.slot(open);
        let found = OPERATORS.iter().find(|op| self.starts(op));
        let operator = found.copied().unwrap_or(">");
        self.pos += operator.len();
        self.blanks();
        let word = self.word()?;
        if word.text.is_empty() && !word.is_quoted() {
            self.stray = true;
            return Ok(());
        }
        match operator {
            "<<<" => {
                self.found.commands[command].inputs.push(Input::Word(word));
            }
            "<<" | "<<-" => self.pending.push(Pending {
                command,
                strip_tabs: operator == "<<-",
                expands: !word.is_quoted(),
                delimiter: word.text,
            }),
            // Another descriptor, not a file.
            "<&" | ">&" if word.text.bytes().all(|b| b.is_ascii_digit() || b == b'-') => {}
            _ => self.found.commands[command].redirects.push(Redirection {
                reads: matches!(operator, "<" | "<>" | "<&"),
                writes: !matches!(operator, "<" | "<&"),
                target: word,
            }),
        }
        Ok(())
    }

    /// Takes the bodies of the here-documents announced on the line that just ended. A missing
    /// delimiter ends the body with the text, as it does in a shell.
    pub(super) fn here_documents(&mut self) -> Result<(), Stop> {
        for here in std::mem::take(&mut self.pending) {
            let mut body = String::new();
            while self.pos < self.src.len() {
                let line = self.rest().split_inclusive('\n').next().unwrap_or("");
                self.pos += line.len();
                let line = if here.strip_tabs {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                if line.trim_end_matches(['\n', '\r']) == here.delimiter {
                    break;
                }
                body.push_str(line);
            }
            if !here.expands {
                self.passed += body.len();
            } else {
                self.here_body(&body)?;
            }
            let expands = here.expands;
            let inputs = &mut self.found.commands[here.command].inputs;
            inputs.push(Input::Text {
                text: body,
                expands,
            });
        }
        Ok(())
    }
}
