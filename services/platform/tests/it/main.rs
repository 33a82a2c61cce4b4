//! The platform as its callers see it: the real server on a real port, over its own data folder.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod api_keys;
mod audit;
mod audit_chain;
mod authorization;
mod door;
mod issuer;
mod joining;
mod key_sessions;
mod matrix;
mod mix_up;
mod offboarding;
mod restart;
mod selected_runtimes;
mod sessions;
mod sign_in;
mod speed;
mod stage;
mod throttling;
mod web_ui;
