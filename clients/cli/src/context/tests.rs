use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use super::{ContextArgs, Entry, Session, write_entry};

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
        usual_address: None,
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

fn session(expires_at: &str) -> Session {
    Session {
        token: "cws_secret".to_owned(),
        session_id: "ses-1".to_owned(),
        account: "default".to_owned(),
        user: "ada".to_owned(),
        expires_at: expires_at.to_owned(),
    }
}

fn at(file: &Path, address: &str) -> ContextArgs {
    ContextArgs {
        address: Some(address.to_owned()),
        ..args(file, None)
    }
}

const LATER: &str = "2999-01-01T00:00:00Z";

#[test]
fn a_sign_in_at_a_new_address_makes_a_context_and_another_one_there_finds_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("contexts.json");
    let target = at(&file, "https://one.example.com:8443").target().unwrap();
    assert_eq!(target.name, "one.example.com:8443");
    target.keep(session(LATER)).unwrap();
    write_entry(&file, "two", entry("http://two")).unwrap();
    let found = at(&file, "https://one.example.com:8443/");
    assert_eq!(found.target().unwrap().name, "one.example.com:8443");
    assert!(found.resolve().unwrap().session.is_some());
    assert!(args(&file, None).resolve().unwrap().session.is_none());
    let unknown = args(&file, Some("three")).target();
    let error = unknown.err().unwrap().to_string();
    assert!(error.contains("no context 'three'"), "{error}");
}

#[test]
fn a_session_goes_to_no_other_address_and_not_beside_another_key() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("contexts.json");
    write_entry(&file, "one", entry("http://one")).unwrap();
    let target = args(&file, None).target().unwrap();
    target.keep(session(LATER)).unwrap();
    assert!(args(&file, None).resolve().unwrap().session.is_some());
    let elsewhere = at(&file, "http://evil.example").resolve().unwrap();
    assert_eq!(elsewhere.session, None);
    assert_eq!(elsewhere.api_key_file, None);
    let named = ContextArgs {
        api_key_file: Some("/other".into()),
        ..at(&file, "http://evil.example")
    };
    let named = named.resolve().unwrap();
    assert_eq!(named.api_key_file, Some("/other".into()));
    let by_key = ContextArgs {
        api_key_file: Some("/other".into()),
        ..args(&file, None)
    };
    assert_eq!(by_key.resolve().unwrap().session, None);
}

#[test]
fn a_session_is_kept_by_who_writes_the_same_context_and_gone_after_it_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("contexts.json");
    write_entry(&file, "one", entry("http://one")).unwrap();
    let target = args(&file, None).target().unwrap();
    target.keep(session(LATER)).unwrap();
    write_entry(&file, "one", entry("http://one")).unwrap();
    assert!(args(&file, None).resolve().unwrap().session.is_some());
    write_entry(&file, "one", entry("http://elsewhere")).unwrap();
    assert!(args(&file, None).resolve().unwrap().session.is_none());
    let target = args(&file, None).target().unwrap();
    target.keep(session(LATER)).unwrap();
    args(&file, None).target().unwrap().forget().unwrap();
    let after = args(&file, None).resolve().unwrap();
    assert_eq!(
        (after.session, after.api_key_file),
        (None, Some("/key".into()))
    );
    assert!(!fs::read_to_string(&file).unwrap().contains("cws_"));
}

#[test]
fn a_session_knows_when_it_is_over_and_does_not_show_its_token() {
    assert!(session("2001-01-01T00:00:00Z").is_over());
    assert!(!session(LATER).is_over());
    assert!(!session("some day").is_over());
    let shown = format!("{:?}", session(LATER));
    assert!(shown.contains("ada") && !shown.contains("cws_"), "{shown}");
}
