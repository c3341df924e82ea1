//! What has to hold whatever a trace says: laws of the whole, tried on random traces.
//!
//! A trace that breaks a law is cut down to the records that matter before it is shown.

#[path = "../program/mod.rs"]
mod program;
#[path = "../../src/testing.rs"]
mod testing;

mod convert;
mod coverage;
mod damage;
mod flips;
mod inspect;
mod modes;
mod money;
mod naive;
mod packing;
mod policies;
mod prefix;
mod reference;
mod repeatable;
mod replay;
mod runs;
mod safety;
mod trial;
mod truncation;
mod used;
mod weighing;
