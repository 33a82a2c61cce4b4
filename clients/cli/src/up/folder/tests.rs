use std::fs;

use super::Folder;

#[test]
fn a_folder_serves_one_process_at_a_time() {
    let root = tempfile::tempdir().unwrap();
    let first = Folder::open(root.path()).unwrap();
    let error = Folder::open(root.path()).unwrap_err().to_string();
    assert!(
        error.contains("another causeway uses this folder"),
        "{error}"
    );
    drop(first);
    Folder::open(root.path()).unwrap();
}

#[test]
fn a_folder_of_a_newer_version_is_left_alone() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("format"), "999").unwrap();
    let error = Folder::open(root.path()).unwrap_err().to_string();
    assert!(error.contains("newer version"), "{error}");
    assert_eq!(
        fs::read_to_string(root.path().join("format")).unwrap(),
        "999"
    );
}
