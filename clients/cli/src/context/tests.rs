use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use super::{ContextArgs, Entry, write_entry};

fn entry(address: &str) -> Entry {
    Entry {
        address: address.to_owned(),
        api_key_file: Some("/key".into()),
        session: None,
        ca_file: None,
    }
}

fn args(file: &Path, context: Option<&str>) -> ContextArgs {
    ContextArgs {
        config: Some(file.to_owned()),
        context: context.map(str::to_owned),
        address: None,
        api_key_file: None,
        ca_file: None,
    }
}

#[test]
fn the_last_written_entry_is_current_and_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deep/contexts.json");
    write_entry(&file, "one", entry("http://one")).unwrap();
    write_entry(&file, "two", entry("http://two")).unwrap();
    assert_eq!(args(&file, None).resolve().unwrap().address, "http://two");
    assert_eq!(
        args(&file, Some("one")).resolve().unwrap().address,
        "http://one"
    );
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn an_unknown_context_is_answered_with_the_known_ones() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("contexts.json");
    let error = args(&file, None).resolve().unwrap_err().to_string();
    assert!(error.contains("causeway up"), "{error}");
    write_entry(&file, "one", entry("http://one")).unwrap();
    let error = args(&file, Some("onr")).resolve().unwrap_err().to_string();
    assert!(error.contains("'onr'") && error.contains("one"), "{error}");
}

#[test]
fn a_damaged_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("contexts.json");
    fs::write(&file, "{").unwrap();
    let error = args(&file, None).resolve().unwrap_err().to_string();
    assert!(
        error.contains("contexts.json") && error.contains("mend"),
        "{error}"
    );
}
