//! How the binary is linked.

use std::env::var;

/// Equal functions, of which generic code has many, are kept once: without it the binary is some megabytes larger. Only where the
/// linker is the one that Rust brings along, which knows how.
#[expect(
    clippy::disallowed_methods,
    reason = "cargo tells a build script what is built by variables alone"
)]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let release = var("PROFILE").is_ok_and(|profile| profile == "release");
    let linker = var("TARGET").is_ok_and(|target| target == "x86_64-unknown-linux-gnu");
    if release && linker {
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
    }
}
