//! Why an edit is refused. Each message names the place and says what to do.

/// The reason why a document was not edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    #[error("the document has {size} bytes; at most {limit} can be edited: split the file")]
    TooLarge { size: usize, limit: usize },
    #[error("the edit adds more than {limit} bytes: write the file as a whole instead")]
    GrowsTooMuch { limit: usize },
    #[error("the document is not UTF-8: convert it, or write the file as a whole")]
    NotUtf8,
    #[error("the document cannot be parsed: {0}: fix the syntax first")]
    Syntax(String),
    #[error("path {path:?}: {problem}")]
    InvalidPath { path: String, problem: &'static str },
    #[error("the value of the edit is invalid: {0}")]
    InvalidValue(&'static str),
    #[error(
        "the file has {count} documents: select one by its index, or by the kind and name of its object"
    )]
    AmbiguousDocument { count: usize },
    #[error("document {selector} is not in the file: the file has {count} documents")]
    DocumentNotFound { selector: String, count: usize },
    #[error("{path} is not in the document: check the path")]
    NotFound { path: String },
    #[error("{path} is a {found}, not a {wanted}: check the path")]
    WrongKind {
        path: String,
        found: &'static str,
        wanted: &'static str,
    },
    #[error("{path} matches {count} items: use an index, or a key with unique values")]
    AmbiguousItem { path: String, count: usize },
    #[error("{path} has the key {key:?} twice: remove one")]
    DuplicateKey { path: String, key: String },
    #[error("{path} has a merge key (<<): write its keys out first")]
    MergeKey { path: String },
    #[error(
        "{path} is an alias or has an anchor, so other places would change too: write the value out first"
    )]
    Anchored { path: String },
    #[error("{path} has a tag that may change its meaning: remove the tag first")]
    Tagged { path: String },
    #[error("{path} is written in a form that cannot be edited: {problem}; rewrite it by hand")]
    Layout { path: String, problem: &'static str },
    #[error(
        "{path} is {found}, not {expected} as expected: read the file again and repeat the edit"
    )]
    Stale {
        path: String,
        expected: String,
        found: String,
    },
    #[error("the edit of {path} would change more than the requested value: edit the file by hand")]
    Unproven { path: String },
}
