//! A commit to be made, and its form as a `git fast-import` stream.

use std::collections::BTreeMap;

/// Author of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    pub name: String,
    pub email: String,
}

impl Author {
    pub fn new(name: &str, email: &str) -> Self {
        Self {
            name: name.to_owned(),
            email: email.to_owned(),
        }
    }
}

impl Default for Author {
    fn default() -> Self {
        Self::new("Causeway Demo", "demo@causeway.invalid")
    }
}

/// Files to write and remove in one commit on a branch; the branch is `main` unless said otherwise.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    branch: Option<String>,
    author: Author,
    message: String,
    files: BTreeMap<String, Option<Vec<u8>>>,
}

impl Commit {
    pub fn new(message: &str) -> Self {
        Self {
            message: message.to_owned(),
            ..Self::default()
        }
    }

    #[must_use]
    pub fn on(mut self, branch: &str) -> Self {
        self.branch = Some(branch.to_owned());
        self
    }

    #[must_use]
    pub fn by(mut self, author: Author) -> Self {
        self.author = author;
        self
    }

    #[must_use]
    pub fn write(mut self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path.to_owned(), Some(content.into()));
        self
    }

    #[must_use]
    pub fn remove(mut self, path: &str) -> Self {
        self.files.insert(path.to_owned(), None);
        self
    }

    pub(super) fn reference(&self) -> String {
        format!("refs/heads/{}", self.branch.as_deref().unwrap_or("main"))
    }

    /// The stream for `git fast-import`; `onto` is the branch's present commit.
    pub(super) fn stream(&self, onto: Option<&str>, seconds: i64) -> Vec<u8> {
        let person = format!(
            "{} <{}> {seconds} +0000",
            plain(&self.author.name),
            plain(&self.author.email)
        );
        let mut stream = format!(
            "commit {}\nauthor {person}\ncommitter {person}\n",
            self.reference()
        );
        stream.push_str(&format!("data {}\n{}\n", self.message.len(), self.message));
        if let Some(onto) = onto {
            stream.push_str(&format!("from {onto}\n"));
        }
        let mut stream = stream.into_bytes();
        for (path, content) in &self.files {
            push_file(&mut stream, path, content.as_deref());
        }
        stream.extend_from_slice(b"\ndone\n");
        stream
    }
}

fn push_file(stream: &mut Vec<u8>, path: &str, content: Option<&[u8]>) {
    let path = quoted(path);
    let Some(content) = content else {
        stream.extend_from_slice(format!("D {path}\n").as_bytes());
        return;
    };
    stream
        .extend_from_slice(format!("M 100644 inline {path}\ndata {}\n", content.len()).as_bytes());
    stream.extend_from_slice(content);
    stream.push(b'\n');
}

/// A name that cannot end its field or its line.
fn plain(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, '<' | '>') && !c.is_control())
        .collect()
}

fn quoted(path: &str) -> String {
    let escaped = path
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{escaped}\"")
}
