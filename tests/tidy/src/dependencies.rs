//! clients/web, proto <- services/lib <- services <- clients/cli <- tests, and no service on a service.

use std::collections::{BTreeMap, BTreeSet};

use crate::files::{files, read, shown};

/// The rooms in the order of their dependencies: a crate depends on its own room only where `INSIDE` allows it, and never on a later one.
const ROOMS: [&str; 7] = [
    "clients/web/",
    "proto/",
    "services/lib/",
    "services/",
    "tests/world/",
    "clients/",
    "tests/",
];
/// Rooms whose crates may depend on each other. Services may not.
const INSIDE: [&str; 3] = ["services/lib/", "tests/world/", "tests/"];

fn room(path: &str) -> usize {
    let of = |room: &&str| path.starts_with(room);
    // `services/lib/`, `tests/world/` and `clients/web/` are also below shorter ones.
    let mut found = ROOMS.iter().enumerate().filter(|(_, room)| of(room));
    let longest = found.by_ref().max_by_key(|(_, room)| room.len());
    longest.unwrap_or_else(|| panic!("{path} is in no room")).0
}

/// The crates of ours that a manifest names outside its tests.
fn ours(manifest: &str) -> Vec<String> {
    let before_tests = manifest
        .split("[dev-dependencies]")
        .next()
        .unwrap_or_default();
    let table = before_tests
        .split("[dependencies]")
        .nth(1)
        .unwrap_or_default();
    let names = table
        .lines()
        .filter_map(|line| line.split(['.', ' ', '=']).next());
    let ours = names.filter(|name| name.starts_with("causeway-"));
    let mut ours: Vec<_> = ours.map(str::to_owned).collect();
    ours.sort();
    ours
}

fn manifest(path: &str) -> Vec<String> {
    let found = files(path, &["Cargo.toml"]);
    assert_eq!(found.len(), 1, "{path}");
    ours(&read(&found[0]))
}

/// The room of each crate of ours, by the crate's name.
fn rooms() -> BTreeMap<String, usize> {
    let manifests = files("", &["Cargo.toml"]).into_iter();
    let crates = manifests.filter(|path| shown(path) != "Cargo.toml");
    crates
        .filter_map(|path| {
            let text = read(&path);
            let name = text.lines().find_map(|line| line.strip_prefix("name = "))?;
            Some((name.trim_matches('"').to_owned(), room(&shown(&path))))
        })
        .collect()
}

#[test]
fn arrows_between_rooms_go_one_way() {
    let rooms = rooms();
    let mut arrows = 0;
    for path in files("", &["Cargo.toml"]) {
        if shown(&path) == "Cargo.toml" {
            continue;
        }
        let from = room(&shown(&path));
        for name in ours(&read(&path)) {
            let to = rooms[&name];
            let allowed = to < from || to == from && INSIDE.contains(&ROOMS[from]);
            assert!(allowed, "{} depends on {name}", shown(&path));
            arrows += 1;
        }
    }
    assert!(arrows > 50, "only {arrows} dependencies were found");
}

#[test]
fn the_libraries_of_services_depend_on_each_other_in_one_order() {
    assert_eq!(manifest("proto"), Vec::<String>::new());
    assert_eq!(manifest("clients/web"), Vec::<String>::new());
    assert_eq!(manifest("services/lib/websocket"), Vec::<String>::new());
    assert_eq!(manifest("services/lib/database"), Vec::<String>::new());
    assert_eq!(manifest("services/lib/oidc"), Vec::<String>::new());
    assert_eq!(manifest("services/lib/patch"), Vec::<String>::new());
    assert_eq!(manifest("services/lib/git"), ["causeway-patch"]);
    assert_eq!(manifest("services/lib/assertion"), ["causeway-proto"]);
    assert_eq!(manifest("services/lib/git-source"), ["causeway-assertion"]);
    assert_eq!(
        manifest("services/lib/shell"),
        ["causeway-assertion", "causeway-proto"]
    );
    assert_eq!(
        manifest("services/lib/relay"),
        ["causeway-proto", "causeway-shell"]
    );
    assert_eq!(
        manifest("services/lib/client"),
        ["causeway-assertion", "causeway-proto", "causeway-shell"]
    );
    assert_eq!(manifest("services/lib/argocd"), ["causeway-shell"]);
    assert_eq!(
        manifest("services/lib/reporting"),
        [
            "causeway-argocd",
            "causeway-client",
            "causeway-proto",
            "causeway-shell"
        ]
    );
    assert_eq!(manifest("tests/world/sandbox"), Vec::<String>::new());
    // Its Git server.
    assert_eq!(manifest("tests/world/cluster"), ["causeway-sandbox"]);
}

#[test]
fn versions_are_written_once_at_the_root() {
    for path in files("", &["Cargo.toml"]) {
        if shown(&path) == "Cargo.toml" {
            continue;
        }
        let text = read(&path);
        let table = text.split("dependencies]").skip(1).collect::<String>();
        let line = table.lines().find(|line| line.contains("version = "));
        assert_eq!(line, None, "{}", shown(&path));
    }
}

#[test]
fn the_contract_is_in_one_place() {
    for path in files("", &[".proto"]) {
        assert!(shown(&path).starts_with("proto/"), "{}", shown(&path));
    }
}

/// Names that only generated code uses.
const GENERATED: [(&str, &str); 1] = [("proto/Cargo.toml", "tonic-prost")];

/// The dependencies in all tables of a manifest whose heading ends with `heading`.
fn dependencies(manifest: &str, heading: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.ends_with(heading);
        } else if inside && line.starts_with(|first: char| first.is_ascii_alphanumeric()) {
            let name = line.split(['.', ' ', '=']).next();
            found.extend(name.map(str::to_owned));
        }
    }
    found
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word).any(|(start, _)| {
        let end = start + word.len();
        !text[..start].ends_with(is_part) && !text[end..].starts_with(is_part)
    })
}

#[test]
fn workspace_dependencies_are_used_by_a_crate() {
    let root = read(&crate::files::root().join("Cargo.toml"));
    let mut unused = dependencies(&root, "[workspace.dependencies]");
    assert!(unused.len() > 50, "only {} were found", unused.len());
    for path in files("", &["Cargo.toml"]) {
        if shown(&path) != "Cargo.toml" {
            for name in dependencies(&read(&path), "dependencies]") {
                unused.remove(&name);
            }
        }
    }
    assert!(unused.is_empty(), "no crate depends on {unused:?}");
}

#[test]
fn dependencies_are_named_in_the_sources_of_their_crate() {
    let mut unused = Vec::new();
    for path in files("", &["Cargo.toml"]) {
        let manifest = shown(&path);
        let Some(folder) = manifest.strip_suffix("/Cargo.toml") else {
            continue;
        };
        let sources: String = files(folder, &[".rs"]).iter().map(|it| read(it)).collect();
        for name in dependencies(&read(&path), "dependencies]") {
            let generated = GENERATED.contains(&(manifest.as_str(), name.as_str()));
            if !generated && !has_word(&sources, &name.replace('-', "_")) {
                unused.push(format!("{manifest}: {name}"));
            }
        }
    }
    assert!(unused.is_empty(), "remove {unused:#?}");
}
