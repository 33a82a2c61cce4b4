//! The shell from outside: a real server on a port of its own, real clients, a real child process.

#[cfg(test)]
mod caller;
#[cfg(test)]
mod child;
#[cfg(test)]
mod connection;
#[cfg(test)]
mod deadline;
#[cfg(test)]
mod drain;
#[cfg(test)]
mod otlp;
#[cfg(test)]
mod process;
#[cfg(test)]
mod serving;
#[cfg(test)]
mod shed;
#[cfg(test)]
mod stage;
#[cfg(test)]
mod telemetry;
#[cfg(test)]
mod tls;
