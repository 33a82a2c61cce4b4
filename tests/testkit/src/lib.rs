//! What tests stand on: waiting on state, the built binary as a child process, a collector of traces. Holds no logic of ours.

mod child;
mod collector;
mod wait;

pub use child::{Child, Finished, binary, run, run_with_input, which};
pub use collector::{Collector, Span};
pub use wait::{wait_until, wait_until_blocking};
