//! Embeds `dist/` by its manifest. Runs no npm and downloads nothing.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// Lets a release build go on without the web UI, for benchmarks.
const WITHOUT: &str = "CAUSEWAY_WITHOUT_WEB";
/// Size limit of one file; the largest one is below 1 MiB.
const LARGEST_FILE: usize = 16 << 20;

#[expect(
    clippy::disallowed_methods,
    reason = "cargo passes folders and the profile in environment variables"
)]
fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let release = env::var("PROFILE")? == "release";
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=dist.stamp");
    println!("cargo:rerun-if-env-changed={WITHOUT}");
    let dist = root.join("dist");
    let manifest = dist.join("manifest.txt");
    let table = if manifest.exists() {
        // A path that is missing would make every build run this again.
        println!("cargo:rerun-if-changed=dist/manifest.txt");
        table(&fs::read_to_string(manifest)?, &dist, &out)?
    } else if release && env::var_os(WITHOUT).is_none_or(|value| value.is_empty()) {
        return Err(format!("the web UI is not built: run 'make web', or set {WITHOUT}=1").into());
    } else {
        println!("cargo:warning=the web UI is not built and will be missing: run 'make web'");
        String::new()
    };
    let code = format!("pub(crate) static ASSETS: &[Asset] = &[\n{table}];\n");
    fs::write(out.join("assets.rs"), code)?;
    Ok(())
}

fn table(manifest: &str, dist: &Path, out: &Path) -> Result<String, Box<dyn Error>> {
    let mut table = String::new();
    for (number, line) in manifest.lines().enumerate() {
        let fields: Vec<_> = line.split('\t').collect();
        let [path, kind, digest, forms] = fields.as_slice() else {
            return Err(format!("dist/manifest.txt:{}: not four fields", number + 1).into());
        };
        let form = |name: &str, ending: &str| {
            let there = forms.split(',').any(|form| form == name);
            there.then(|| copy(&dist.join(format!("{path}{ending}")), out, number, name))
        };
        let raw = form("raw", "").ok_or("dist/manifest.txt: a file without raw")??;
        let gzip = form("gz", ".gz").transpose()?;
        let brotli = form("br", ".br").transpose()?;
        let optional = |bytes: Option<String>| {
            bytes.map_or("None".to_owned(), |bytes| format!("Some({bytes})"))
        };
        writeln!(
            table,
            "Asset {{ path: {path:?}, content_type: {kind:?}, sha256: {digest:?}, raw: {raw}, gzip: {}, brotli: {} }},",
            optional(gzip),
            optional(brotli)
        )?;
    }
    Ok(table)
}

/// Copies a file, so that a later build of `dist/` cannot change what this one embeds. Returns the expression that includes it.
fn copy(from: &Path, out: &Path, number: usize, form: &str) -> Result<String, Box<dyn Error>> {
    let bytes = fs::read(from).map_err(|error| format!("{}: {error}", from.display()))?;
    if bytes.len() > LARGEST_FILE {
        return Err(format!("{} is larger than {LARGEST_FILE} bytes", from.display()).into());
    }
    let name = format!("{number}.{form}");
    fs::write(out.join(&name), bytes)?;
    Ok(format!(
        "include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\"))"
    ))
}
