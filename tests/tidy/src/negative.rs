//! `tests/NEGATIVE.md`: every id has a row, every test that it names is there, and every test with an id in its name is in it.
//! `SECURITY.md` and `services/INVARIANTS.md`: every row of their tables names tests that are there.

use std::collections::{BTreeMap, BTreeSet};

use crate::files::{files, read, root, shown, sources};

const STATES: [&str; 3] = ["present", "later", "not applicable"];
const ADVISORIES: usize = 75;

/// Each id with its state and the tests that it names, as path and function.
fn table() -> BTreeMap<String, (String, Vec<(String, String)>)> {
    let text = read(&root().join("tests/NEGATIVE.md"));
    let rows = text
        .lines()
        .filter(|line| line.starts_with("| N-") || line.starts_with("| S-"));
    let mut table = BTreeMap::new();
    for row in rows {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [id, state, what] = <[&str; 3]>::try_from(cells).unwrap_or_else(|_| panic!("{row}"));
        let before = table.insert(id.to_owned(), (state.to_owned(), named(what)));
        assert!(before.is_none(), "{id} has two rows");
    }
    table
}

/// The tests that a cell names, as path and function.
fn named(cell: &str) -> Vec<(String, String)> {
    let quoted = cell.split('`').skip(1).step_by(2);
    let tests = quoted.filter_map(|text| text.split_once("::"));
    tests
        .map(|(path, name)| (path.to_owned(), name.to_owned()))
        .collect()
}

#[track_caller]
fn assert_there(what: &str, (path, name): &(String, String)) {
    let text = read(&root().join(path));
    let found = functions(&text).any(|function| function == name);
    assert!(found, "{what}: {path} has no test {name}");
}

/// The ids that the name of a test begins with, for example `N-33` and `S-57` of `n_33_s_57_an_absent…`.
fn ids(name: &str) -> Vec<String> {
    let words: Vec<_> = name.split('_').collect();
    let pairs = words.chunks(2).map_while(|pair| {
        let [letter @ ("n" | "s"), number] = pair else {
            return None;
        };
        let digits = number.len() == 2 && number.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| format!("{}-{number}", letter.to_uppercase()))
    });
    pairs.collect()
}

fn functions(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let line = line.trim().trim_start_matches("async ");
        line.strip_prefix("fn ")?.split(['(', '<']).next()
    })
}

#[test]
fn every_advisory_has_a_row_and_every_row_a_state() {
    let table = table();
    for number in 1..=ADVISORIES {
        let id = format!("N-{number:02}");
        assert!(table.contains_key(&id), "{id} has no row");
    }
    for (id, (state, tests)) in &table {
        assert!(STATES.contains(&state.as_str()), "{id}: {state}");
        assert_eq!(state == "present", !tests.is_empty(), "{id}");
    }
}

#[test]
fn every_negative_test_that_is_named_is_there() {
    for (id, (_, tests)) in table() {
        for test in tests {
            assert_there(&id, &test);
        }
    }
}

#[test]
fn every_row_of_what_may_be_stolen_names_tests_that_are_there() {
    let text = read(&root().join("SECURITY.md"));
    let rows = text.lines().filter(|line| line.starts_with("| "));
    let rows: Vec<Vec<_>> = rows
        .map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let table = rows.iter().filter(|cells| cells[0] != "if this is stolen");
    let mut stolen = 0;
    for cells in table {
        let tests = named(cells.last().unwrap());
        assert_eq!(cells.len(), 4, "{}", cells[0]);
        assert!(!tests.is_empty(), "{} names no test", cells[0]);
        for test in &tests {
            assert_there(cells[0], test);
        }
        stolen += 1;
    }
    assert!(stolen > 15, "{stolen}");
}

#[test]
fn every_invariant_names_tests_that_exist() {
    let text = read(&root().join("services/INVARIANTS.md"));
    let rows = text.lines().filter(|line| {
        let number = line
            .strip_prefix("| ")
            .and_then(|rest| rest.split(' ').next());
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    });
    let mut numbers = Vec::new();
    for row in rows {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        let tests = named(cells.last().unwrap());
        assert!(!tests.is_empty(), "invariant {} names no test", cells[0]);
        for test in &tests {
            assert_there(cells[0], test);
        }
        numbers.push(cells[0].parse::<usize>().unwrap());
    }
    assert_eq!(numbers, (1..=numbers.len()).collect::<Vec<_>>());
    assert!(numbers.len() > 30, "{numbers:?}");
}

#[test]
fn every_test_with_an_id_in_its_name_is_in_the_row_of_that_id() {
    let table = table();
    let mut known = BTreeSet::new();
    for path in sources() {
        let text = read(&path);
        for name in functions(&text) {
            for id in ids(name) {
                let place = (shown(&path), name.to_owned());
                let row = table
                    .get(&id)
                    .unwrap_or_else(|| panic!("{id} of {place:?} has no row"));
                assert!(
                    row.1.contains(&place),
                    "{place:?} is not in the row of {id}"
                );
                known.insert(id);
            }
        }
    }
    assert!(known.len() > 10, "{known:?}");
}

/// What a person's own command line starts on that person's machine: their browser, the pager that they name, and their Helm.
/// The commit engine starts git, without environment, configuration, hooks or prompts, and with bounds.
const STARTS_PROGRAMS: [&str; 4] = [
    "clients/cli/src/login/browser.rs",
    "clients/cli/src/output/pager.rs",
    "clients/cli/src/runtime/install/helm.rs",
    "services/lib/git/src/process.rs",
];

/// Whether a text names the type by which programs are started, in a path or among others in braces.
fn names_programs(text: &str) -> bool {
    let text: String = text.split_whitespace().collect();
    text.split("process::").skip(1).any(|rest| {
        let names = match rest.strip_prefix('{') {
            Some(rest) => rest.split('}').next().unwrap_or_default(),
            None => rest
                .split([';', ',', ':', '(', ')', '}'])
                .next()
                .unwrap_or_default(),
        };
        names
            .split(',')
            .any(|name| name.starts_with("Command") || name == "*")
    })
}

#[test]
fn n_61_no_part_starts_a_program() {
    let all = [files("services", &[".rs"]), files("clients", &[".rs"])].concat();
    let is_product = |name: &String| !name.contains("/tests");
    let starting = all.iter().filter(|path| names_programs(&read(path)));
    let mut starting: Vec<_> = starting
        .map(|path| shown(path))
        .filter(is_product)
        .collect();
    starting.sort();
    assert_eq!(starting, STARTS_PROGRAMS);
}

#[test]
fn every_way_to_name_the_type_that_starts_programs_is_seen() {
    for text in [
        "std::process::Command::new(\"sh\")",
        "use std::process::Command;",
        "use std::{\n    io,\n    process::{Child, Command, Stdio},\n};",
        "use std::process::{Command as Program};",
        "use tokio::process::*;",
        "use std::os::unix::process::CommandExt as _;",
    ] {
        assert!(names_programs(text), "{text}");
    }
    for text in [
        "use std::process::ExitCode;",
        "process::exit(1); clap::Command::new(\"x\")",
        "use crate::{command::Command, process::{Process, run}};",
    ] {
        assert!(!names_programs(text), "{text}");
    }
}
