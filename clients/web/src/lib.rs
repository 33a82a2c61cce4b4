//! The built web UI as constants: each file with its content type, digest and compressed forms.
//!
//! `make web` builds it. A binary that was built without it has one page, which tells how to build it.

/// A file of the web UI.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// Path relative to the build folder, such as `assets/index-1a2b.js`.
    pub path: &'static str,
    pub content_type: &'static str,
    /// Digest of [`Self::raw`] in hexadecimal digits.
    pub sha256: &'static str,
    pub raw: &'static [u8],
    /// Present where it is smaller than [`Self::raw`].
    pub gzip: Option<&'static [u8]>,
    /// Present where it is smaller than [`Self::raw`].
    pub brotli: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

const INDEX: &str = "index.html";

/// The page of a binary that was built without the web UI.
static MISSING: Asset = Asset {
    path: INDEX,
    content_type: "text/html; charset=utf-8",
    sha256: "without-the-web-ui",
    raw: b"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Causeway</title></head><body><h1>Causeway</h1>\
<p>This binary was built without the web UI. Install Node.js and npm, run <code>make web</code>, then build again.</p>\
<p>The command line and the APIs work: see <code>causeway --help</code> and <a href=\"/openapi.json\">/openapi.json</a>.</p></body></html>\n",
    gzip: None,
    brotli: None,
};

/// True if the web UI is in this binary.
#[must_use]
pub fn is_embedded() -> bool {
    !ASSETS.is_empty()
}

/// Returns the start page.
#[must_use]
pub fn index() -> &'static Asset {
    asset(INDEX).unwrap_or(&MISSING)
}

/// Returns all files, ordered by path; none in a binary without the web UI.
pub fn files() -> impl Iterator<Item = &'static Asset> {
    ASSETS.iter()
}

/// Finds a file by its path relative to the build folder.
#[must_use]
pub fn asset(path: &str) -> Option<&'static Asset> {
    let found = ASSETS.binary_search_by(|asset| asset.path.cmp(path));
    found.ok().map(|index| &ASSETS[index])
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use sha2::{Digest as _, Sha256};

    use super::*;

    fn hex(bytes: &[u8]) -> String {
        let digest = Sha256::digest(bytes);
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn files_are_embedded_as_they_lie_on_disk() {
        let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("dist");
        let manifest = fs::read_to_string(dist.join("manifest.txt")).unwrap_or_default();
        assert_eq!(manifest.lines().count(), ASSETS.len());
        for (line, asset) in manifest.lines().zip(ASSETS) {
            let start = format!("{}\t{}\t{}\t", asset.path, asset.content_type, asset.sha256);
            assert!(line.starts_with(&start), "{line}");
            assert_eq!(hex(asset.raw), asset.sha256, "{}", asset.path);
        }
    }

    #[test]
    fn files_are_found_by_their_whole_path() {
        for known in ASSETS {
            assert_eq!(asset(known.path).unwrap().sha256, known.sha256);
        }
        for unknown in ["", "assets", "assets/", "../Cargo.toml", "manifest.txt"] {
            assert!(asset(unknown).is_none(), "{unknown}");
        }
    }

    #[test]
    fn the_start_page_is_there_in_every_build() {
        let page = std::str::from_utf8(index().raw).unwrap();
        let built = page.contains("<div id=\"root\">");
        assert_eq!(built, is_embedded(), "{page}");
        assert!(built || page.contains("make web"), "{page}");
    }
}
