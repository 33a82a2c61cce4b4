//! The same inputs without a fuzzer: bytes at random, the kept inputs, and these with some bytes changed.

use std::{fs, path::PathBuf};

use proptest::{collection::vec, num::u8, prelude::*, test_runner::TestRunner};

use crate::SUBJECTS;

const MAX_BYTES: usize = 4 << 10;

fn folder(subject: &str) -> PathBuf {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus");
    corpus.join(subject)
}

fn kept(subject: &str) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder(subject)).unwrap();
    entries
        .map(|entry| fs::read(entry.unwrap().path()).unwrap())
        .collect()
}

#[test]
fn kept_inputs_are_read_without_a_panic() {
    for (subject, read) in SUBJECTS {
        let inputs = kept(subject);
        assert!(!inputs.is_empty(), "{subject} has no kept input");
        inputs.iter().for_each(|input| read(input));
    }
}

#[test]
fn random_bytes_are_read_without_a_panic() {
    for (subject, read) in SUBJECTS {
        let mut runner = TestRunner::default();
        let tried = runner.run(&vec(u8::ANY, 0..MAX_BYTES), |bytes| {
            read(&bytes);
            Ok(())
        });
        tried.unwrap_or_else(|error| panic!("{subject}: {error}"));
    }
}

/// A kept input, with some bytes replaced, and cut somewhere.
fn changed(inputs: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let changes = vec((any::<prop::sample::Index>(), u8::ANY), 1..8);
    let input = prop::sample::select(inputs);
    (input, changes, any::<prop::sample::Index>()).prop_map(|(mut input, changes, end)| {
        if !input.is_empty() {
            for (place, byte) in changes {
                let place = place.index(input.len());
                input[place] = byte;
            }
            input.truncate(end.index(2 * input.len()).max(1));
        }
        input
    })
}

#[test]
fn changed_inputs_are_read_without_a_panic() {
    for (subject, read) in SUBJECTS {
        let mut runner = TestRunner::default();
        let tried = runner.run(&changed(kept(subject)), |bytes| {
            read(&bytes);
            Ok(())
        });
        tried.unwrap_or_else(|error| panic!("{subject}: {error}"));
    }
}

#[test]
fn every_subject_has_a_fuzz_target() {
    let targets = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("targets");
    let manifest = fs::read_to_string(targets.join("Cargo.toml")).unwrap();
    for (subject, _) in SUBJECTS {
        let file = format!("fuzz_targets/{subject}.rs");
        let text = fs::read_to_string(targets.join(&file)).unwrap();
        assert!(
            text.contains(&format!("causeway_fuzz::{subject}(data)")),
            "{file}"
        );
        assert!(manifest.contains(&format!("path = \"{file}\"")), "{file}");
    }
}
