//! Restricted Git sources: a folder of Applications in Git that cannot leave one namespace and one project.
//!
//! - `spec`: what an admin writes; `object`: the object around it, with its status.
//! - `plan`: the two AppProjects and the Application that a source consists of.
//! - `refusal`: every escape that is refused, with its reason and fix.
//! - `surroundings`: escapes that other objects of the cluster open; `content`: escapes that the repository tries.
//!
//! Pure: values in, values out. Nothing here reads or writes a cluster.

pub mod content;
mod object;
mod plan;
mod refusal;
mod spec;
pub mod surroundings;

pub use object::{Kind, Object, is_owned_by, text};
pub use plan::{IN_CLUSTER, Plan, application_project, source_project};
pub use refusal::Refusal;
pub use spec::{Destination, Directory, GitFolder, GroupKind, Spec};

#[cfg(test)]
mod tests;
