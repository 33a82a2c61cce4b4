//! The whole mesh in one process: what only shows where all parts meet.

#[cfg(test)]
mod action;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod containment;
#[cfg(test)]
mod fleet;
#[cfg(test)]
mod hurtful;
#[cfg(test)]
mod isolation;
#[cfg(test)]
mod logs;
#[cfg(test)]
mod lost;
#[cfg(test)]
mod lowered;
#[cfg(test)]
mod matrix;
#[cfg(test)]
mod negative;
#[cfg(test)]
mod redaction;
#[cfg(test)]
mod rejoin;
#[cfg(test)]
mod replay;
#[cfg(test)]
mod replicas;
#[cfg(test)]
mod resources;
#[cfg(test)]
mod restart;
#[cfg(test)]
mod rollouts;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod tenants;
#[cfg(test)]
mod timing;
#[cfg(test)]
mod watch;
#[cfg(test)]
mod webhook;
#[cfg(test)]
mod world;
