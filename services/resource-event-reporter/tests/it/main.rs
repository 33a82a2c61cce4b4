//! The reporter from outside: stand-in clusters on one side, an inventory played at the wire on the other.

#[cfg(test)]
mod inventory;
#[cfg(test)]
mod stage;

#[cfg(test)]
mod clusters;
#[cfg(test)]
mod events;
#[cfg(test)]
mod rollouts;
