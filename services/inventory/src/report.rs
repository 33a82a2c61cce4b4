//! The report stream: what reporters send, its order and its acknowledgements, and which reporters share a cluster.

mod bases;
pub(crate) mod convert;
mod delta;
mod epoch;
mod error;
pub(crate) mod grpc;
pub mod membership;
mod message;
mod ordered;
mod outcome;
mod quota;
pub mod roster;
pub mod silence;
mod stream;
mod window;

pub use delta::ReadDelta;
pub use error::SessionError;
pub use message::{
    Delta, Fault, FieldError, Hello, Incoming, Outgoing, Part, Rejection, Report, ReportedState,
    Reporter, Welcome,
};
pub use stream::{MANIFEST_BYTES, WINDOW, WINDOW_BYTES, serve};
