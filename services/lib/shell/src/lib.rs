//! Runtime shell of every part: flags, telemetry, listeners, readiness, caller verification and drain.
//!
//! A part gets a [`Shell`], serves through [`Shell::server`] or [`serve_http`], and finds a verified [`Caller`] in every request.
//! Signing and authorization by role belong to `platform`, not here.

pub mod access;
mod admin;
mod args;
mod byte_budget;
mod command;
mod condition;
mod connection;
mod connection_table;
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
mod suggest;
mod tasks;
mod telemetry;
mod tls;
mod trace;

pub use access::Access;
pub use args::{LogFilter, LogFormat, OtlpArgs, ProcessArgs};
pub use byte_budget::{BudgetExhausted, ByteBudget, ByteReservation};
pub use causeway_assertion::{Caller, Side};
pub use command::run_command;
pub use connection::{HttpService, serve_connection, serve_http, serve_public_http};
pub use connection_table::{ClientConnection, ConnectionLimits, ConnectionTable, IsShared, Place};
pub use folder_lock::FolderLock;
pub use layer::deadline::{Deadline, parse_grpc_timeout};
pub use listener::bind;
pub use notice::Notices;
pub use part::{Shell, TestStop};
pub use process::{Process, install_crypto, run};
pub use readiness::{Health, ReadyHandle};
pub use reloaded_file::ReloadedFile;
pub use server::Server;
pub use shutdown::Shutdown;
pub use suggest::{suggest, suggest_names};
pub use tasks::Tasks;
pub use tls::{ServerTls, TlsArgs};
pub use trace::{
    continue_trace, forward_trace, inject_trace, is_sampled, is_sampled_in, traceparent,
    with_current_trace,
};
