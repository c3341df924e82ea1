//! What a call says by itself, whatever the run and the policy.
//!
//! Label rules come before the stages and ask the same of a call. So this is kept apart from the
//! context that they are each given: it is worked out when first asked for, and once.

use crate::facets::Arguments;
use crate::facets::tools::ToolName;
use crate::policy::expr::Variable;
use crate::policy::expr::values::strings;
use crate::trace::event::RawJson;
use cel::Value;
use foldhash::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What was worked out of one call.
#[derive(Debug, Default)]
pub struct Facts {
    /// What the tool's name says.
    tool_name: OnceLock<Arc<ToolName>>,
    /// Text of the arguments.
    text: OnceLock<String>,
    /// The arguments taken apart. That is large and of few calls.
    pub(super) apart: OnceLock<Box<Apart>>,
    /// Where texts are put together.
    rooms: Rooms,
}

/// Room for the texts of a call, which is used again for the next one: no call takes an allocation for
/// them.
#[derive(Debug, Default)]
pub struct Rooms {
    text: Mutex<String>,
    /// Of the text as it is searched.
    small: Mutex<String>,
    /// What the names of tools say that were met lately: most calls are of a few.
    tools: Mutex<HashMap<Box<str>, Arc<ToolName>>>,
}

/// Most bytes of room that is used again: few texts are longer.
const ROOM: usize = 1 << 16;

/// Most tools whose names are remembered, and most bytes of such a name.
const TOOLS: (usize, usize) = (64, 256);

impl Facts {
    /// Nothing worked out, with that room.
    pub fn within(rooms: Rooms) -> Facts {
        Facts {
            rooms,
            ..Facts::default()
        }
    }

    /// The room, once the call has been judged.
    pub fn into_rooms(self) -> Rooms {
        let Rooms { text, small, tools } = self.rooms;
        let again = |room: String| {
            Mutex::new(if room.capacity() > ROOM {
                String::new()
            } else {
                room
            })
        };
        let inner = |room: Mutex<String>| room.into_inner().unwrap_or_default();
        Rooms {
            text: again(self.text.into_inner().unwrap_or_else(|| inner(text))),
            small: again(inner(small)),
            tools,
        }
    }

    /// What the name of the call's tool says.
    pub(super) fn tool_name(&self, tool: &str) -> &Arc<ToolName> {
        self.tool_name.get_or_init(|| {
            let mut known = open(&self.rooms.tools);
            if let Some(name) = known.get(tool) {
                return Arc::clone(name);
            }
            let name = Arc::new(ToolName::new(tool));
            if known.len() >= TOOLS.0 {
                known.clear();
            }
            if tool.len() <= TOOLS.1 {
                known.insert(tool.into(), Arc::clone(&name));
            }
            name
        })
    }

    /// Where a text is put together to be searched.
    pub(super) fn small(&self) -> MutexGuard<'_, String> {
        open(&self.rooms.small)
    }

    /// The text of these arguments, which are the call's.
    pub(super) fn text(&self, args: &RawJson<'_>) -> &str {
        self.text.get_or_init(|| {
            let mut text = std::mem::take(&mut *open(&self.rooms.text));
            text.clear();
            args.leaves(&mut text);
            text
        })
    }
}

/// Nothing that stands there is ever half done.
fn open<T>(room: &Mutex<T>) -> MutexGuard<'_, T> {
    room.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Arguments taken apart.
#[derive(Debug)]
pub(super) struct Apart {
    pub(super) arguments: Arguments,
    /// What they say the call does, in the order of [`FACETS`].
    facets: [OnceLock<Facet>; FACETS.len()],
}

/// One list of what a call does.
#[derive(Debug)]
pub(super) struct Facet {
    pub(super) texts: Vec<String>,
    value: OnceLock<Value>,
}

impl Facet {
    /// The list as expressions have it.
    pub(super) fn value(&self) -> Value {
        self.value.get_or_init(|| strings(&self.texts)).clone()
    }
}

/// The facets of a call and how each is read off its arguments.
pub(super) const FACETS: [(Variable, Read); 6] = [
    (Variable::CallCommands, Arguments::commands),
    (Variable::CallReads, Arguments::reads),
    (Variable::CallWrites, Arguments::writes),
    (Variable::CallDeletes, Arguments::deletes),
    (Variable::CallUrls, Arguments::urls),
    (Variable::CallHosts, Arguments::hosts),
];

/// Reads one facet.
type Read = fn(&Arguments) -> Vec<String>;

impl Apart {
    pub(super) fn new(arguments: Arguments) -> Apart {
        Apart {
            arguments,
            facets: Default::default(),
        }
    }

    /// A facet of the call; absent of other variables, and where a limit was met.
    pub(super) fn facet(&self, facet: Variable) -> Option<&Facet> {
        if self.arguments.beyond() {
            return None;
        }
        let at = FACETS.iter().position(|(variable, _)| *variable == facet)?;
        let (slot, (_, read)) = (self.facets.get(at)?, FACETS.get(at)?);
        Some(slot.get_or_init(|| Facet {
            texts: read(&self.arguments),
            value: OnceLock::new(),
        }))
    }
}
