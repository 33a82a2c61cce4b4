//! The patcher through its public functions.

#[cfg(test)]
mod awkward;
#[cfg(test)]
mod images;
#[cfg(test)]
mod property;
#[cfg(test)]
mod refusals;
