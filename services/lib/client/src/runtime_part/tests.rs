use super::*;

#[test]
fn only_a_file_that_was_never_there_is_made_up_for_by_the_runtimes_key() {
    let folder = tempfile::tempdir().unwrap();
    let (own, identity) = (
        folder.path().join(REDACTION_KEY),
        folder.path().join(IDENTITY_KEY),
    );
    fs::write(&identity, "key").unwrap();
    let made = redaction_secret(folder.path()).unwrap();
    assert_eq!(made, Sha256::digest("key").to_vec());
    fs::write(&own, "").unwrap();
    assert!(redaction_secret(folder.path()).is_err(), "it is empty");
    fs::write(&own, "secret").unwrap();
    assert_eq!(redaction_secret(folder.path()).unwrap(), b"secret");
    fs::remove_file(&own).unwrap();
    fs::create_dir(&own).unwrap();
    assert!(redaction_secret(folder.path()).is_err(), "it is unreadable");
}
