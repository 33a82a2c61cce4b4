//! Edits of YAML, JSON and TOML documents by byte spans, never by emitting them again.
//!
//! - `path`, `value`, `edit`: what is changed; `image`, `kustomize`, `chart` derive edits from a document.
//! - `document`: the syntax tree with byte spans, by granit-parser. `locate` walks a path through it.
//! - `change`: the replacement of one span. `render` writes new scalars, keys and collections.
//! - `proof`: libyaml reads the text before and after; they must differ in exactly the requested value.
//!
//! Bytes outside the replaced span are never touched. What cannot be edited safely is refused.
//! This crate does no I/O and knows no Git.

mod change;
mod chart;
mod document;
mod edit;
mod error;
mod image;
mod kustomize;
mod locate;
mod path;
mod proof;
mod render;
mod resolve;
mod toml;
mod value;

pub use chart::set_chart_dependency;
pub use document::DocumentSelector;
pub use edit::{Edit, Format, MAX_DOCUMENT_BYTES, Operation, apply, read};
pub use error::PatchError;
pub use image::{ImageReference, set_image};
pub use kustomize::{KustomizeImage, set_kustomize_image};
pub use path::{Path, Segment};
pub use value::Value;
