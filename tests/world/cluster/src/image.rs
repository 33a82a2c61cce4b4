//! Container images without a container tool: one layer, made of files of this machine.
//!
//! Owns: the form of an OCI image archive, as `ctr images import` reads it. The same files give the same bytes, so the same digest.
//! Never: pulls, runs or changes an image.

use std::{
    collections::BTreeMap,
    fmt, io,
    path::{Path, PathBuf},
    process::Command,
};

mod archive;

/// Contents of an image: name, files and entrypoint.
#[derive(Clone, Debug)]
pub struct Image {
    name: String,
    entrypoint: Vec<String>,
    environment: Vec<String>,
    user: Option<String>,
    entries: BTreeMap<PathBuf, Entry>,
}

/// Entry at a path of an image.
#[derive(Clone, Debug)]
enum Entry {
    Folder { mode: u32 },
    File { from: PathBuf, mode: u32 },
    Text { text: String, mode: u32 },
    Link { to: PathBuf },
}

/// The SHA-256 of an image's manifest, shown as `sha256:` and 64 hex digits.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct ImageDigest(String);

/// Failure to write an image.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    #[error("cannot read {} for the image {image}: {source}", path.display())]
    Read {
        image: String,
        path: PathBuf,
        source: io::Error,
    },
    #[error("cannot write the image {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("ldd cannot tell the shared libraries of {}: {detail}", program.display())]
    Libraries { program: PathBuf, detail: String },
}

impl Image {
    /// An empty image. `name` is what a pod asks for, with host and tag: `registry.local/pause:1`.
    pub fn new(name: impl Into<String>) -> Self {
        let path = "PATH=/usr/local/bin:/usr/bin:/bin".to_owned();
        Self {
            name: name.into(),
            entrypoint: Vec::new(),
            environment: vec![path],
            user: None,
            entries: BTreeMap::new(),
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The program that a container starts, with its first arguments.
    #[must_use]
    pub fn entrypoint(mut self, words: &[&str]) -> Self {
        self.entrypoint = words.iter().map(|&word| word.to_owned()).collect();
        self
    }

    /// Sets a variable of the environment.
    #[must_use]
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.environment.push(format!("{name}={value}"));
        self
    }

    /// Sets the user, `UID` or `UID:GID` [root].
    #[must_use]
    pub fn user(mut self, user: &str) -> Self {
        self.user = Some(user.to_owned());
        self
    }

    /// Puts a folder into the image.
    #[must_use]
    pub fn folder(self, path: &str, mode: u32) -> Self {
        self.with(path, Entry::Folder { mode })
    }

    /// Puts the content of a file of this machine at `path`.
    #[must_use]
    pub fn file(self, path: &str, from: impl Into<PathBuf>, mode: u32) -> Self {
        let from = from.into();
        self.with(path, Entry::File { from, mode })
    }

    /// Puts a text at `path`.
    #[must_use]
    pub fn text(self, path: &str, text: &str, mode: u32) -> Self {
        let text = text.to_owned();
        self.with(path, Entry::Text { text, mode })
    }

    /// Puts a symbolic link at `path`.
    #[must_use]
    pub fn link(self, path: &str, to: &str) -> Self {
        self.with(path, Entry::Link { to: to.into() })
    }

    /// Puts a program at `path`, and the shared libraries that it asks for where it asks for them.
    pub fn program(self, path: &str, from: &Path) -> Result<Self, ImageError> {
        let image = self.file(path, from, 0o755);
        let libraries = shared_libraries(from)?;
        Ok(libraries.into_iter().fold(image, |image, library| {
            let from = PathBuf::from(&library);
            image.file(&library, from, 0o755)
        }))
    }

    /// Writes the archive.
    pub fn write_to(&self, archive: &Path) -> Result<ImageDigest, ImageError> {
        archive::write(self, archive)
    }

    fn with(mut self, path: &str, entry: Entry) -> Self {
        let path = path.trim_start_matches('/');
        self.entries.insert(path.into(), entry);
        self
    }
}

impl fmt::Display for ImageDigest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The absolute paths of the libraries and of the loader, none for a static program.
fn shared_libraries(program: &Path) -> Result<Vec<String>, ImageError> {
    let error = |detail: String| ImageError::Libraries {
        program: program.to_owned(),
        detail,
    };
    let ldd = Command::new("ldd").arg(program).output();
    let ldd = ldd.map_err(|cause| error(cause.to_string()))?;
    let listed = String::from_utf8_lossy(&ldd.stdout);
    let said = String::from_utf8_lossy(&ldd.stderr);
    if said.contains("not a dynamic executable") || listed.contains("statically linked") {
        return Ok(Vec::new());
    }
    if !ldd.status.success() {
        return Err(error(said.trim().to_owned()));
    }
    if let Some(missing) = listed.lines().find(|line| line.contains("not found")) {
        return Err(error(missing.trim().to_owned()));
    }
    let paths = listed.lines().filter_map(library_path);
    Ok(paths.map(str::to_owned).collect())
}

/// The path in a line of ldd: `libc.so.6 => /lib/libc.so.6 (0x7f…)` or `/lib64/ld-linux.so.2 (0x7f…)`.
fn library_path(line: &str) -> Option<&str> {
    let place = line.split_once("=>").map_or(line, |(_, place)| place);
    let path = place.trim().split(" (").next()?;
    path.starts_with('/').then_some(path)
}

#[cfg(test)]
mod tests;
