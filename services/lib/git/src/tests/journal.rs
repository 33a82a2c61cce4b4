use tempfile::TempDir;

use crate::{
    GitError,
    journal::{Journal, Record},
};

fn record(number: usize) -> Record {
    Record {
        key: format!("key-{number}"),
        digest: "d".to_owned(),
        base: "b".to_owned(),
        commit: Some(number.to_string()),
    }
}

fn filled(folder: &TempDir) -> std::path::PathBuf {
    let path = folder.path().join("journal");
    let mut journal = Journal::open(&path).unwrap();
    (0..5).for_each(|number| journal.append(vec![record(number)]).unwrap());
    path
}

#[test]
fn records_survive_and_the_last_one_of_a_key_wins() {
    let folder = TempDir::new().unwrap();
    let path = filled(&folder);
    let mut journal = Journal::open(&path).unwrap();
    let newer = Record {
        commit: None,
        ..record(3)
    };
    journal.append(vec![newer.clone()]).unwrap();
    let journal = Journal::open(&path).unwrap();
    assert_eq!(
        (
            journal.get("key-3"),
            journal.get("key-4"),
            journal.get("key-9")
        ),
        (Some(&newer), Some(&record(4)), None)
    );
}

#[test]
fn a_cut_tail_is_dropped_at_every_length() {
    let folder = TempDir::new().unwrap();
    let path = filled(&folder);
    let bytes = std::fs::read(&path).unwrap();
    for length in 0..bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let mut journal = Journal::open(&path).unwrap();
        let complete = bytes[..length]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        assert_eq!(journal.get(&format!("key-{complete}")), None);
        journal.append(vec![record(7)]).unwrap();
        let journal = Journal::open(&path).unwrap();
        assert_eq!(journal.get("key-7"), Some(&record(7)));
        assert_eq!(journal.get("key-0").is_some(), complete > 0);
    }
}

#[test]
fn damage_before_the_end_is_an_error() {
    let folder = TempDir::new().unwrap();
    let path = filled(&folder);
    let bytes = std::fs::read(&path).unwrap();
    for position in (0..bytes.len() - 1).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[position] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        let found = Journal::open(&path).map(drop);
        assert!(
            matches!(found, Err(GitError::JournalDamaged { .. })),
            "byte {position}: {found:?}"
        );
    }
}
