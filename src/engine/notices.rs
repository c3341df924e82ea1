//! What the monitor tells beside decisions.

use super::monitor::Monitor;
use super::run::Run;
use crate::trace::event::ToolCall;
use crate::trace::fault::{FaultCode, Notice, NoticeKind, Place, WarningCode};

impl Monitor<'_> {
    pub(super) fn warn_of_zeros(&mut self, run: &Run, place: Place, call: &ToolCall<'_>) {
        let own = [
            ("context_embedding", &call.context_embedding),
            ("action_embedding", &call.action_embedding),
        ];
        for (field, embedding) in own {
            if embedding
                .as_ref()
                .is_some_and(|v| v.iter().all(|&x| x == 0.0))
            {
                let message =
                    format!("`{field}` is all zeros; the scope barrier does not see the call");
                self.warn(WarningCode::ZeroEmbedding, place, run, message);
            }
        }
    }

    pub(super) fn warn(&mut self, code: WarningCode, place: Place, run: &Run, message: String) {
        self.tell(NoticeKind::Warning(code), place, &run.id, message);
    }

    pub(super) fn orphan(&mut self, code: WarningCode, place: Place, run: &str, call: &str) {
        let message = format!("the run has no call `{call}`");
        self.tell(NoticeKind::Warning(code), place, run, message);
    }

    pub(super) fn shared(&mut self, place: Place, run: &str) {
        let message = "an earlier input has a run of this id; they are two runs".into();
        let kind = NoticeKind::Warning(WarningCode::SharedRunId);
        self.tell(kind, place, run, message);
    }

    pub(super) fn fault(&mut self, code: FaultCode, place: Place, run: &mut Run, message: String) {
        run.doubtful = true;
        self.tell(NoticeKind::Fault(code), place, &run.id, message);
    }

    fn tell(&mut self, kind: NoticeKind, place: Place, run: &str, message: String) {
        self.out.notice(Notice {
            kind,
            place,
            run: Some(run.into()),
            message,
            help: None,
        });
    }
}
