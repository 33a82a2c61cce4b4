use std::os::unix::fs::PermissionsExt as _;

use super::*;

#[test]
fn keys_are_made_once_and_only_their_owner_may_read_them() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("keys");
    let first = KeyRing::open(&folder).unwrap();
    let second = KeyRing::open(&folder).unwrap();
    assert_eq!(first.root(), second.root());
    assert_eq!(first.signing.kid(), second.signing.kid());
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for name in ["root.pem", "signing.pem", "parts.pem"] {
        assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
    }
}

#[test]
fn a_file_that_is_no_key_is_named() {
    let data = tempfile::tempdir().unwrap();
    std::fs::write(data.path().join("signing.pem"), "nonsense").unwrap();
    let error = format!("{:#}", KeyRing::open(data.path()).unwrap_err());
    assert!(
        error.contains("signing.pem") && error.contains("P-256"),
        "{error}"
    );
}

#[test]
fn the_root_key_certifies_the_signing_key_for_thirty_days() {
    let data = tempfile::tempdir().unwrap();
    let ring = KeyRing::open(data.path()).unwrap();
    let certified = ring.certified(1_700_000_000).unwrap();
    let said = statement(&certified.key, certified.not_before, certified.not_after);
    assert!(ring.root().verifies(&said, &certified.root_signature));
    assert_eq!(certified.not_after - 1_700_000_000, 30 * 24 * 60 * 60);
    assert_eq!(ring.certified(1_700_000_001).unwrap(), certified);
    assert_ne!(ring.certified(1_700_003_600).unwrap(), certified);
}

#[test]
fn the_statement_is_framed_by_lengths() {
    let key = *SigningKey::generate().unwrap().public_key();
    let said = statement(&key, 1, 2);
    assert_eq!(&said[..4], [0, 0, 0, 23]);
    assert_eq!(&said[4..27], b"causeway-signing-key-v1");
    assert_eq!(
        said.len(),
        4 + 23 + 4 + key.id().as_str().len() + 4 + 65 + 16
    );
}

#[test]
fn the_root_key_may_assert_nothing() {
    let data = tempfile::tempdir().unwrap();
    let ring = KeyRing::open(data.path()).unwrap();
    assert!(ring.own(ring.root.kid()).is_none());
    assert_eq!(
        ring.own(ring.signing.kid()).unwrap().authority,
        Authority::Platform
    );
    assert_eq!(
        ring.own(ring.parts.kid()).unwrap().authority,
        Authority::PlatformParts
    );
}
