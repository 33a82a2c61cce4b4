//! The files of the repository, and how long they may be.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Maximum lines of a source file. One file about one thing is easier to read than nine about its parts.
const LONGEST: usize = 600;
const LONGEST_MAIN: usize = 15;
const LONGEST_SERVE: usize = 60;

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Every file below a folder of the repository with one of these endings, without what is built or fetched.
pub(crate) fn files(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(&root().join(folder), endings, &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            let fetched = ["target", "node_modules", "data", ".git"].contains(&name.as_str());
            if !fetched && !path.ends_with(".ci/tools") {
                collect(&path, endings, found);
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
}

pub(crate) fn sources() -> Vec<PathBuf> {
    files("", &[".rs"])
}

/// The path as it is written in the repository.
pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().display().to_string()
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The sandbox and the real clusters are below `tests/`, but they are programs with tests of their own.
pub(crate) fn is_test(path: &Path) -> bool {
    let text = shown(path);
    let text = text.strip_prefix("tests/world/").unwrap_or(&text);
    text.starts_with("tests/") || text.contains("/tests/") || text.ends_with("tests.rs")
}

#[test]
fn sources_are_found_at_all() {
    assert!(sources().len() > 100, "{}", sources().len());
}

#[test]
fn no_file_is_too_long() {
    let long = sources().into_iter().filter(|path| !is_test(path));
    let long: Vec<_> = long
        .map(|path| (read(&path).lines().count(), shown(&path)))
        .filter(|(lines, _)| *lines > LONGEST)
        .collect();
    assert!(long.is_empty(), "longer than {LONGEST} lines: {long:?}");
}

#[test]
fn one_main_is_shipped_and_one_starts_clusters_and_both_are_short() {
    let mains: Vec<_> = files("", &["main.rs"]);
    let shipped: Vec<_> = mains.iter().filter(|path| !is_test(path)).collect();
    assert_eq!(
        shipped.iter().map(|path| shown(path)).collect::<Vec<_>>(),
        ["clients/cli/src/main.rs", "tests/world/cluster/src/main.rs"]
    );
    for path in shipped {
        let lines = read(path).lines().count();
        assert!(lines <= LONGEST_MAIN, "{} has {lines} lines", shown(path));
    }
}

#[test]
fn no_module_is_called_mod_and_no_room_is_without_a_noun() {
    for path in sources() {
        let name = shown(&path);
        assert!(!name.ends_with("/mod.rs"), "{name}");
        for word in ["common", "utils", "util", "helpers", "helper", "misc"] {
            let room = format!("/{word}/");
            assert!(
                !name.contains(&room) && !name.ends_with(&format!("/{word}.rs")),
                "{name}"
            );
        }
    }
}

#[test]
fn starting_a_part_takes_few_lines() {
    for path in files("services", &["lib.rs"]) {
        let text = read(&path);
        let Some(start) = text.find("pub fn serve(") else {
            continue;
        };
        let end = text[start..]
            .find("\n}\n")
            .map_or(text.len(), |end| start + end);
        let lines = text[start..end].lines().count();
        assert!(
            lines <= LONGEST_SERVE,
            "serve in {} has {lines} lines",
            shown(&path)
        );
    }
}
