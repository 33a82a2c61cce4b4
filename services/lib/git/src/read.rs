//! Files at the tip of a branch.

use gix::ObjectId;

use crate::{
    Engine, GitError, Remote, RepositoryPath,
    attempt::Attempt,
    engine::check_branch,
    tree::{Item, Tree},
};

const MAX_FILES: usize = 5000;
const MAX_FILE: u64 = 2 << 20;
/// Of all files that one call reads.
const MAX_BYTES: usize = 64 << 20;

/// Which files are read.
#[derive(Debug, Clone)]
pub enum Selection {
    /// Those of these paths that are there.
    Paths(Vec<RepositoryPath>),
    /// Those with one of these endings, in a folder and below; without a folder, everywhere.
    Below {
        folder: Option<RepositoryPath>,
        endings: &'static [&'static str],
    },
}

/// A file with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub path: RepositoryPath,
    pub content: Vec<u8>,
}

impl Engine {
    /// Reads files at the tip of a branch, by path. Those larger than 2 MiB are left out.
    pub async fn read(
        &self,
        remote: &Remote,
        branch: &str,
        selection: &Selection,
    ) -> Result<Vec<File>, GitError> {
        check_branch(branch)?;
        let clone = self.clones.get(remote);
        let mut clone = clone.lock().await;
        clone.prepare(remote)?;
        let mut attempt = Attempt::new(self, remote, branch, &mut clone);
        let tip = attempt.fetch().await?;
        let found = select(&attempt.open()?, tip, selection)?;
        let missing = missing(&attempt.open()?, &found)?;
        attempt.fetch_blobs(&missing).await?;
        load(&attempt.open()?, found)
    }

    /// Asks for the branch that stands for HEAD.
    pub async fn default_branch(&self, remote: &Remote) -> Result<String, GitError> {
        let clone = self.clones.get(remote);
        let mut clone = clone.lock().await;
        clone.prepare(remote)?;
        let attempt = Attempt::new(self, remote, "HEAD", &mut clone);
        attempt.transport().default_branch().await
    }
}

type Found = Vec<(RepositoryPath, ObjectId)>;

fn select(
    repository: &gix::Repository,
    tip: ObjectId,
    selection: &Selection,
) -> Result<Found, GitError> {
    let tree = Tree::new(repository, repository.find_commit(tip)?.tree_id()?.detach());
    match selection {
        Selection::Paths(paths) => {
            let mut found = Vec::new();
            for path in paths {
                if let Some(Item::File(file)) = tree.get(path)? {
                    found.push((path.clone(), file.id));
                }
            }
            Ok(found)
        }
        Selection::Below { folder, endings } => {
            let mut found = tree.files(folder.as_ref(), MAX_FILES)?;
            found.retain(|(path, _)| endings.iter().any(|end| path.file_name().ends_with(end)));
            Ok(found)
        }
    }
}

fn missing(repository: &gix::Repository, found: &Found) -> Result<Vec<ObjectId>, GitError> {
    let absent = |id: &ObjectId| repository.find_header(*id).is_err();
    let mut missing: Vec<_> = found.iter().map(|(_, id)| *id).filter(absent).collect();
    missing.sort();
    missing.dedup();
    Ok(missing)
}

fn load(repository: &gix::Repository, found: Found) -> Result<Vec<File>, GitError> {
    let mut files = Vec::new();
    let mut left = MAX_BYTES;
    for (path, id) in found {
        if repository.find_header(id)?.size() > MAX_FILE {
            continue;
        }
        let content = repository.find_blob(id)?.take_data();
        left = left
            .checked_sub(content.len())
            .ok_or(GitError::TooManyFiles { limit: MAX_FILES })?;
        files.push(File { path, content });
    }
    Ok(files)
}
