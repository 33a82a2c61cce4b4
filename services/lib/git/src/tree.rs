//! A tree that edits change, without a work tree. Blobs that are not here yet are noted.

use gix::{
    ObjectId, Repository,
    objs::{FindExt as _, tree::EntryKind},
};

use crate::{GitError, NotEditable, RepositoryPath};

/// A file of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileEntry {
    pub(crate) id: ObjectId,
    pub(crate) is_executable: bool,
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item {
    File(FileEntry),
    Folder(ObjectId),
}

/// The state of the files after some edits.
pub(crate) struct Tree<'a> {
    repository: &'a Repository,
    pub(crate) id: ObjectId,
    /// Blobs to fetch before the edits can be applied in full.
    pub(crate) missing: Vec<ObjectId>,
}

/// The blob is larger than the reader wants.
pub(crate) struct TooLarge;

impl<'a> Tree<'a> {
    pub(crate) fn new(repository: &'a Repository, id: ObjectId) -> Self {
        Self {
            repository,
            id,
            missing: Vec::new(),
        }
    }

    /// The file or folder at a path. Symbolic links and submodules on the way are refused.
    pub(crate) fn get(&self, path: &RepositoryPath) -> Result<Option<Item>, GitError> {
        let mut item = Item::Folder(self.id);
        for name in path.names() {
            let Item::Folder(folder) = item else {
                return Ok(None);
            };
            let Some(next) = self.entry(folder, name, path)? else {
                return Ok(None);
            };
            item = next;
        }
        Ok(Some(item))
    }

    /// Files below a folder, or of the whole tree, by path. Symbolic links, submodules and unusual names are left out.
    pub(crate) fn files(
        &self,
        folder: Option<&RepositoryPath>,
        limit: usize,
    ) -> Result<Vec<(RepositoryPath, ObjectId)>, GitError> {
        let root = match folder {
            None => Some(Item::Folder(self.id)),
            Some(path) => self.get(path)?,
        };
        let Some(Item::Folder(root)) = root else {
            let path = folder.map(ToString::to_string).unwrap_or_default();
            return Err(GitError::FileNotFound { path });
        };
        let mut files = Vec::new();
        let mut open = vec![(folder.map(ToString::to_string), root)];
        while let Some((parent, id)) = open.pop() {
            let mut buffer = Vec::new();
            let tree = self.repository.objects.find_tree(&id, &mut buffer);
            let tree = tree.map_err(|error| GitError::Git(error.to_string()))?;
            for entry in &tree.entries {
                let name = entry.filename.to_string();
                let name = parent
                    .as_ref()
                    .map_or(name.clone(), |it| format!("{it}/{name}"));
                match (entry.mode.kind(), RepositoryPath::parse(&name)) {
                    (EntryKind::Tree, Ok(_)) => open.push((Some(name), entry.oid.to_owned())),
                    (EntryKind::Blob | EntryKind::BlobExecutable, Ok(path)) => {
                        files.push((path, entry.oid.to_owned()));
                    }
                    (EntryKind::Link | EntryKind::Commit, _) | (_, Err(_)) => {}
                }
            }
            if files.len() + open.len() > limit {
                return Err(GitError::TooManyFiles { limit });
            }
        }
        files.sort();
        Ok(files)
    }

    fn entry(
        &self,
        folder: ObjectId,
        name: &str,
        path: &RepositoryPath,
    ) -> Result<Option<Item>, GitError> {
        let mut buffer = Vec::new();
        let tree = self.repository.objects.find_tree(&folder, &mut buffer);
        let tree = tree.map_err(|error| GitError::Git(error.to_string()))?;
        let Some(found) = tree
            .entries
            .iter()
            .find(|entry| entry.filename == name.as_bytes())
        else {
            return Ok(None);
        };
        let id = found.oid.to_owned();
        let refused = |reason| GitError::NotEditable {
            path: path.to_string(),
            reason,
        };
        match found.mode.kind() {
            EntryKind::Tree => Ok(Some(Item::Folder(id))),
            EntryKind::Blob => Ok(Some(Item::File(FileEntry {
                id,
                is_executable: false,
            }))),
            EntryKind::BlobExecutable => Ok(Some(Item::File(FileEntry {
                id,
                is_executable: true,
            }))),
            EntryKind::Link => Err(refused(NotEditable::Symlink)),
            EntryKind::Commit => Err(refused(NotEditable::Submodule)),
        }
    }

    /// The content of a blob, or nothing when it must be fetched first.
    pub(crate) fn read(&mut self, id: ObjectId, limit: u64) -> Result<Option<Vec<u8>>, TooLarge> {
        let Ok(header) = self.repository.find_header(id) else {
            self.missing.push(id);
            return Ok(None);
        };
        if header.size() > limit {
            return Err(TooLarge);
        }
        let found = self.repository.find_blob(id);
        Ok(found.ok().map(|mut blob| blob.take_data()))
    }

    /// Notes a blob that a push needs: over HTTP git packs a new file beside the one that it replaces.
    pub(crate) fn need(&mut self, id: ObjectId) {
        if self.repository.find_header(id).is_err() {
            self.missing.push(id);
        }
    }

    pub(crate) fn write(
        &mut self,
        path: &RepositoryPath,
        content: &[u8],
        is_executable: bool,
    ) -> Result<(), GitError> {
        let id = self.repository.write_blob(content)?.detach();
        self.put(path, &Item::File(FileEntry { id, is_executable }))
    }

    /// A file on the way is no folder to write into.
    pub(crate) fn put(&mut self, path: &RepositoryPath, item: &Item) -> Result<(), GitError> {
        self.check_parents(path)?;
        let (kind, id) = match item {
            Item::Folder(id) => (EntryKind::Tree, *id),
            Item::File(file) if file.is_executable => (EntryKind::BlobExecutable, file.id),
            Item::File(file) => (EntryKind::Blob, file.id),
        };
        self.change(|editor| editor.upsert(path.names(), kind, id).map(drop))
    }

    pub(crate) fn remove(&mut self, path: &RepositoryPath) -> Result<(), GitError> {
        self.change(|editor| editor.remove(path.names()).map(drop))
    }

    fn check_parents(&self, path: &RepositoryPath) -> Result<(), GitError> {
        let text = path.to_string();
        for (end, _) in text.match_indices('/') {
            let parent = RepositoryPath::parse(&text[..end])?;
            if matches!(self.get(&parent)?, Some(Item::File(_))) {
                return Err(GitError::InvalidPath {
                    path: text.clone(),
                    problem: "is below a file",
                });
            }
        }
        Ok(())
    }

    /// The detached editor writes trees without looking for blobs, which are not here.
    fn change(
        &mut self,
        edit: impl FnOnce(&mut gix::objs::tree::Editor<'_>) -> Result<(), gix::Error>,
    ) -> Result<(), GitError> {
        let failed = |error: String| GitError::Git(error);
        let mut editor = self.repository.edit_tree(self.id)?.detach();
        edit(&mut editor).map_err(|error| failed(error.to_string()))?;
        self.id = editor.write(|tree| self.repository.write_object(tree).map(gix::Id::detach))?;
        Ok(())
    }
}
