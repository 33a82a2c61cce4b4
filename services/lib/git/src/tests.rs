//! The engine against a real `git http-backend` and real bare repositories.

mod branches;
mod commits;
mod credentials;
mod cut;
mod hostile;
mod journal;
pub(crate) mod kill;
mod race;
mod server;
pub(crate) mod twin;
