use std::{fs, os::unix::fs::PermissionsExt as _};

use super::*;

#[test]
fn what_is_sealed_opens_for_its_purpose_alone_and_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let key = SealingKeys::open(folder.path()).unwrap();
    let sealed = key.seal("one", b"secret", 1).unwrap();
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
    assert_ne!(sealed, key.seal("one", b"secret", 1).unwrap());
}

#[test]
fn replicas_share_the_file_and_nobody_else_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (
        SealingKeys::open(folder.path()).unwrap(),
        SealingKeys::open(folder.path()).unwrap(),
    );
    assert_eq!(
        two.unseal("p", &one.seal("p", b"x", 1).unwrap()).unwrap(),
        b"x"
    );
    let mode = fs::metadata(folder.path().join(SIGN_IN_KEY))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let other = tempfile::tempdir().unwrap();
    let foreign = SealingKeys::open(other.path()).unwrap();
    assert!(
        foreign
            .unseal("p", &one.seal("p", b"x", 1).unwrap())
            .is_err()
    );
}

/// Two replicas that share the files.
fn replicas() -> (tempfile::TempDir, SealingKeys, SealingKeys) {
    let folder = tempfile::tempdir().unwrap();
    let open = || SealingKeys::open(folder.path()).unwrap();
    let (one, two) = (open(), open());
    (folder, one, two)
}

fn files(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

#[test]
fn the_next_key_seals_when_every_replica_has_it_and_the_former_opens_for_a_while() {
    let (folder, one, two) = replicas();
    let begins = one
        .rotate(RequestId::generate(), Handover::Overlapping, 1_000)
        .unwrap();
    assert_eq!(begins, 1_000 + WAITS);
    // One waits, so that there is no third.
    assert_eq!(
        two.rotate(RequestId::generate(), Handover::Overlapping, 1_010)
            .unwrap(),
        begins
    );
    let before = two.seal("p", b"x", begins - 1).unwrap();
    assert!(one.reseal("p", &before, begins - 1).unwrap().is_none());
    // A clock that is ahead seals by the new one already, and one that is behind opens it.
    let after = two.seal("p", b"y", begins).unwrap();
    assert_eq!(one.unseal_fresh("p", &after, begins - 60).unwrap(), b"y");
    let end = begins + OPENS_AFTER;
    assert_eq!(one.unseal_fresh("p", &before, end - 1).unwrap(), b"x");
    assert!(one.unseal_fresh("p", &before, end).is_err());
    assert_eq!(two.unseal_fresh("p", &after, end).unwrap(), b"y");

    // What the store keeps is opened and sealed anew, and only then is the former one of no use.
    assert!(one.have_former(end).unwrap());
    let anew = one.reseal("p", &before, end).unwrap().unwrap();
    one.forget_former(end - 1).unwrap();
    assert_eq!(files(folder.path()).len(), 2);
    one.forget_former(end).unwrap();
    assert_eq!(files(folder.path()), [format!("sign-in-{begins}.pem")]);
    assert!(!two.have_former(end).unwrap());
    assert_eq!(two.unseal("p", &anew).unwrap(), b"x");
    assert!(two.unseal("p", &before).is_err());
    let again = SealingKeys::open(folder.path()).unwrap();
    assert_eq!(again.unseal("p", &anew).unwrap(), b"x");
}

#[test]
fn a_key_that_somebody_else_may_have_opens_no_sign_in_any_more_at_once() {
    let (folder, one, two) = replicas();
    let before = two.seal("p", b"x", 1_000).unwrap();
    assert_eq!(
        one.rotate(RequestId::generate(), Handover::AtOnce, 1_000)
            .unwrap(),
        1_000
    );
    assert!(two.unseal_fresh("p", &before, 1_000).is_err());
    let after = two.seal("p", b"y", 1_000).unwrap();
    assert_eq!(one.unseal_fresh("p", &after, 1_000).unwrap(), b"y");
    // Client secrets are not lost.
    let anew = two.reseal("p", &before, 1_000).unwrap().unwrap();
    assert_eq!(one.unseal_fresh("p", &anew, 1_000).unwrap(), b"x");
    assert_eq!(
        files(folder.path()),
        ["sign-in-0.former.pem", "sign-in-1000.pem"]
    );
    one.forget_former(1_000 + OPENS_AFTER).unwrap();
    assert_eq!(files(folder.path()), ["sign-in-1000.pem"]);
}

#[test]
fn a_request_to_rotate_that_comes_again_makes_no_other_key() {
    let (folder, one, _) = replicas();
    let (first, second) = (RequestId::generate(), RequestId::generate());
    let rotate = |request, handover, now| one.rotate(request, handover, now);
    assert_eq!(rotate(first, Handover::AtOnce, 1_000).unwrap(), 1_000);
    let sealed = one.seal("p", b"x", 1_001).unwrap();
    assert_eq!(rotate(first, Handover::AtOnce, 1_001).unwrap(), 1_000);
    assert_eq!(one.unseal_fresh("p", &sealed, 1_001).unwrap(), b"x");
    assert_eq!(files(folder.path()).len(), 2);
    let reused = rotate(first, Handover::Overlapping, 1_001).unwrap_err();
    assert!(matches!(reused, RotateError::Reused), "{reused}");
    assert_eq!(rotate(second, Handover::AtOnce, 1_001).unwrap(), 1_001);
}

#[test]
fn no_number_of_requests_to_rotate_ends_sign_ins_or_the_next_start() {
    let (folder, one, two) = replicas();
    let rotate = |now| one.rotate(RequestId::generate(), Handover::AtOnce, now);
    let rotated: Vec<_> = (0..200).map(|_| rotate(1_000)).collect();
    assert_eq!(rotated.iter().flatten().count(), MOST_KEYS - 1);
    let refused = rotated.last().unwrap();
    assert!(matches!(refused, Err(RotateError::TooMany)), "{refused:?}");
    let sealed = two.seal("p", b"x", 1_100).unwrap();
    assert_eq!(one.unseal_fresh("p", &sealed, 1_100).unwrap(), b"x");
    // When the others are over there is room again.
    two.forget_former(1_100 + OPENS_AFTER).unwrap();
    assert_eq!(files(folder.path()).len(), 1);
    rotate(1_100 + OPENS_AFTER).unwrap();
}

#[test]
fn more_keys_than_are_ever_made_are_read_and_forgotten_all_the_same() {
    let (folder, one, _) = replicas();
    for begins in 1..=150 {
        files::make(folder.path(), &format!("sign-in-{begins}.former.pem")).unwrap();
    }
    files::make(folder.path(), "sign-in-200.pem").unwrap();
    SealingKeys::open(folder.path()).unwrap();
    one.forget_former(200 + OPENS_AFTER).unwrap();
    assert_eq!(files(folder.path()), ["sign-in-200.pem"]);
}

#[test]
fn a_key_that_is_over_and_cannot_be_removed_here_is_left_to_others() {
    let (folder, one, two) = replicas();
    let begins = one
        .rotate(RequestId::generate(), Handover::Overlapping, 1_000)
        .unwrap();
    let end = begins + OPENS_AFTER;
    // By the mode of a folder root is refused nothing, so that the file system is spoken for.
    let refuse = |kind: io::ErrorKind| {
        move |key: &Timed| {
            let (file, error) = (key.file.clone(), kind.into());
            Err(SealError::File { file, error })
        }
    };
    let broken = one.forget_by(end, refuse(io::ErrorKind::StorageFull));
    assert!(matches!(broken, Err(SealError::File { .. })));
    assert!(one.have_former(end).unwrap());
    for kind in [
        io::ErrorKind::PermissionDenied,
        io::ErrorKind::ReadOnlyFilesystem,
    ] {
        let keys = SealingKeys::open(folder.path()).unwrap();
        // Not over yet: client secrets may yet be sealed by it elsewhere.
        keys.forget_by(end - 1, refuse(kind)).unwrap();
        assert!(keys.have_former(end - 1).unwrap());
        keys.forget_by(end, refuse(kind)).unwrap();
        assert!(!keys.have_former(end).unwrap(), "{kind}");
    }
    // Of the next one nothing is known yet.
    let keys = &one;
    keys.forget_by(end, refuse(io::ErrorKind::ReadOnlyFilesystem))
        .unwrap();
    let next = keys.rotate(RequestId::generate(), Handover::Overlapping, end);
    assert!(keys.have_former(next.unwrap()).unwrap());
    two.forget_former(end).unwrap();
    assert_eq!(files(folder.path()).len(), 2);
}

#[test]
fn keys_that_are_renamed_while_the_folder_is_read_are_found_by_their_new_names() {
    let (folder, one, two) = replicas();
    let sealed = two.seal("p", b"x", 1_000).unwrap();
    let before = files::list(folder.path()).unwrap();
    one.rotate(RequestId::generate(), Handover::AtOnce, 1_000)
        .unwrap();
    let keys = files::read_listed(folder.path(), before).unwrap();
    assert_eq!(unsealed(&keys, "p", &sealed).unwrap(), b"x");
    let begins: Vec<_> = keys.iter().map(|key| (key.begins, key.standing)).collect();
    assert_eq!(begins, [(0, KeyState::Former), (1_000, KeyState::Present)]);
    // A link to nothing is gone at each reading, and is in nobody's way.
    let link = folder.path().join("sign-in-2000.pem");
    std::os::unix::fs::symlink(folder.path().join("none"), link).unwrap();
    assert_eq!(files::read(folder.path()).unwrap().len(), 2);
}
