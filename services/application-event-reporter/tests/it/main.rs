//! The reporter from outside: a stand-in cluster on one side, an inventory and a source-server played at the wire on the other.

#[cfg(test)]
mod source;
#[cfg(test)]
mod stage;

#[cfg(test)]
mod enrichment;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod watches;
