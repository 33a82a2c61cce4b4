//! The map in services/README.md is the real one: every part has a line, and the calls that it lists form no circle.

use std::collections::{BTreeMap, BTreeSet};

use crate::files::{files, read, root, shown};

fn services() -> BTreeSet<String> {
    let manifests = files("services", &["Cargo.toml"]);
    let names = manifests.iter().map(|path| shown(path));
    names
        .filter(|name| !name.starts_with("services/lib/"))
        .map(|name| name.split('/').nth(1).unwrap().to_owned())
        .collect()
}

/// The rows "caller -> callee" of the call graph.
fn calls() -> Vec<(String, String)> {
    let text = read(&root().join("services/README.md"));
    let rows = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("call: "));
    rows.map(|row| {
        let (from, to) = row.split_once(" -> ").unwrap();
        (from.trim().to_owned(), to.trim().to_owned())
    })
    .collect()
}

#[test]
fn every_service_has_a_line_in_the_map() {
    let text = read(&root().join("services/README.md"));
    for service in services() {
        assert!(
            text.contains(&format!("`{service}`")),
            "services/README.md has no line for {service}"
        );
    }
}

#[test]
fn every_part_is_in_the_call_graph() {
    let calls = calls();
    let named: BTreeSet<_> = calls
        .iter()
        .flat_map(|(from, to)| [from, to])
        .map(|node| part(node))
        .collect();
    for service in services() {
        assert!(
            named.contains(service.as_str()),
            "the call graph has no {service}"
        );
    }
}

#[test]
fn the_call_graph_has_no_circle() {
    let mut below: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in calls() {
        below.entry(from).or_default().insert(to);
    }
    assert!(!below.is_empty());
    let nodes: Vec<_> = below.keys().cloned().collect();
    for node in &nodes {
        let mut seen = BTreeSet::new();
        let mut open: Vec<_> = below[node].iter().cloned().collect();
        while let Some(next) = open.pop() {
            assert_ne!(&next, node, "a circle through {node}");
            if seen.insert(next.clone()) {
                open.extend(below.get(&next).into_iter().flatten().cloned());
            }
        }
    }
}

/// "inventory" of "platform/inventory".
fn part(node: &str) -> &str {
    node.split('/').next_back().unwrap_or(node)
}

/// Words of services/README.md that are paths of files, from `services/` or from the root.
fn named_files(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| c.is_whitespace() || "`,;()".contains(c));
    words
        .filter(|word| word.ends_with(".rs") && word.contains('/'))
        .collect()
}

#[test]
fn every_file_that_the_map_names_exists() {
    let text = read(&root().join("services/README.md"));
    let named = named_files(&text);
    assert!(named.len() > 20, "{named:?}");
    for name in named {
        let found = [root().join("services").join(name), root().join(name)];
        assert!(
            found.iter().any(|path| path.is_file()),
            "services/README.md names {name}"
        );
    }
}
