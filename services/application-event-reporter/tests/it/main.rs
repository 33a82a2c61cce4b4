//! Tests of the reporter as a whole, with a simulated cluster, and an inventory and a source-server at wire level.

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
