//! Simulations: whole services over a simulated network, on one thread and in virtual time. A seed gives the changes, the
//! outages, the delays of messages and the jitter of reconnects. The order in which tokio polls is drawn anew each time, so
//! that a seed is a scenario and not a recording.
//!
//! One scenario is on real sockets and a real PostgreSQL, which replicas of the inventory share and a simulation cannot have.

#[cfg(test)]
mod away;
#[cfg(test)]
mod broken;
#[cfg(test)]
mod cluster;
#[cfg(test)]
mod history;
#[cfg(test)]
mod network;
#[cfg(test)]
mod plan;
#[cfg(test)]
mod platform;
#[cfg(test)]
mod replicas;
#[cfg(test)]
mod reports;
#[cfg(test)]
mod runtime;
#[cfg(test)]
mod scenario;
#[cfg(test)]
mod user;
#[cfg(test)]
mod wire;
