//! The bytes of an OCI image archive: a tar file of blobs named by their SHA-256, the layer among them, and an index.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, BufWriter, Cursor, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use super::{Entry, Image, ImageDigest, ImageError};

const LAYER: &str = "application/vnd.oci.image.layer.v1.tar";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// A finished part of the archive.
struct Blob {
    digest: String,
    size: u64,
}

/// Writer that counts and hashes.
struct Measured<W> {
    inner: W,
    hash: Sha256,
    size: u64,
}

pub(super) fn write(image: &Image, path: &Path) -> Result<ImageDigest, ImageError> {
    let failed = |source| ImageError::Write {
        path: path.to_owned(),
        source,
    };
    let layer_path = path.with_extension("layer");
    let mut layer_file = File::create_new(&layer_path).map_err(failed)?;
    // An open file without a name goes away by itself, whatever happens.
    std::fs::remove_file(&layer_path).map_err(failed)?;
    let layer = write_layer(image, &mut layer_file, &failed)?;
    let archive = File::create(path).map_err(failed)?;
    let digest = write_blobs(image, archive, layer_file, &layer).map_err(failed)?;
    Ok(ImageDigest(digest))
}

fn write_layer(
    image: &Image,
    file: &mut File,
    failed: &impl Fn(io::Error) -> ImageError,
) -> Result<Blob, ImageError> {
    let measured = Measured {
        inner: BufWriter::new(file),
        hash: Sha256::new(),
        size: 0,
    };
    let mut tar = Builder::new(measured);
    for path in missing_folders(image) {
        add(&mut tar, &path, &Entry::Folder { mode: 0o755 }).map_err(failed)?;
    }
    for (path, entry) in &image.entries {
        add(&mut tar, path, entry).map_err(|source| reading(image, entry, path, source))?;
    }
    let mut measured = tar.into_inner().map_err(failed)?;
    measured.flush().map_err(failed)?;
    Ok(measured.blob())
}

fn reading(image: &Image, entry: &Entry, path: &Path, source: io::Error) -> ImageError {
    let path = match entry {
        Entry::File { from, .. } => from.clone(),
        Entry::Folder { .. } | Entry::Text { .. } | Entry::Link { .. } => path.to_owned(),
    };
    ImageError::Read {
        image: image.name.clone(),
        path,
        source,
    }
}

/// Parent folders that no entry names, outer ones first.
fn missing_folders(image: &Image) -> BTreeSet<PathBuf> {
    let above = image
        .entries
        .keys()
        .flat_map(|path| path.ancestors().skip(1));
    above
        .filter(|path| !path.as_os_str().is_empty() && !image.entries.contains_key(*path))
        .map(Path::to_owned)
        .collect()
}

fn add<W: Write>(tar: &mut Builder<W>, path: &Path, entry: &Entry) -> io::Result<()> {
    match entry {
        Entry::Folder { mode } => {
            let mut header = header(EntryType::Directory, *mode, 0);
            tar.append_data(&mut header, path, io::empty())
        }
        Entry::Text { text, mode } => {
            let mut header = header(EntryType::Regular, *mode, text.len() as u64);
            tar.append_data(&mut header, path, text.as_bytes())
        }
        Entry::Link { to } => {
            let mut header = header(EntryType::Symlink, 0o777, 0);
            tar.append_link(&mut header, path, to)
        }
        Entry::File { from, mode } => {
            let file = File::open(from)?;
            let size = file.metadata()?.len();
            let mut header = header(EntryType::Regular, *mode, size);
            // A file that grows meanwhile must not spoil the archive.
            tar.append_data(&mut header, path, file.take(size))
        }
    }
}

/// A header without anything of this machine: no time, no owner.
fn header(kind: EntryType, mode: u32, size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header
}

fn write_blobs(image: &Image, archive: File, mut file: File, layer: &Blob) -> io::Result<String> {
    let mut tar = Builder::new(BufWriter::new(archive));
    let version = json!({"imageLayoutVersion": "1.0.0"});
    add_bytes(&mut tar, "oci-layout", version.to_string().as_bytes())?;
    file.seek(SeekFrom::Start(0))?;
    let mut layer_header = header(EntryType::Regular, 0o644, layer.size);
    tar.append_data(&mut layer_header, blob_path(&layer.digest), file)?;
    let config = add_blob(&mut tar, &config(image, layer))?;
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": descriptor(CONFIG, &config),
        "layers": [descriptor(LAYER, layer)],
    });
    let manifest = add_blob(&mut tar, &manifest)?;
    let mut named = descriptor(MANIFEST, &manifest);
    named["annotations"] = json!({"io.containerd.image.name": image.name});
    let index = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": [named]});
    add_bytes(&mut tar, "index.json", index.to_string().as_bytes())?;
    tar.into_inner()?.flush()?;
    Ok(manifest.digest)
}

fn config(image: &Image, layer: &Blob) -> Value {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let mut start = json!({"Env": image.environment, "WorkingDir": "/"});
    if !image.entrypoint.is_empty() {
        start["Entrypoint"] = json!(image.entrypoint);
    }
    if let Some(user) = &image.user {
        start["User"] = json!(user);
    }
    json!({
        "architecture": architecture,
        "os": "linux",
        "config": start,
        "rootfs": {"type": "layers", "diff_ids": [layer.digest]},
    })
}

fn descriptor(media_type: &str, blob: &Blob) -> Value {
    json!({"mediaType": media_type, "digest": blob.digest, "size": blob.size})
}

fn add_blob<W: Write>(tar: &mut Builder<W>, content: &Value) -> io::Result<Blob> {
    let bytes = content.to_string().into_bytes();
    let blob = Blob {
        digest: shown(Sha256::new_with_prefix(&bytes)),
        size: bytes.len() as u64,
    };
    add_bytes(tar, &blob_path(&blob.digest), &bytes)?;
    Ok(blob)
}

fn add_bytes<W: Write>(tar: &mut Builder<W>, path: &str, bytes: &[u8]) -> io::Result<()> {
    let mut header = header(EntryType::Regular, 0o644, bytes.len() as u64);
    tar.append_data(&mut header, path, Cursor::new(bytes))
}

fn blob_path(digest: &str) -> String {
    format!("blobs/{}", digest.replace(':', "/"))
}

fn shown(hash: Sha256) -> String {
    let hex = hash
        .finalize()
        .iter()
        .fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    format!("sha256:{hex}")
}

impl<W> Measured<W> {
    fn blob(self) -> Blob {
        Blob {
            digest: shown(self.hash),
            size: self.size,
        }
    }
}

impl<W: Write> Write for Measured<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
