//! Parts of the platform on their own, for figures. Not for callers of the platform.

mod rules;
mod trail;

pub use self::{rules::ManyRules, trail::Trail};
