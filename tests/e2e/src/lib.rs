//! The binary as a user runs it: `causeway up` as a child process, and the commands of the README beside it.

#[cfg(test)]
mod actions;
#[cfg(test)]
mod backup;
#[cfg(test)]
mod canary;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod commit;
#[cfg(test)]
mod confirmation;
#[cfg(test)]
mod contract;
#[cfg(test)]
mod crashes;
#[cfg(test)]
mod daily;
#[cfg(test)]
mod exec;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod figures;
#[cfg(test)]
mod git;
#[cfg(test)]
mod git_source;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod install;
#[cfg(test)]
mod lifecycle;
#[cfg(test)]
mod own_cluster;
#[cfg(test)]
mod parts;
#[cfg(test)]
mod previous;
#[cfg(test)]
mod program;
#[cfg(test)]
mod resources;
#[cfg(test)]
mod sampled;
#[cfg(test)]
mod screen;
#[cfg(test)]
mod started;
#[cfg(test)]
mod stubs;
#[cfg(test)]
mod telemetry;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod trace;
#[cfg(test)]
mod upgrade;
#[cfg(test)]
mod workflow;
#[cfg(test)]
mod world;
