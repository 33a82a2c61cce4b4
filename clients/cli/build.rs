//! How the binary is linked, and the chart of the runtime that it brings along.

use std::{
    env::var,
    fs, io,
    path::{Path, PathBuf},
};

/// Equal functions, of which generic code has many, are kept once: without it the binary is some megabytes larger. Only where the
/// linker is the one that Rust brings along, which knows how.
#[expect(
    clippy::disallowed_methods,
    reason = "cargo tells a build script what is built by variables alone"
)]
fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    let release = var("PROFILE").is_ok_and(|profile| profile == "release");
    let linker = var("TARGET").is_ok_and(|target| target == "x86_64-unknown-linux-gnu");
    if release && linker {
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
    }
    let folder = PathBuf::from(var("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(var("OUT_DIR").unwrap_or_default());
    embed_chart(&folder.join("../../helm"), &out.join("chart.rs"))
}

/// Writes the files of the chart as a table of paths and contents.
fn embed_chart(helm: &Path, out: &Path) -> io::Result<()> {
    println!("cargo:rerun-if-changed={}", helm.display());
    let chart = helm.join("causeway-runtime").canonicalize()?;
    let mut files = Vec::new();
    collect(&chart, &mut files)?;
    files.sort();
    let mut text = "&[\n".to_owned();
    for file in files {
        let name = file.strip_prefix(&chart).map_err(io::Error::other)?;
        let (name, file) = (name.display().to_string(), file.display().to_string());
        text.push_str(&format!("    ({name:?}, include_bytes!({file:?})),\n"));
    }
    text.push_str("]\n");
    fs::write(out, text)
}

/// Lists the files below a folder. The folder of shared templates is a link, which this follows.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
