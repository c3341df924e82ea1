//! From the text of an expression to its checked tree.

use super::check::{Checker, ReadRegex};
use super::names::{HISTORY, Site};
use super::plain::Plain;
use super::scan::{self, MAX_BRACKETS};
use super::{Expr, Program, Written};
use crate::policy::matcher::Matchers;
use crate::policy::pattern::{Pattern, shorten};
use cel::common::ast::{EntryExpr, Expr as Tree, IdedExpr, SourceInfo};
use cel::{Env, ParseErrors};
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, OnceLock};
use std::thread;

/// Stack the parser runs on. It needs some 60 kB for an operator where nothing is optimised, and
/// the limits let a thousand through.
const PARSER_STACK: usize = 128 << 20;
/// Operators of which an expression is parsed on the stack of the caller, which has a megabyte left for
/// it: a thread takes longer to start than most expressions to parse.
const FEW_OPERATORS: usize = 16;

/// How the parser begins a message about the text.
const SYNTAX: &str = "Syntax error: ";
/// Part of the names of the parser's own nodes.
const OWN_TREE: &str = "Context";

/// Why an expression cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExprError {
    /// Byte offset in the expression.
    pub offset: usize,
    /// Plain words.
    pub message: String,
    /// What to do about it, where that is known.
    pub help: Option<String>,
}

impl ExprError {
    /// An error at a byte offset of the expression.
    pub fn new(offset: usize, message: impl Into<String>) -> ExprError {
        ExprError {
            offset,
            message: message.into(),
            help: None,
        }
    }

    /// The same with advice.
    pub fn help(mut self, help: impl Into<String>) -> ExprError {
        self.help = Some(help.into());
        self
    }
}

/// Compiles the expressions of one policy.
#[derive(Clone)]
pub struct Compiler {
    env: Arc<Env>,
}

impl Compiler {
    /// A compiler with the functions of gate.
    ///
    /// # Errors
    /// The functions clash, which no policy can bring about; plain words.
    pub fn new() -> Result<Compiler, String> {
        let env = super::functions::environment().map_err(|e| e.to_string())?;
        Ok(Compiler { env: Arc::new(env) })
    }

    /// Compiles an expression that stands at `site`. Tool patterns that it asks the history about
    /// are added to `matchers`.
    ///
    /// # Errors
    /// Everything that is wrong with it, in no particular order; never empty.
    pub fn compile(
        &self,
        source: &str,
        site: Site,
        matchers: &mut Matchers,
    ) -> Result<Expr, Vec<ExprError>> {
        let program = self.program(source, site, matchers, Pattern::read)?;
        Ok(self.written(source, site, Some(program)))
    }

    /// An expression that is known to compile. It is compiled when it is first asked for, unless it may
    /// ask the history, which has to be told beforehand.
    ///
    /// # Errors
    /// As of [`Compiler::compile`].
    pub fn vouched(
        &self,
        source: &str,
        site: Site,
        matchers: &mut Matchers,
    ) -> Result<Expr, Vec<ExprError>> {
        let later = self.written(source, site, None);
        match later.has_word(HISTORY) {
            true => self.compile(source, site, matchers),
            false => Ok(later),
        }
    }

    fn written(&self, source: &str, site: Site, program: Option<Program>) -> Expr {
        let known = OnceLock::new();
        if program.is_some() {
            let _ = known.set(program);
        }
        Expr {
            written: Arc::new(Written {
                source: source.to_owned(),
                site,
                compiler: self.clone(),
                program: known,
            }),
        }
    }

    pub(super) fn program(
        &self,
        source: &str,
        site: Site,
        matchers: &mut Matchers,
        regex: ReadRegex,
    ) -> Result<Program, Vec<ExprError>> {
        let operators = scan::check(source).map_err(|e| vec![e])?;
        let (mut tree, places) = self.parse(source, operators)?;
        let mut checker = Checker::new(source, site, &places, matchers, regex);
        checker.check(&mut tree);
        let (slots, errors) = checker.finish();
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Program {
            source: source.to_owned(),
            work: super::work::of(&tree),
            plain: Plain::of(&tree, &slots),
            tree,
            slots,
            env: Arc::clone(&self.env),
        })
    }

    /// Parses what has many operators on a stack of its own, so that the depth of the text is all that
    /// limits it.
    fn parse(
        &self,
        source: &str,
        operators: usize,
    ) -> Result<(IdedExpr, SourceInfo), Vec<ExprError>> {
        let work = || {
            let (tree, places) = self
                .env
                .parser()
                .parse_with_source_info(source)
                .map_err(|e| explain(source, e))?;
            match depth(&tree) > MAX_BRACKETS {
                true => Err(vec![scan::too_deep(0)]),
                false => Ok((tree, places)),
            }
        };
        let unread = || vec![ExprError::new(0, "the expression could not be read")];
        if operators <= FEW_OPERATORS {
            let parsed = panic::catch_unwind(AssertUnwindSafe(work));
            return parsed.unwrap_or_else(|_| Err(unread()));
        }
        thread::scope(|scope| {
            let parser = thread::Builder::new()
                .stack_size(PARSER_STACK)
                .spawn_scoped(scope, work);
            match parser {
                Ok(parser) => parser.join().unwrap_or_else(|_| Err(unread())),
                Err(_) => Err(unread()),
            }
        })
    }
}

/// The parser's first message in plain words: those that follow are mostly its consequences. What it
/// says of its own tree counts only where it says nothing of the text.
fn explain(source: &str, mut errors: ParseErrors) -> Vec<ExprError> {
    errors
        .errors
        .sort_by_key(|e| !e.msg.starts_with(SYNTAX) || e.msg.contains(OWN_TREE));
    let Some(error) = errors.errors.into_iter().next() else {
        return vec![ExprError::new(0, "the expression could not be read")];
    };
    let offset = offset_of(source, error.pos);
    let text = error.msg.trim_start_matches(SYNTAX);
    if text.contains("Recursion limit") {
        return vec![scan::too_deep(offset)];
    }
    let message = match text.split_once(" expecting ") {
        _ if text.contains(OWN_TREE) => "the expression is not complete".to_owned(),
        _ if offset >= source.len() => "the expression ends too early".to_owned(),
        Some((what, _)) => match what.split_once(" input ") {
            Some((_, token)) => format!("unexpected {}", quoted(token)),
            None => format!("unexpected text: {what}"),
        },
        None => match text.split_once(" at: ").or(text.split_once(" at input ")) {
            Some((_, token)) => format!("unexpected {}", quoted(token)),
            None => text.to_owned(),
        },
    };
    let error = ExprError::new(offset, message);
    let rest = source[offset.min(source.len())..].trim_start();
    let equals = rest.starts_with('=') && !rest.starts_with("==");
    let escape = rest.starts_with(['\'', '"']) && rest.contains('\\');
    vec![match (equals, escape) {
        (true, _) => error.help("equality is written `==`"),
        (_, true) => error.help("write a text with backslashes as `r'..'`"),
        _ => error,
    }]
}

fn quoted(token: &str) -> String {
    let inner = token
        .strip_prefix('\'')
        .and_then(|t| t.strip_suffix('\''))
        .unwrap_or(token);
    format!("`{}`", shorten(inner.trim()))
}

/// Byte offset of a line and a column in characters, both from 1.
fn offset_of(source: &str, (line, column): (isize, isize)) -> usize {
    let line = usize::try_from(line).unwrap_or(1).max(1);
    let column = usize::try_from(column).unwrap_or(1).max(1);
    let start: usize = source
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    let rest = &source[start..];
    let within = rest
        .char_indices()
        .nth(column - 1)
        .map_or(rest.len(), |c| c.0);
    start + within
}

/// Levels of a tree.
fn depth(tree: &IdedExpr) -> usize {
    let deepest = |list: &[IdedExpr]| list.iter().map(depth).max().unwrap_or(0);
    1 + match &tree.expr {
        Tree::Call(call) => {
            let target = call.target.as_deref().map_or(0, depth);
            target.max(deepest(&call.args))
        }
        Tree::Select(select) => depth(&select.operand),
        Tree::List(list) => deepest(&list.elements),
        Tree::Comprehension(c) => [
            &c.iter_range,
            &c.accu_init,
            &c.loop_cond,
            &c.loop_step,
            &c.result,
        ]
        .map(depth)
        .into_iter()
        .max()
        .unwrap_or(0),
        Tree::Map(map) => map
            .entries
            .iter()
            .map(|e| entry(&e.expr))
            .max()
            .unwrap_or(0),
        Tree::Struct(s) => s.entries.iter().map(|e| entry(&e.expr)).max().unwrap_or(0),
        Tree::Ident(_) | Tree::Literal(_) | Tree::Unspecified => 0,
    }
}

fn entry(entry: &EntryExpr) -> usize {
    match entry {
        EntryExpr::MapEntry(e) => depth(&e.key).max(depth(&e.value)),
        EntryExpr::StructField(e) => depth(&e.value),
    }
}
