//! The engine against a real `git http-backend` and real bare repositories.

mod bad_input;
mod branches;
mod commits;
mod credentials;
mod cut;
mod hostile;
mod journal;
pub(crate) mod kill;
mod processes;
mod race;
mod server;
mod signing;
pub(crate) mod twin;
