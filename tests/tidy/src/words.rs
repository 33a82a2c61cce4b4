//! What no file may say.

use crate::files::{files, is_test, read, root, shown};

#[test]
fn nothing_is_left_undone_in_words() {
    for path in files("", &[".rs"])
        .into_iter()
        .filter(|path| !is_test(path))
    {
        for line in read(&path).lines() {
            for word in ["TODO", "FIXME", "XXX", "unimplemented!("] {
                assert!(!line.contains(word), "{}: {line}", shown(&path));
            }
        }
    }
}

#[test]
fn tests_wait_on_state() {
    let sleeps = ["thread::sleep(", "time::sleep("];
    for path in files("", &[".rs"]) {
        let name = shown(&path);
        let text = read(&path);
        let test = is_test(&path);
        // the one place that waits, this one, and the figures, whose load comes by the clock
        let waits = ["tests/testkit", "tests/tidy", "tests/bench"];
        if !test || waits.iter().any(|folder| name.starts_with(folder)) {
            continue;
        }
        for sleep in sleeps {
            assert!(!text.contains(sleep), "{name} sleeps");
        }
    }
}

/// One place decides what a test does without its world: it fails in continuous integration, and elsewhere a line names it.
#[test]
fn tests_that_lack_their_world_are_skipped_in_one_way() {
    let ways = ["SKIPPED", "== \"CI\"", "var_os(\"CI\")"];
    // the one way, this file, and a crate below the tests, which has its own of one line
    let own = ["tests/testkit/src/skip.rs", "tests/tidy", "tests/world"];
    for path in files("tests", &[".rs"])
        .into_iter()
        .chain(files("services", &[".rs"]))
    {
        let (name, text) = (shown(&path), read(&path));
        if !is_test(&path) || own.iter().any(|own| name.starts_with(own)) {
            continue;
        }
        for way in ways {
            assert!(
                !text.contains(way),
                "{name}: use skip() of causeway-testkit, not {way}"
            );
        }
    }
}

/// A client that reads FIELD_INVALID asks its user to correct a field. Nothing else may look like that.
#[test]
fn field_invalid_is_the_reason_of_invalid_arguments_alone() {
    for path in files("services", &[".rs"]) {
        let text = read(&path);
        for (place, _) in text.match_indices("Reason::FieldInvalid") {
            let before = text[..place].trim_end();
            let code = before
                .strip_suffix(',')
                .and_then(|it| it.rsplit("Code::").next());
            let wrong = code.filter(|it| it.chars().all(char::is_alphanumeric));
            let wrong = wrong.filter(|code| *code != "InvalidArgument");
            assert_eq!(wrong, None, "{}", shown(&path));
        }
    }
}

#[test]
fn ignored_tests_say_who_runs_them() {
    let makefile = read(&root().join("Makefile"));
    for path in files("", &[".rs"]) {
        if shown(&path).starts_with("tests/tidy") {
            continue;
        }
        let text = read(&path);
        for reason in text.split("#[ignore").skip(1) {
            let line = reason.lines().next().unwrap_or_default();
            let target = line
                .strip_prefix(" = \"make ")
                .and_then(|it| it.split(' ').next());
            let known = target.is_some_and(|target| makefile.contains(&format!("\n{target}:")));
            let others = [" = \"started by ", " = \"by hand: "];
            let said = known || others.iter().any(|way| line.starts_with(way));
            assert!(said, "{}: #[ignore{line}", shown(&path));
        }
    }
}

#[test]
fn lints_are_expected_with_a_reason_and_never_allowed() {
    for path in files("", &[".rs"]) {
        if shown(&path).starts_with("tests/tidy") {
            continue;
        }
        assert!(!read(&path).contains("#[allow("), "{}", shown(&path));
        assert!(!read(&path).contains("#![allow("), "{}", shown(&path));
    }
}
