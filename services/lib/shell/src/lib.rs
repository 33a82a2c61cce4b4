//! The process shell that every part runs in: flags, telemetry, listeners, readiness, verification of callers, drain.
//!
//! It knows nothing of any part. A part gets a [`Shell`], serves through [`Shell::server`] or [`serve_http`],
//! and finds a verified [`Caller`] in every request. Nothing here signs for others or decides by role: that is `platform`'s.

pub mod access;
mod admin;
mod args;
mod command;
mod connection;
mod folder_lock;
pub mod layer;
mod listener;
mod notice;
pub mod page;
mod part;
mod process;
mod readiness;
mod reloaded_file;
mod server;
mod shutdown;
pub mod status;
mod tasks;
mod telemetry;
mod tls;
mod trace;

pub use access::Access;
pub use args::{LogFilter, LogFormat, OtlpArgs, ProcessArgs};
pub use causeway_assertion::{Caller, Side};
pub use command::run_command;
pub use connection::{HttpService, serve_connection, serve_http};
pub use folder_lock::FolderLock;
pub use layer::deadline::Deadline;
pub use listener::bind;
pub use notice::Notices;
pub use part::{Shell, TestStop};
pub use process::{Process, install_crypto, run};
pub use readiness::{Health, ReadyHandle};
pub use reloaded_file::ReloadedFile;
pub use server::Server;
pub use shutdown::Shutdown;
pub use tasks::Tasks;
pub use tls::{ServerTls, TlsArgs};
pub use trace::{
    continue_trace, forward_trace, inject_trace, is_sampled, is_sampled_in, traceparent,
    with_current_trace,
};
