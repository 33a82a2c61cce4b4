//! Simulations: whole services over a simulated network, on one thread and in virtual time. A seed gives the changes, the
//! outages, the delays of messages and the jitter of reconnects. The order in which tokio polls is drawn anew each time, so
//! that a seed is a scenario and not a recording.

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
