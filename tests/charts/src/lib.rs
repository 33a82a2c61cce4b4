//! The charts in `helm/`: every mode that they have, rendered by the real Helm, and what must hold of each.
//!
//! Where Helm is not installed a test passes without having looked, and one line says so. In continuous integration it fails.

mod chart;
mod mode;

pub use chart::{Chart, KUBERNETES, Release, helm};
pub use mode::{Mode, modes};

#[cfg(test)]
mod flags;
#[cfg(test)]
mod formats;
#[cfg(test)]
mod lint;
#[cfg(test)]
mod network;
#[cfg(test)]
mod objects;
#[cfg(test)]
mod pods;
#[cfg(test)]
mod readme;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod replicas;
#[cfg(test)]
mod resources;
#[cfg(test)]
mod rights;
#[cfg(test)]
mod stage;
