//! The reporter from outside: stand-in clusters on one side, an inventory played at the wire on the other.

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
