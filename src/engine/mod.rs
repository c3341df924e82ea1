//! The life of a run: calls arrive, are judged, admitted and settled.

pub mod decision;
