use std::os::unix::fs::PermissionsExt as _;

use super::*;

#[test]
fn the_authority_is_the_same_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let first = DevelopmentCa::open_or_create(folder.path()).unwrap();
    let second = DevelopmentCa::open_or_create(folder.path()).unwrap();
    assert_eq!(first.ca_pem(), second.ca_pem());
    assert_eq!(first.key.serialize_pem(), second.key.serialize_pem());
}

#[test]
fn private_files_are_readable_by_the_owner_only() {
    let folder = tempfile::tempdir().unwrap();
    DevelopmentCa::open_or_create(folder.path()).unwrap();
    let mode = fs::metadata(folder.path().join("ca-key.pem"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_key_without_its_certificate_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    DevelopmentCa::open_or_create(folder.path()).unwrap();
    fs::remove_file(folder.path().join("ca.pem")).unwrap();
    let error = DevelopmentCa::open_or_create(folder.path()).err().unwrap();
    assert!(error.to_string().contains("restore it"), "{error}");
}

#[test]
fn a_start_that_was_cut_short_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    DevelopmentCa::open_or_create(folder.path()).unwrap();
    fs::remove_file(folder.path().join("ca-key.pem")).unwrap();
    DevelopmentCa::open_or_create(folder.path()).unwrap();
}
