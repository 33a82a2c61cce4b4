//! Reads `DIFFERENCES.md` and checks that its rows are used.

use std::{collections::BTreeSet, fs, path::Path};

const TABLE: &str = include_str!("../DIFFERENCES.md");

/// Names in the first column of the table.
pub(crate) fn rows() -> Vec<&'static str> {
    let rows = TABLE.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split_once('`'))
        .map(|(name, _)| name)
        .collect()
}

/// Names of all rows that the sources request.
fn requested() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    read(
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")),
        &mut found,
    );
    found
}

fn read(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(&path, found);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let calls = text.split(".differs(\"").skip(1);
        found.extend(calls.filter_map(|call| Some(call.split_once('"')?.0.to_owned())));
    }
}

#[test]
fn every_row_has_a_reason_and_a_behaviour_that_asks_for_it() {
    let asked = requested();
    for name in rows() {
        assert!(
            asked.contains(name),
            "no behaviour asks for the difference {name}: remove its row"
        );
        let row = TABLE
            .lines()
            .find(|line| line.starts_with(&format!("| `{name}`")))
            .unwrap();
        let cells: Vec<_> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        assert_eq!(
            cells.len(),
            4,
            "a row is name, Kubernetes, sandbox, reason: {row}"
        );
        assert!(cells.iter().all(|cell| !cell.is_empty()), "{row}");
    }
}

#[test]
fn every_difference_that_is_asked_for_has_a_row() {
    let rows = rows();
    for name in requested() {
        assert!(
            rows.contains(&name.as_str()),
            "DIFFERENCES.md has no row {name}"
        );
    }
}
