use std::os::unix::fs::PermissionsExt as _;

use super::*;

#[test]
fn what_is_sealed_opens_for_its_purpose_alone_and_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let key = SealingKey::open(folder.path()).unwrap();
    let sealed = key.seal("one", b"secret").unwrap();
    assert_eq!(key.unseal("one", &sealed).unwrap(), b"secret");
    assert!(matches!(
        key.unseal("two", &sealed),
        Err(SealError::Foreign)
    ));
    for at in 0..sealed.len() {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        assert!(key.unseal("one", &changed).is_err(), "{at}");
        assert!(key.unseal("one", &sealed[..at]).is_err(), "{at}");
    }
    assert_ne!(sealed, key.seal("one", b"secret").unwrap());
}

#[test]
fn replicas_share_the_file_and_nobody_else_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (
        SealingKey::open(folder.path()).unwrap(),
        SealingKey::open(folder.path()).unwrap(),
    );
    assert_eq!(
        two.unseal("p", &one.seal("p", b"x").unwrap()).unwrap(),
        b"x"
    );
    let mode = fs::metadata(folder.path().join(SIGN_IN_KEY))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let other = tempfile::tempdir().unwrap();
    let foreign = SealingKey::open(other.path()).unwrap();
    assert!(foreign.unseal("p", &one.seal("p", b"x").unwrap()).is_err());
}
