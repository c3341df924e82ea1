//! Evaluation of compiled expressions, and its errors in plain words. No message shows a value:
//! those may be arguments of calls.

use super::{Bindings, Program, Slot};
use cel::common::types::{CelBool, CelDouble, CelInt, CelUInt};
use cel::common::value::{CowVal, Val};
use cel::context::VariableResolver;
use cel::{Context, ExecutionError, Value};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// What every loop of an expression asks before a step: true, until there were too many.
pub const STEP: &str = "@step";

/// Steps that the loops of one evaluation may take together. They run over what calls bring along,
/// and may stand within each other.
pub const MAX_STEPS: u64 = 200_000;

/// What an expression came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(f64),
    /// Anything else: the name of its type.
    Other(&'static str),
}

/// Evaluates a program.
///
/// # Errors
/// The evaluation failed; plain words.
pub fn run(program: &Program, bindings: &dyn Bindings) -> Result<Outcome, String> {
    let slots = Slots {
        program,
        bindings,
        values: program.slots.iter().map(|_| OnceLock::new()).collect(),
        steps: AtomicU64::new(0),
    };
    let mut context = Context::with_env(Arc::clone(&program.env));
    context.set_variable_resolver(&slots);
    let value = Value::resolve_val(&program.tree, &context).map_err(|e| words(&slots, &e))?;
    Ok(outcome(value.as_ref()))
}

fn outcome(value: &dyn Val) -> Outcome {
    if let Some(b) = value.downcast_ref::<CelBool>() {
        return Outcome::Bool(*b.inner());
    }
    if let Some(n) = value.downcast_ref::<CelDouble>() {
        return Outcome::Number(*n.inner());
    }
    if let Some(n) = value.downcast_ref::<CelInt>() {
        return Outcome::Number(*n.inner() as f64);
    }
    if let Some(n) = value.downcast_ref::<CelUInt>() {
        return Outcome::Number(*n.inner() as f64);
    }
    Outcome::Other(match value.get_type().name() {
        "string" => "a string",
        "list" => "a list",
        "map" => "a map",
        "null_type" => "null",
        "bytes" => "bytes",
        "type" => "a type",
        _ => "something else",
    })
}

/// Answers for the slots of a program. A variable is asked for when it is first needed, and once.
struct Slots<'a> {
    program: &'a Program,
    bindings: &'a dyn Bindings,
    values: Vec<OnceLock<Option<Box<dyn Val>>>>,
    /// Steps of loops so far.
    steps: AtomicU64,
}

impl Slots<'_> {
    fn value(&self, slot: &Slot) -> Option<Box<dyn Val>> {
        let value = match slot {
            Slot::Variable(variable) => self.bindings.variable(*variable)?,
            Slot::Query(query) => self.bindings.query(*query),
            Slot::Pattern(_) => return None,
        };
        value.try_into().ok()
    }
}

impl VariableResolver for Slots<'_> {
    fn resolve<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>> {
        if name == STEP {
            let before = self.steps.fetch_add(1, Ordering::Relaxed);
            return (before < MAX_STEPS).then(|| CowVal::owned(CelBool::from(true)));
        }
        let index = slot_index(name)?;
        let slot = self.program.slots.get(index)?;
        if let Slot::Pattern(pattern) = slot {
            return Some(CowVal::Borrowed(pattern));
        }
        let value = self.values.get(index)?.get_or_init(|| self.value(slot));
        value.as_ref().map(|v| CowVal::Borrowed(v.as_ref()))
    }
}

/// The number of a slot, from its name in a tree.
pub fn slot_index(name: &str) -> Option<usize> {
    name.strip_prefix('@')?.parse().ok()
}

fn words(slots: &Slots<'_>, error: &ExecutionError) -> String {
    let program = slots.program;
    match error {
        ExecutionError::UndeclaredReference(name) if **name == STEP => {
            format!("its loops take more than {MAX_STEPS} steps")
        }
        ExecutionError::UndeclaredReference(name) => {
            match slot_index(name).and_then(|i| program.slots.get(i)) {
                Some(slot) => {
                    let why = match slot {
                        Slot::Variable(variable) => slots.bindings.absence(*variable),
                        _ => None,
                    };
                    match why {
                        Some(why) => format!("`{}` is not known: {why}", slot.name()),
                        None => format!("`{}` does not exist here", slot.name()),
                    }
                }
                None => format!("`{name}` does not exist here"),
            }
        }
        // A key that does not stand in the expression comes from the call.
        ExecutionError::NoSuchKey(key) if program.source.contains(key.as_str()) => {
            format!("there is no key `{key}`")
        }
        ExecutionError::NoSuchKey(_) => "a key is missing".into(),
        ExecutionError::NoSuchOverload(e) => {
            let types = e.argument_types().join(" and ");
            format!("`{}` cannot be applied to {types}", operator(e.function()))
        }
        ExecutionError::UnexpectedType { got, want } => {
            format!("{want} was expected, not {got}")
        }
        ExecutionError::ValuesNotComparable(a, b) => {
            format!("{} and {} cannot be compared", a.type_of(), b.type_of())
        }
        ExecutionError::UnsupportedBinaryOperator(name, a, b) => {
            format!(
                "`{name}` cannot be applied to {} and {}",
                a.type_of(),
                b.type_of()
            )
        }
        ExecutionError::UnsupportedIndex(index, list) => {
            format!(
                "{} cannot be indexed with {}",
                list.type_of(),
                index.type_of()
            )
        }
        ExecutionError::UnsupportedKeyType(key) => format!("{} is no key", key.type_of()),
        ExecutionError::FunctionError { function, .. } if function == "matches" => {
            "`matches` was given something that is no regex".into()
        }
        ExecutionError::FunctionError { function, .. } => {
            format!("`{function}` cannot be worked out for what it was given")
        }
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "division by zero".into()
        }
        ExecutionError::Overflow(..) => "the number is too large".into(),
        ExecutionError::IndexOutOfBounds(_) => "the index is outside of the list".into(),
        ExecutionError::DuplicateKey(_) => "a key is given twice".into(),
        _ => "the evaluation failed".into(),
    }
}

/// An operator as it is written, from the interpreter's name of it.
fn operator(name: &str) -> &str {
    match name {
        "_[_]" => "[]",
        "_._" => ".",
        "_?_:_" => "?:",
        "@in" => "in",
        "@ordered" => "a comprehension",
        _ => name.trim_matches('_'),
    }
}
