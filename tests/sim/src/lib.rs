//! Simulations: whole services over a simulated network, on one thread and in virtual time. A seed gives the changes, the
//! outages and the delays of messages. The order in which tokio polls and the jitter of reconnects are drawn anew each time,
//! so that a seed is a scenario and not a recording.

#[cfg(test)]
mod cluster;
#[cfg(test)]
mod forgetful;
#[cfg(test)]
mod history;
#[cfg(test)]
mod network;
#[cfg(test)]
mod plan;
#[cfg(test)]
mod platform;
#[cfg(test)]
mod reports;
#[cfg(test)]
mod runtime;
#[cfg(test)]
mod scenario;
#[cfg(test)]
mod user;
