//! What may be in the image: what the packages put there that its Dockerfile names, what it copies, and what it makes.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

/// The packages that come with `ca-certificates` and `git`, by their names without versions, beyond those of the base.
const PACKAGES: [&str; 26] = [
    "ca-certificates",
    "git",
    "git-man",
    "libbrotli1",
    "libcurl3-gnutls",
    "liberror-perl",
    "libexpat1",
    "libgdbm-compat4",
    "libgdbm6",
    "libgssapi-krb5-2",
    "libk5crypto3",
    "libkeyutils1",
    "libkrb5-3",
    "libkrb5support0",
    "libldap-2.5-0",
    "libnghttp2-14",
    "libperl5.36",
    "libpsl5",
    "librtmp1",
    "libsasl2-2",
    "libsasl2-modules-db",
    "libssh2-1",
    "libssl3",
    "openssl",
    "perl",
    "perl-modules-5.36",
];
/// Files that belong to no package and are not of the base: what the Dockerfile copies and makes of it, what packages make when they are installed,
/// and what the builder puts in a container's place.
const OTHERS: [&str; 10] = [
    "etc/ca-certificates.conf",
    "etc/hostname",
    "etc/hosts",
    "etc/resolv.conf",
    "etc/ssl/certs/*",
    "usr/local/bin/causeway",
    "usr/share/bash-completion/completions/causeway",
    "usr/share/man/man1/causeway*",
    "var/cache/apt/archives/lock",
    "var/lib/apt/extended_states",
];
/// Programs that make programs, or fetch them.
const TOOLS: [&str; 14] = [
    "as", "c++", "cargo", "cc", "clang", "curl", "g++", "gcc", "go", "ld", "make", "python3",
    "rustc", "wget",
];
const MUST: [&str; 6] = [
    "etc/ssl/certs/ca-certificates.crt",
    "usr/bin/git",
    "usr/local/bin/causeway",
    "usr/share/bash-completion/completions/causeway",
    "usr/share/man/man1/causeway-app-sync.1",
    "usr/share/man/man1/causeway.1",
];
/// Who runs it.
const USER: u32 = 65532;

/// What a system has before anything is added.
pub(crate) struct Base {
    packages: BTreeSet<String>,
    files: BTreeSet<PathBuf>,
}

pub(crate) fn of_base(root: &Path) -> Base {
    Base {
        packages: packages(root),
        files: walk(root).into_iter().collect(),
    }
}

/// What is in the tree of an image that should not be, and what is not that should. Each is one line.
pub(crate) fn faults(root: &Path, base: &Base) -> Vec<String> {
    let mut faults = Vec::new();
    for package in packages(root).difference(&base.packages) {
        if !PACKAGES.contains(&package.as_str()) {
            faults.push(format!("the package {package} is in it"));
        }
    }
    let owned = owned(root);
    for path in walk(root) {
        let shown = path.display().to_string();
        let file = fs::symlink_metadata(root.join(&path)).unwrap();
        if file.is_file() && file.permissions().mode() & 0o6000 != 0 {
            faults.push(format!("{shown} lets who starts it be another user"));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let program = ["bin", "sbin"]
            .iter()
            .any(|bin| path.parent().is_some_and(|folder| folder.ends_with(bin)));
        if program && TOOLS.contains(&name.as_ref()) {
            faults.push(format!("{shown} is in it"));
        }
        let made =
            path.starts_with("var/lib/dpkg") || OTHERS.iter().any(|other| matches(other, &shown));
        if !file.is_dir() && !made && !owned.contains(&merged(&path)) && !base.files.contains(&path)
        {
            faults.push(format!(
                "{shown} comes from no package and from no line of the Dockerfile"
            ));
        }
        if file.uid() == USER && !path.starts_with("var/lib/causeway") {
            faults.push(format!("{shown} may be written by who runs it"));
        }
    }
    let absent = MUST.iter().filter(|file| !root.join(file).exists());
    faults.extend(absent.map(|file| format!("{file} is not in it")));
    faults
}

/// How much is in a file, or in all files below a folder.
pub(crate) fn bytes(path: &Path) -> u64 {
    let files = walk(path).into_iter().map(|file| path.join(file));
    let sizes = files.filter_map(|file| fs::symlink_metadata(file).ok());
    let own =
        fs::symlink_metadata(path).map_or(0, |file| if file.is_file() { file.len() } else { 0 });
    own + sizes
        .filter(fs::Metadata::is_file)
        .map(|file| file.len())
        .sum::<u64>()
}

/// All that is below a folder, by its path from there.
fn walk(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(root.join(&folder)) else {
            continue;
        };
        for entry in entries {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                open.push(path.clone());
            }
            found.push(path);
        }
    }
    found
}

fn packages(root: &Path) -> BTreeSet<String> {
    let status = fs::read_to_string(root.join("var/lib/dpkg/status")).unwrap_or_default();
    let names = status
        .lines()
        .filter_map(|line| line.strip_prefix("Package: "));
    names.map(str::to_owned).collect()
}

/// The files that packages say are theirs.
fn owned(root: &Path) -> BTreeSet<PathBuf> {
    let lists = fs::read_dir(root.join("var/lib/dpkg/info"))
        .into_iter()
        .flatten();
    let lists = lists.filter_map(|entry| Some(entry.ok()?.path()));
    let lists = lists.filter(|path| {
        path.extension()
            .is_some_and(|extension| extension == "list")
    });
    let texts = lists.map(|path| fs::read_to_string(path).unwrap());
    let lines = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    lines
        .filter_map(|line| Some(merged(Path::new(line.strip_prefix('/')?))))
        .collect()
}

/// Where /bin is /usr/bin, packages may name either.
fn merged(path: &Path) -> PathBuf {
    let first = path
        .components()
        .next()
        .map(|first| first.as_os_str().to_string_lossy().into_owned());
    match first.as_deref() {
        Some("bin" | "sbin" | "lib" | "lib64") => Path::new("usr").join(path),
        _ => path.to_owned(),
    }
}

/// A `*` at the end is any text.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => text.starts_with(beginning),
        None => text == pattern,
    }
}

#[test]
fn unexpected_image_content_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let write = |path: &str, mode: u32| {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "x").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    };
    for file in MUST {
        write(file, 0o755);
    }
    write("var/lib/dpkg/status", 0o644);
    fs::write(root.join("var/lib/dpkg/status"), "Package: git\n").unwrap();
    write("var/lib/dpkg/info/git.list", 0o644);
    fs::write(root.join("var/lib/dpkg/info/git.list"), "/bin/git\n").unwrap();
    let base = Base {
        packages: BTreeSet::new(),
        files: BTreeSet::new(),
    };
    assert_eq!(faults(root, &base), Vec::<String>::new());

    write("bin/su", 0o4755);
    write("usr/bin/gcc", 0o755);
    write("root/.cargo/config", 0o644);
    fs::write(
        root.join("var/lib/dpkg/status"),
        "Package: git\n\nPackage: curl\n",
    )
    .unwrap();
    fs::remove_file(root.join("etc/ssl/certs/ca-certificates.crt")).unwrap();
    let found = faults(root, &base).join("\n");
    for wanted in [
        "the package curl is in it",
        "bin/su lets who starts it be another user",
        "usr/bin/gcc is in it",
        "root/.cargo/config comes from no package",
        "etc/ssl/certs/ca-certificates.crt is not in it",
    ] {
        assert!(found.contains(wanted), "{wanted}: {found}");
    }
}
