//! Tests of the reporter as a whole, with simulated clusters and an inventory at wire level.

#[cfg(test)]
mod stage;

#[cfg(test)]
mod canaries;
#[cfg(test)]
mod clusters;
#[cfg(test)]
mod events;
#[cfg(test)]
mod rollouts;
