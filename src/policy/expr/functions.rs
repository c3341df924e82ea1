//! What gate adds to the standard functions: regexes that were read with the policy, and maps
//! that are walked in the order of their keys.

use crate::policy::pattern::{self, Pattern};
use cel::common::types::{
    CelBool, CelList, CelMap, CelString, DYN_TYPE, MAP_TYPE, STRING_TYPE, Type,
};
use cel::common::value::{CowVal, StaticVal, Val};
use cel::{DeclarationError, Env, ExecutionError};
use std::any::Any;

/// Function that puts a map's keys in order; not to be written in an expression.
pub const ORDERED: &str = "@ordered";

static PATTERN: Type = compiled();

const fn compiled() -> Type {
    Type::new_unspecified_type("pattern")
}

const fn text() -> Type {
    STRING_TYPE
}

/// A regex that was read with the policy.
#[derive(Clone, Debug)]
pub struct Regex(pub Pattern);

impl Val for Regex {
    fn get_type(&self) -> &Type {
        &PATTERN
    }

    fn cel_type() -> &'static Type {
        &PATTERN
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Regex {}

type Arguments<'b, 'v> = Vec<CowVal<'b, 'v>>;
type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

/// The environment that expressions are parsed and evaluated in.
///
/// # Errors
/// Two functions are declared alike, which no policy can bring about.
pub fn environment() -> Result<Env, DeclarationError> {
    let mut env = Env::stdlib().with_optional_support(false);
    env.add_extension(cel::extensions::strings)?;
    for (id, argument) in [("compiled", compiled as fn() -> Type), ("text", text)] {
        let types = vec![text(), argument()];
        env.add_overload("matches", &format!("matches_{id}"), types, matches)?;
        let id = format!("member_matches_{id}");
        env.add_member_overload("matches", &id, text(), vec![argument()], matches)?;
    }
    env.add_overload(ORDERED, "ordered_map", vec![MAP_TYPE], ordered)?;
    env.add_overload(ORDERED, "ordered_any", vec![DYN_TYPE], same)?;
    Ok(env)
}

/// Whether a regex is found in a text. One that is not a literal is compiled here, under the same
/// limits.
fn matches<'b, 'v>(args: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let wrong = || ExecutionError::function_error("matches", "takes a text and a regex");
    let [text, regex] = args.as_slice() else {
        return Err(wrong());
    };
    let text = text.downcast_ref::<CelString<'_>>().ok_or_else(wrong)?;
    let found = match regex.downcast_ref::<Regex>() {
        Some(regex) => regex.0.is_match(text.inner()).ok_or_else(wrong)?,
        None => {
            let regex = regex.downcast_ref::<CelString<'_>>().ok_or_else(wrong)?;
            pattern::compile(regex.inner())
                .map_err(|e| ExecutionError::function_error("matches", e.message))?
                .is_match(text.inner())
        }
    };
    Ok(CowVal::owned(CelBool::from(found)))
}

/// The keys of a map in ascending order: a map of the interpreter has none, and what is made of it
/// may not depend on chance.
fn ordered<'b, 'v>(args: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let map = args
        .first()
        .and_then(|map| map.downcast_ref::<CelMap<'_>>());
    let Some(map) = map else {
        return same(args);
    };
    let mut keys: Vec<_> = map.inner().keys().collect();
    keys.sort_unstable();
    let keys: Vec<_> = keys
        .iter()
        .map(|key| key.inner().clone_as_boxed())
        .collect();
    Ok(CowVal::owned(CelList::from(keys)))
}

fn same<'b, 'v>(mut args: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    args.pop().ok_or(ExecutionError::MissingArgumentOrTarget)
}
