//! The edits of a change, applied to one tree after the other.

use causeway_patch::{
    DocumentSelector, Edit, Format, ImageReference, KustomizeImage, PatchError, Path,
    set_chart_dependency, set_image, set_kustomize_image,
};

use crate::{
    GitError, NotEditable, RepositoryPath,
    tree::{Item, Tree},
};

const MAX_FILE: usize = 5 << 20;
const MAX_PATCHED: u64 = 2 << 20;

/// What must be at a path before it is written or deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectedFile {
    Absent,
    /// The object id of the blob.
    Blob(String),
}

/// One edit of a change.
#[derive(Debug, Clone, PartialEq)]
pub enum FileEdit {
    /// Sets, appends or removes values of a YAML, JSON or TOML file.
    Values {
        path: RepositoryPath,
        document: DocumentSelector,
        edits: Vec<Edit>,
    },
    /// Sets an image, written as one text or as split keys.
    Image {
        path: RepositoryPath,
        document: DocumentSelector,
        at: Path,
        image: ImageReference,
        expected: Option<ImageReference>,
    },
    /// Sets an entry of `images` in a kustomization.
    KustomizeImage {
        path: RepositoryPath,
        image: KustomizeImage,
        expected: Option<String>,
    },
    /// Sets the version of a dependency in a chart.
    ChartDependency {
        path: RepositoryPath,
        name: String,
        version: String,
        expected: Option<String>,
    },
    /// Writes a whole file.
    Write {
        path: RepositoryPath,
        content: Vec<u8>,
        expected: Option<ExpectedFile>,
    },
    /// Puts a folder or file, as it is at `from`, in the place of what is at `to`.
    Copy {
        from: RepositoryPath,
        to: RepositoryPath,
    },
    /// Deletes a file or a folder.
    Delete {
        path: RepositoryPath,
        expected: Option<ExpectedFile>,
    },
}

impl FileEdit {
    /// The path that the edit writes.
    #[must_use]
    pub fn path(&self) -> &RepositoryPath {
        match self {
            Self::Values { path, .. }
            | Self::Image { path, .. }
            | Self::KustomizeImage { path, .. }
            | Self::ChartDependency { path, .. }
            | Self::Write { path, .. }
            | Self::Copy { to: path, .. }
            | Self::Delete { path, .. } => path,
        }
    }

    pub(crate) fn check(&self) -> Result<(), GitError> {
        match self {
            Self::Write { content, .. } if content.len() > MAX_FILE => Err(
                GitError::InvalidChange("a written file is larger than 5 MiB"),
            ),
            Self::Copy { from, to } if from.is_in(to) || to.is_in(from) => Err(
                GitError::InvalidChange("a folder is copied into itself or over its own parent"),
            ),
            Self::Values { path, .. } | Self::Image { path, .. } => format(path).map(drop),
            Self::KustomizeImage { .. }
            | Self::ChartDependency { .. }
            | Self::Write { .. }
            | Self::Copy { .. }
            | Self::Delete { .. } => Ok(()),
        }
    }

    /// Applies the edit to a tree.
    pub(crate) fn apply(&self, tree: &mut Tree<'_>) -> Result<(), GitError> {
        match self {
            Self::Values {
                path,
                document,
                edits,
            } => patch(tree, path, |content| {
                causeway_patch::apply(format(path)?, content, document, edits)
                    .map_err(edit_error(path))
            }),
            Self::Image {
                path,
                document,
                at,
                image,
                expected,
            } => patch(tree, path, |content| {
                let images = (image, expected.as_ref());
                set_image(format(path)?, content, document, at, images).map_err(edit_error(path))
            }),
            Self::KustomizeImage {
                path,
                image,
                expected,
            } => patch(tree, path, |content| {
                set_kustomize_image(content, image, expected.as_deref()).map_err(edit_error(path))
            }),
            Self::ChartDependency {
                path,
                name,
                version,
                expected,
            } => patch(tree, path, |content| {
                set_chart_dependency(content, name, version, expected.as_deref())
                    .map_err(edit_error(path))
            }),
            Self::Write {
                path,
                content,
                expected,
            } => write(tree, path, content, expected.as_ref()),
            Self::Copy { from, to } => copy(tree, from, to),
            Self::Delete { path, expected } => delete(tree, path, expected.as_ref()),
        }
    }
}

fn format(path: &RepositoryPath) -> Result<Format, GitError> {
    let found = Format::of_file(path.file_name());
    found.ok_or(GitError::InvalidChange(
        "values are edited in .yaml, .yml, .json and .toml files",
    ))
}

fn edit_error(path: &RepositoryPath) -> impl Fn(PatchError) -> GitError {
    let path = path.to_string();
    move |source| GitError::Edit {
        path: path.clone(),
        source,
    }
}

fn patch(
    tree: &mut Tree<'_>,
    path: &RepositoryPath,
    edit: impl Fn(&[u8]) -> Result<Vec<u8>, GitError>,
) -> Result<(), GitError> {
    let refused = |reason| GitError::NotEditable {
        path: path.to_string(),
        reason,
    };
    let file = match tree.get(path)? {
        Some(Item::File(file)) => file,
        Some(Item::Folder(_)) => return Err(refused(NotEditable::Folder)),
        None => {
            return Err(GitError::FileNotFound {
                path: path.to_string(),
            });
        }
    };
    let Some(content) = tree
        .read(file.id, MAX_PATCHED)
        .map_err(|_| refused(NotEditable::Large))?
    else {
        return Ok(());
    };
    if content.starts_with(b"version https://git-lfs.github.com/spec/") {
        return Err(refused(NotEditable::LfsPointer));
    }
    if content.contains(&0) {
        return Err(refused(NotEditable::Binary));
    }
    tree.write(path, &edit(&content)?, file.is_executable)
}

fn write(
    tree: &mut Tree<'_>,
    path: &RepositoryPath,
    content: &[u8],
    expected: Option<&ExpectedFile>,
) -> Result<(), GitError> {
    let found = tree.get(path)?;
    check_expected(path, found.as_ref(), expected)?;
    match found {
        Some(Item::Folder(_)) => Err(GitError::NotEditable {
            path: path.to_string(),
            reason: NotEditable::Folder,
        }),
        Some(Item::File(file)) => {
            tree.need(file.id);
            tree.write(path, content, file.is_executable)
        }
        None => tree.write(path, content, false),
    }
}

fn copy(tree: &mut Tree<'_>, from: &RepositoryPath, to: &RepositoryPath) -> Result<(), GitError> {
    let found = tree.get(from)?;
    let found = found.ok_or_else(|| GitError::FileNotFound {
        path: from.to_string(),
    })?;
    // The place is checked for symbolic links and submodules too.
    tree.get(to)?;
    tree.put(to, &found)
}

fn delete(
    tree: &mut Tree<'_>,
    path: &RepositoryPath,
    expected: Option<&ExpectedFile>,
) -> Result<(), GitError> {
    let found = tree.get(path)?;
    check_expected(path, found.as_ref(), expected)?;
    if found.is_none() {
        return Err(GitError::FileNotFound {
            path: path.to_string(),
        });
    }
    tree.remove(path)
}

fn check_expected(
    path: &RepositoryPath,
    found: Option<&Item>,
    expected: Option<&ExpectedFile>,
) -> Result<(), GitError> {
    let Some(expected) = expected else {
        return Ok(());
    };
    let wanted = match expected {
        ExpectedFile::Absent => "absent".to_owned(),
        ExpectedFile::Blob(id) => id.to_ascii_lowercase(),
    };
    let found = match found {
        None => "absent".to_owned(),
        Some(Item::File(file)) => file.id.to_string(),
        Some(Item::Folder(id)) => id.to_string(),
    };
    if wanted == found {
        return Ok(());
    }
    Err(GitError::StaleFile {
        path: path.to_string(),
        expected: wanted,
        found,
    })
}
