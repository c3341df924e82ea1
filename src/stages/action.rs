//! A call as one text and its meaning: what the semantic firewall scores, and what the scope barrier
//! sees of calls whose record brings no embeddings.

use super::CallContext;
use crate::firewall::intent::told;
use crate::firewall::{Action, Ready};
use crate::state::{Embedded, StateView};

/// Longest intent that is looked at, in bytes: what a user asked for, not what was attached to it.
const INTENT: usize = 8192;

/// As much of an intent as stages look at by themselves; expressions have it whole.
pub fn intent_head(intent: &str) -> &str {
    let mut end = intent.len().min(INTENT);
    while !intent.is_char_boundary(end) {
        end -= 1;
    }
    intent.get(..end).unwrap_or_default()
}

impl<'a> CallContext<'a> {
    /// What the user of the run asked for, cut where it is long; absent where that is not known or
    /// tells nothing.
    pub fn intent(&self) -> Option<&'a str> {
        let find = || told(intent_head(self.run.intent?));
        *self.wanted.get_or_init(find)
    }

    /// The call as the semantic firewall takes it; absent where the recording does not tell the
    /// arguments.
    pub fn action(&self) -> Option<Action<'_>> {
        let (tool, args) = (&*self.call.tool, self.args()?);
        Some(Action {
            tool,
            args,
            text: self.text()?,
            facets: (self.done).get_or_init(|| self.apart(args).arguments.facets()),
        })
    }

    /// The call's text as it is embedded, put together once for all who look at it; absent where
    /// [`CallContext::action`] is.
    pub fn ready(&self) -> Option<&Ready> {
        let action = self.action()?;
        let make = || self.policy.preparer.prepare(&action, self.intent());
        Some(self.ready.get_or_init(make))
    }
}

/// What the scope barrier goes by when a call is judged.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sight {
    /// The recording's embeddings, or none.
    Recorded,
    /// The run's intent and the call, embedded here.
    Embedded(Embedded),
    /// The call should be embedded, and the recording does not tell its arguments.
    Untold,
}

/// How the scope barrier sees a call. A recorded embedding and one made here are never compared:
/// the recording's count where the call brings what it does along and what was asked is recorded
/// too; otherwise both are made here, from the run's intent and the call's text.
pub(super) fn sight(cx: &CallContext<'_>) -> Sight {
    let Some(embedder) = cx.policy.scope_embedder() else {
        return Sight::Recorded;
    };
    let directed = |v: Option<&[f64]>| v.is_some_and(|v| v.iter().any(|&x| x != 0.0));
    let own = cx.call.context_embedding.as_deref();
    let context = own.or(cx.state.context.as_deref());
    if directed(cx.call.action_embedding.as_deref()) && directed(context) {
        return Sight::Recorded;
    }
    let Some(intent) = cx.intent() else {
        return Sight::Recorded;
    };
    match cx.ready() {
        Some(ready) => Sight::Embedded(Embedded {
            context: embedder.embed(intent).values,
            action: embedder
                .embed_with(&ready.prepared.text, &ready.words)
                .values,
        }),
        None => Sight::Untold,
    }
}

/// The state that a call meets, as it is seen.
pub(super) fn view<'c>(cx: &'c CallContext<'_>, sight: &'c Sight) -> StateView<'c> {
    match sight {
        Sight::Recorded => cx.view(),
        Sight::Embedded(pair) => cx.view().with_embedded(pair),
        Sight::Untold => StateView {
            untold: true,
            ..cx.view()
        },
    }
}
