//! What no file may say.

use crate::files::{files, is_test, read, shown};

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
fn tests_wait_on_state_and_are_never_left_out() {
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
        assert!(!text.contains("#[ignore"), "{name} leaves a test out");
        for sleep in sleeps {
            assert!(!text.contains(sleep), "{name} sleeps");
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
