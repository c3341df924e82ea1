//! The command in the text of an answer, where the model was told to write one block of code.

/// How a block begins and ends in the configurations that mini-swe-agent comes with.
const MARKS: &[(&str, &str)] = &[
    ("```mswea_bash_command", "\n```"),
    ("<mswea_bash_command>", "</mswea_bash_command>"),
    ("```bash", "\n```"),
];

/// The command of the one block in a text. `None` if there is none or several: then mini-swe-agent
/// asks again.
pub fn command(text: &str) -> Option<&str> {
    for (begin, end) in MARKS {
        let mut blocks = Blocks {
            rest: text,
            begin,
            end,
        };
        if let Some(block) = blocks.next() {
            return blocks.next().is_none().then_some(block);
        }
    }
    None
}

struct Blocks<'t> {
    rest: &'t str,
    begin: &'static str,
    end: &'static str,
}

impl<'t> Iterator for Blocks<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        loop {
            let (_, after) = self.rest.split_once(self.begin)?;
            self.rest = after;
            let is_fence = self.begin.starts_with('`');
            let body = after.trim_start();
            let blank = &after[..after.len() - body.len()];
            if is_fence && !blank.contains('\n') {
                continue;
            }
            // The line end before the fence may be the one after its beginning.
            let from = blank.rfind('\n').filter(|_| is_fence).unwrap_or_default();
            let (block, rest) = after[from..].split_once(self.end)?;
            self.rest = rest;
            return Some(block.trim());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_block_is_the_command() {
        let text = "Look.\n\n```bash\nls -l\ncat a\n```\nThen more.";
        assert_eq!(command(text), Some("ls -l\ncat a"));
        let text = "x ```mswea_bash_command\nmake\n``` and ```bash\nno\n```";
        assert_eq!(command(text), Some("make"));
        let text = "<mswea_bash_command>make all</mswea_bash_command>";
        assert_eq!(command(text), Some("make all"));
    }

    #[test]
    fn none_and_several_are_no_command() {
        for text in [
            "done",
            "```bash\na\n```\n```bash\nb\n```",
            "```bash\nnot closed",
            "```bash a\n```",
            "```python\nx\n```",
        ] {
            assert_eq!(command(text), None, "{text}");
        }
    }
}
