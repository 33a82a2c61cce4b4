//! Compiles the contract in process: no `protoc`, nothing generated is checked in.

use std::{env, error::Error, fs, path::PathBuf};

#[expect(
    clippy::disallowed_methods,
    reason = "cargo passes folders to build scripts in environment variables"
)]
fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    println!("cargo:rerun-if-changed={}", root.join("causeway").display());
    println!("cargo:rerun-if-changed={}", root.join("google").display());
    let mut compiler = protox::Compiler::new([&root])?;
    compiler.include_source_info(true).include_imports(true);
    compiler.open_files(sources(&root.join("causeway"))?)?;
    // The encoded form keeps the options that the contract defines; a decoded set would lose them.
    fs::write(
        out.join("contract.fds"),
        compiler.encode_file_descriptor_set(),
    )?;
    tonic_prost_build::configure()
        .bytes(".")
        .btree_map(".")
        .compile_fds(compiler.file_descriptor_set())?;
    Ok(())
}

fn sources(folder: &std::path::Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "proto")
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
