//! One bare repository: reads files and metadata of revisions, and commits without a work tree.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;
use jiff::Timestamp;

use super::{Commit, GitError, GitProgram};

const MOST_FILES: u64 = 5_000;
const MOST_BYTES: u64 = 16 << 20;

/// A full commit SHA.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommitId(String);

impl CommitId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Metadata of a commit; `date` is RFC 3339.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// `Name <mail>`
    pub author: String,
    pub date: String,
    pub message: String,
    pub tags: Vec<String>,
}

/// A file below a path, with its path relative to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) content: Bytes,
}

/// Depth of a file listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    OneFolder,
    AllBelow,
}

/// A bare repository in a folder of ours.
#[derive(Clone, Debug)]
pub struct Repository {
    program: Arc<GitProgram>,
    folder: PathBuf,
}

impl Repository {
    pub(crate) fn open(program: Arc<GitProgram>, folder: PathBuf) -> Self {
        Self { program, folder }
    }

    /// Makes an empty bare repository with `main` as its branch, or opens the one that is there.
    pub(crate) async fn create(
        program: Arc<GitProgram>,
        folder: PathBuf,
    ) -> Result<Self, GitError> {
        let place = folder.to_string_lossy().into_owned();
        let above = folder.parent().unwrap_or(Path::new(".")).to_owned();
        program
            .run(
                &above,
                &["init", "--quiet", "--bare", "-b", "main", &place],
                &[],
            )
            .await?;
        let repository = Self { program, folder };
        for (key, value) in [
            ("http.receivepack", "true"),
            ("receive.maxInputSize", "67108864"),
            ("uploadpack.allowAnySHA1InWant", "true"),
            ("gc.auto", "0"),
        ] {
            repository.git(&["config", key, value], &[]).await?;
        }
        Ok(repository)
    }

    pub(crate) async fn git(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, GitError> {
        self.program.run(&self.folder, arguments, input).await
    }

    /// The commit of a branch, a tag, a full or short SHA, or `HEAD`; empty means `HEAD`.
    pub async fn resolve(&self, revision: &str) -> Result<CommitId, GitError> {
        let unknown = || GitError::UnknownRevision {
            revision: revision.to_owned(),
        };
        if !is_revision(revision) {
            return Err(unknown());
        }
        let name = if revision.is_empty() {
            "HEAD"
        } else {
            revision
        };
        let questions =
            ["refs/heads/", "refs/tags/", ""].map(|prefix| format!("{prefix}{name}^{{commit}}\n"));
        let answers = self
            .git(
                &["cat-file", "--batch-check"],
                questions.concat().as_bytes(),
            )
            .await?;
        let found = String::from_utf8_lossy(&answers)
            .lines()
            .find_map(|line| line.split_once(" commit ").map(|(id, _)| id.to_owned()));
        found.map(CommitId).ok_or_else(unknown)
    }

    /// The tree's id at `path` in `commit`; the same id means the same content.
    pub(crate) async fn tree(&self, commit: &CommitId, path: &str) -> Result<String, GitError> {
        let missing = || GitError::NoPath {
            path: path.to_owned(),
        };
        let path = inner_path(path).ok_or_else(missing)?;
        let question = format!("{commit}:{path}\n");
        let answer = self
            .git(&["cat-file", "--batch-check"], question.as_bytes())
            .await?;
        let answer = String::from_utf8_lossy(&answer);
        answer
            .split_once(" tree ")
            .map(|(id, _)| id.to_owned())
            .ok_or_else(missing)
    }

    /// The regular files of a tree, with their content.
    pub(crate) async fn files(&self, tree: &str, listing: Listing) -> Result<Vec<File>, GitError> {
        let mut arguments = vec!["ls-tree", "-z", "-l"];
        if listing == Listing::AllBelow {
            arguments.push("-r");
        }
        arguments.push(tree);
        let entries = parse_listing(&self.git(&arguments, &[]).await?);
        let total: u64 = entries.iter().map(|entry| entry.bytes).sum();
        let too_much = |limit, what| GitError::TooMuch {
            path: tree.to_owned(),
            limit,
            what,
        };
        if entries.len() as u64 > MOST_FILES {
            return Err(too_much(MOST_FILES, "files"));
        }
        if total > MOST_BYTES {
            return Err(too_much(MOST_BYTES, "bytes"));
        }
        self.contents(entries).await
    }

    async fn contents(&self, entries: Vec<Entry>) -> Result<Vec<File>, GitError> {
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let ids: String = entries
            .iter()
            .map(|entry| format!("{}\n", entry.id))
            .collect();
        let mut rest = Bytes::from(self.git(&["cat-file", "--batch"], ids.as_bytes()).await?);
        let mut files = Vec::with_capacity(entries.len());
        for entry in entries {
            let content = next_blob(&mut rest).ok_or_else(|| GitError::Failed {
                command: "cat-file".to_owned(),
                message: format!("{} could not be read", entry.path),
            })?;
            files.push(File {
                path: entry.path,
                content,
            });
        }
        Ok(files)
    }

    /// Errors: [`GitError::UnknownRevision`] when there is no such commit.
    pub async fn metadata(&self, revision: &str) -> Result<Metadata, GitError> {
        let commit = self.resolve(revision).await?;
        let format = "--format=%an <%ae>%x00%aI%x00%B";
        let shown = self
            .git(
                &["log", "-1", "--no-show-signature", format, commit.as_str()],
                &[],
            )
            .await?;
        let shown = String::from_utf8_lossy(&shown);
        let mut fields = shown.splitn(3, '\0').map(|field| field.trim().to_owned());
        let points_at = format!("--points-at={commit}");
        let tags = self
            .git(
                &[
                    "for-each-ref",
                    &points_at,
                    "--format=%(refname:short)",
                    "refs/tags",
                ],
                &[],
            )
            .await?;
        Ok(Metadata {
            author: fields.next().unwrap_or_default(),
            date: fields.next().unwrap_or_default(),
            message: fields.next().unwrap_or_default(),
            tags: String::from_utf8_lossy(&tags)
                .lines()
                .map(str::to_owned)
                .collect(),
        })
    }

    /// Commits straight into the repository, onto the branch's present commit.
    pub(crate) async fn commit(
        &self,
        commit: &Commit,
        now: Timestamp,
    ) -> Result<CommitId, GitError> {
        let reference = commit.reference();
        let onto = self.resolve(&reference).await.ok();
        let stream = commit.stream(onto.as_ref().map(CommitId::as_str), now.as_second());
        self.git(&["fast-import", "--quiet", "--done"], &stream)
            .await?;
        self.resolve(&reference).await
    }

    pub(crate) async fn is_empty(&self) -> Result<bool, GitError> {
        let refs = self.git(&["for-each-ref", "--count=1"], &[]).await?;
        Ok(refs.is_empty())
    }
}

#[derive(Debug)]
struct Entry {
    id: String,
    bytes: u64,
    path: String,
}

/// Regular files only: a link may point anywhere and a submodule is another repository.
fn parse_listing(output: &[u8]) -> Vec<Entry> {
    let text = String::from_utf8_lossy(output);
    let parse = |line: &str| {
        let (facts, path) = line.split_once('\t')?;
        let mut facts = facts.split_whitespace();
        let (mode, kind, id, bytes) = (facts.next()?, facts.next()?, facts.next()?, facts.next()?);
        let regular = kind == "blob" && mode.starts_with("100");
        regular.then(|| Entry {
            id: id.to_owned(),
            bytes: bytes.parse().unwrap_or(0),
            path: path.to_owned(),
        })
    };
    text.split('\0').filter_map(parse).collect()
}

/// Cuts the next object off a `cat-file --batch` answer: `<id> blob <size>\n<content>\n`.
fn next_blob(rest: &mut Bytes) -> Option<Bytes> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let head = rest.split_to(end + 1);
    let size: usize = std::str::from_utf8(&head)
        .ok()?
        .trim()
        .rsplit(' ')
        .next()?
        .parse()
        .ok()?;
    if rest.len() <= size {
        return None;
    }
    let content = rest.split_to(size);
    let _newline = rest.split_to(1);
    Some(content)
}

/// A path inside a repository in Git's own form, or nothing when it points outside.
fn inner_path(path: &str) -> Option<String> {
    if path.starts_with('/') || path.chars().any(char::is_control) {
        return None;
    }
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    (!parts.contains(&"..")).then(|| parts.join("/"))
}

/// Names only: none of the operators that Git would evaluate.
fn is_revision(revision: &str) -> bool {
    revision.len() <= 250
        && !revision.starts_with('-')
        && !revision.contains("..")
        && !revision.contains("@{")
        && revision
            .chars()
            .all(|c| !c.is_control() && !c.is_whitespace() && !"~^:?*[\\".contains(c))
}

#[cfg(test)]
mod tests;
