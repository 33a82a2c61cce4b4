//! proto <- shell <- client <- services <- cli <- tests, and no service on a service.

use crate::files::{files, read, shown};

/// Crates under services/ that every service may use: they are no parts.
const FOUNDATIONS: [&str; 8] = [
    "causeway-delta",
    "causeway-database",
    "causeway-reporting",
    "causeway-proto",
    "causeway-shell",
    "causeway-client",
    "causeway-argocd",
    "causeway-oidc",
];

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
    names
        .filter(|name| name.starts_with("causeway-"))
        .map(str::to_owned)
        .collect()
}

fn manifest(path: &str) -> Vec<String> {
    let found = files(path, &["Cargo.toml"]);
    assert_eq!(found.len(), 1, "{path}");
    ours(&read(&found[0]))
}

#[test]
fn the_foundations_stand_on_each_other_in_one_order() {
    assert_eq!(manifest("proto"), Vec::<String>::new());
    assert_eq!(manifest("services/shell"), ["causeway-proto"]);
    assert_eq!(manifest("services/websocket"), Vec::<String>::new());
    assert_eq!(manifest("services/delta"), Vec::<String>::new());
    assert_eq!(manifest("services/database"), Vec::<String>::new());
    assert_eq!(manifest("services/sandbox"), Vec::<String>::new());
    assert_eq!(
        manifest("services/reporting"),
        [
            "causeway-argocd",
            "causeway-client",
            "causeway-delta",
            "causeway-proto",
            "causeway-shell"
        ]
    );
    // Its Git server.
    assert_eq!(manifest("services/cluster"), ["causeway-sandbox"]);
    assert_eq!(
        manifest("clients/client"),
        ["causeway-proto", "causeway-shell"]
    );
}

#[test]
fn no_service_depends_on_a_service() {
    for path in files("services", &["Cargo.toml"]) {
        for name in ours(&read(&path)) {
            let own = shown(&path) == "services/cluster/Cargo.toml" && name == "causeway-sandbox";
            let allowed =
                own || FOUNDATIONS.contains(&name.as_str()) || name == "causeway-websocket";
            assert!(allowed, "{} depends on {name}", shown(&path));
        }
    }
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
