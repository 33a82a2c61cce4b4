//! What tests stand on: waiting on state, the built binary as a child process, a PostgreSQL, a disk that fills up, a collector
//! of traces, the judge of histories, what an operator does by the day as one table of commands, and by features all parts in one
//! process (`mesh`), for one runtime or for dozens, or each in its own (`processes`), real clusters, or an inventory for what
//! reports to one. Holds no logic of ours.

mod address;
mod bytes;
mod canary;
mod child;
mod collector;
mod disk;
#[cfg(feature = "mesh")]
pub mod fleet;
mod frames;
#[cfg(feature = "mesh")]
mod generator;
pub mod history;
#[cfg(feature = "inventory")]
mod inventory;
#[cfg(feature = "mesh")]
mod mesh;
#[cfg(feature = "mesh")]
mod neighbour;
#[cfg(feature = "mesh")]
mod part;
mod postgres;
#[cfg(feature = "processes")]
mod processes;
mod script;
mod skip;
mod wait;

pub use address::{reserved_address, reserved_address_on};
pub use bytes::BytesCodec;
pub use canary::{Canaries, Canary, RULES};
#[cfg(feature = "cluster")]
pub use causeway_cluster::{Child as ClusterChild, Cluster, Options as ClusterOptions};
pub use child::{Child, Finished, binary, run, run_with_input, which, which_of, which_or_skip};
pub use collector::{Collector, Span};
pub use disk::Disk;
pub use frames::Frame;
#[cfg(feature = "mesh")]
pub use generator::{Change, Changed, Generator, GeneratorOptions, Known, Mix};
#[cfg(feature = "inventory")]
pub use inventory::{FakeInventory, Manners, Object, Seen};
#[cfg(feature = "mesh")]
pub use mesh::{Databases, Mesh, PlatformParts, Replica, RuntimeParts, WEBHOOK_SECRET, new_id};
#[cfg(feature = "mesh")]
pub use part::Part;
pub use postgres::Postgres;
#[cfg(feature = "processes")]
pub use processes::{Access, PartProcess, Processes, Programs, Reached, Setting};
pub use script::{APPLICATIONS, PODS, ROLLOUTS, Stage, Step, play};
pub use skip::{skip, skip_part};
pub use wait::{wait_until, wait_until_blocking};
