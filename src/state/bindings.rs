//! What a call, a state and a run are called in expressions.
