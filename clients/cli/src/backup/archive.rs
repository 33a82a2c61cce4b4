//! The file: a tar that any tar reads, whose last members are the manifest, with the digest of every other one, the root key's
//! signature over it, and its digest. A member is small, so nothing of a large platform has to be in memory at once.

use std::{
    fs::{File, OpenOptions},
    io::{BufReader, BufWriter, Read, Seek as _, SeekFrom, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail, ensure};
use causeway_assertion::SigningKey;
use sha2::{Digest as _, Sha256};

use super::{
    manifest::{Manifest, Member, hex},
    signature::Signature,
};
use crate::output::Progress;

const MANIFEST: &str = "manifest.json";
const SIGNATURE: &str = "manifest.signature";
const DIGEST: &str = "manifest.sha256";
/// More than any member has that was made here.
const MOST_BYTES: u64 = 256 << 20;
const MOST_MEMBERS: usize = 1_000_000;
const LEVEL: i32 = 3;
const DAMAGED: &str = "it is damaged, or no backup";

/// A backup that is being written, under another name until it is whole.
pub(super) struct Pack {
    tar: tar::Builder<BufWriter<File>>,
    place: PathBuf,
    unfinished: PathBuf,
    members: Vec<Member>,
}

impl Pack {
    pub(super) fn begin(place: &Path) -> anyhow::Result<Self> {
        let named = || format!("--out {}", place.display());
        if place.exists() {
            bail!("{}: it is there already; name another file", named());
        }
        let name = place.file_name().with_context(named)?;
        let unfinished = format!(".{}.{}.unfinished", name.display(), std::process::id());
        let unfinished = place.with_file_name(unfinished);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let file = options.open(&unfinished).with_context(named)?;
        Ok(Self {
            tar: tar::Builder::new(BufWriter::new(file)),
            place: place.to_owned(),
            unfinished,
            members: Vec::new(),
        })
    }

    /// Adds a file.
    pub(super) fn add(&mut self, name: String, content: &[u8]) -> anyhow::Result<()> {
        self.put(&name, content)?;
        self.members.push(Member {
            name,
            bytes: content.len() as u64,
            sha256: hex(&Sha256::digest(content)),
        });
        Ok(())
    }

    /// Adds a file that is packed.
    pub(super) fn add_packed(&mut self, name: String, content: &[u8]) -> anyhow::Result<()> {
        let packed = zstd::bulk::compress(content, LEVEL).context("cannot pack")?;
        self.add(name, &packed)
    }

    /// Writes what there is to say of it, signed where there is a root key, and puts it into its place. Gives the manifest's digest.
    pub(super) fn finish(
        mut self,
        mut manifest: Manifest,
        root: Option<&SigningKey>,
    ) -> anyhow::Result<String> {
        manifest.files = std::mem::take(&mut self.members);
        let text = serde_json::to_vec_pretty(&manifest).context("writing JSON")?;
        let digest = hex(&Sha256::digest(&text));
        self.put(MANIFEST, &text)?;
        if let Some(root) = root {
            self.put(SIGNATURE, &Signature::sign(&text, root)?.to_bytes()?)?;
        }
        self.put(DIGEST, format!("{digest}  {MANIFEST}\n").as_bytes())?;
        self.tar.finish().context("cannot write")?;
        let buffer = self.tar.get_mut();
        buffer.flush().context("cannot write")?;
        buffer.get_ref().sync_all().context("cannot write")?;
        // Not a rename: what came there meanwhile is not written over.
        let put = std::fs::hard_link(&self.unfinished, &self.place);
        put.with_context(|| format!("--out {}", self.place.display()))?;
        let folder = self.place.parent().filter(|it| !it.as_os_str().is_empty());
        let folder = File::open(folder.unwrap_or(Path::new("."))).and_then(|it| it.sync_all());
        folder.context("cannot write")?;
        Ok(digest)
    }

    fn put(&mut self, name: &str, content: &[u8]) -> anyhow::Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o600);
        header.set_mtime(0);
        let added = self.tar.append_data(&mut header, name, content);
        added.context("cannot write")
    }
}

impl Drop for Pack {
    fn drop(&mut self) {
        // It has its place under another name, or is of no use.
        let _ = std::fs::remove_file(&self.unfinished);
    }
}

/// Backup whose files match their digests.
pub(super) struct VerifiedBackup {
    pub(super) manifest: Manifest,
    /// The id of the root key that signed it; none where it has no signature.
    pub(super) signer: Option<String>,
    file: File,
    places: Vec<u64>,
}

impl VerifiedBackup {
    /// Reads all of it.
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let named = || path.display().to_string();
        let file = File::open(path).with_context(named)?;
        let bytes = file.metadata().with_context(named)?.len();
        let found = FoundManifest::read(&file, bytes).with_context(named)?;
        let manifest = found.manifest().with_context(named)?;
        Ok(Self {
            signer: found.signer(&manifest).with_context(named)?,
            manifest,
            file,
            places: found.places,
        })
    }

    /// A file of it, by its place in the manifest.
    pub(super) fn content(&mut self, place: usize) -> anyhow::Result<Vec<u8>> {
        let member = &self.manifest.files[place];
        let mut content = vec![0; usize::try_from(member.bytes)?];
        self.file.seek(SeekFrom::Start(self.places[place]))?;
        self.file.read_exact(&mut content)?;
        ensure!(
            hex(&Sha256::digest(&content)) == member.sha256,
            "it was changed meanwhile: {}",
            member.name
        );
        Ok(content)
    }
}

/// Reads a backup, and each of its files as one that was packed: for fuzz tests.
///
/// # Errors
/// It is no backup.
#[doc(hidden)]
pub fn read_backup(bytes: &[u8]) -> anyhow::Result<()> {
    let _ = unpacked(bytes);
    FoundManifest::read(bytes, bytes.len() as u64)?.manifest()?;
    Ok(())
}

/// Manifest of a file that claims to be a backup.
#[derive(Default)]
struct FoundManifest {
    members: Vec<Member>,
    places: Vec<u64>,
    manifest: Vec<u8>,
    signature: Vec<u8>,
    digest: Vec<u8>,
}

impl FoundManifest {
    fn read(file: impl Read, bytes: u64) -> anyhow::Result<Self> {
        let mut archive = tar::Archive::new(BufReader::new(file));
        let mut found = Self::default();
        let progress = Progress::bytes("reading", bytes);
        for entry in archive.entries().context(DAMAGED)? {
            let mut entry = entry.context(DAMAGED)?;
            let name = entry.path().context(DAMAGED)?.display().to_string();
            ensure!(
                entry.size() <= MOST_BYTES && found.members.len() < MOST_MEMBERS,
                "it is no backup: {name} is too large, or there is too much of it"
            );
            ensure!(
                found.digest.is_empty(),
                "it is damaged: {name} stands behind its end"
            );
            let mut content = Vec::new();
            entry.read_to_end(&mut content).context(DAMAGED)?;
            progress.advance(content.len() as u64);
            match name.as_str() {
                MANIFEST => found.manifest = content,
                SIGNATURE => found.signature = content,
                DIGEST => found.digest = content,
                _ => {
                    found.places.push(entry.raw_file_position());
                    found.members.push(Member {
                        bytes: content.len() as u64,
                        sha256: hex(&Sha256::digest(&content)),
                        name,
                    });
                }
            }
        }
        Ok(found)
    }

    /// What it says of itself, if that is what is in it.
    fn manifest(&self) -> anyhow::Result<Manifest> {
        ensure!(!self.digest.is_empty(), "{DAMAGED}: it has no end");
        let expected = format!("{}  {MANIFEST}\n", hex(&Sha256::digest(&self.manifest)));
        ensure!(
            self.digest == expected.as_bytes(),
            "it is damaged: its manifest is not what was written"
        );
        let manifest = Manifest::parse(&self.manifest)?;
        match differing(&self.members, &manifest.files) {
            Some(name) => bail!("it is damaged: {name} is not what was written"),
            None => Ok(manifest),
        }
    }

    /// The root key that signed it, which is the one that it names.
    fn signer(&self, manifest: &Manifest) -> anyhow::Result<Option<String>> {
        if self.signature.is_empty() {
            return Ok(None);
        }
        let signer = Signature::read(&self.signature)?.verified_signer(&self.manifest)?;
        ensure!(
            manifest.root_key.as_ref() == Some(&signer),
            "its signature is of another root key than the one that it names"
        );
        Ok(Some(signer))
    }
}

fn differing<'a>(found: &'a [Member], written: &'a [Member]) -> Option<&'a str> {
    let most = found.len().max(written.len());
    let place = (0..most).find(|place| found.get(*place) != written.get(*place))?;
    let member = written.get(place).or_else(|| found.get(place))?;
    Some(&member.name)
}

/// Unpacks a file that was packed.
pub(super) fn unpacked(content: &[u8]) -> anyhow::Result<String> {
    let most = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX);
    let mut text = String::new();
    let decoder = zstd::stream::read::Decoder::new(content).context("it is damaged")?;
    let mut limited = decoder.take(MOST_BYTES + 1);
    limited.read_to_string(&mut text).context("it is damaged")?;
    ensure!(text.len() <= most, "it is too large");
    Ok(text)
}
