//! The platform as its callers see it: the real server on a real port, over its own data folder.

mod api_keys;
mod audit;
mod authorization;
mod joining;
mod restart;
mod sessions;
mod speed;
mod stage;
