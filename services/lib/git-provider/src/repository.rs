//! Repositories, branches, files and comparisons, as every provider has them.

use crate::RepositoryName;

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Where the next page starts; absent at the end.
    pub next: Option<Cursor>,
}

/// Where a page starts, as its provider writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor(pub(crate) String);

/// An organisation, group, workspace or project that has repositories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organisation {
    pub name: String,
}

/// The account of a credential.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct User {
    pub login: String,
    /// Scopes of the credential, where the provider names them.
    pub scopes: Option<Vec<String>>,
}

/// A repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    pub name: RepositoryName,
    /// Absent in an empty repository.
    pub default_branch: Option<String>,
    pub clone_url: String,
    pub is_archived: bool,
}

/// A branch with its last commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    pub name: String,
    pub commit: String,
    pub is_protected: bool,
}

/// What a folder of a repository has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// From the root of the repository.
    pub path: String,
    pub kind: EntryKind,
}

/// Kind of an entry of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Folder,
    /// Symbolic links and submodules.
    Other,
}

/// What one commit has and another has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// Oldest first.
    pub commits: Vec<String>,
    /// Paths that differ, sorted.
    pub files: Vec<String>,
    /// False where the provider cut a list.
    pub is_complete: bool,
}
