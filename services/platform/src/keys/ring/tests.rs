use std::os::unix::fs::PermissionsExt as _;

use super::*;

const NOW: i64 = 1_700_000_000;

/// A ring in a folder, whose first signing key signs since long before [`NOW`].
fn ring() -> (tempfile::TempDir, KeyRing) {
    let data = tempfile::tempdir().unwrap();
    files::add_signing(data.path(), 1).unwrap();
    let ring = KeyRing::open(data.path()).unwrap();
    (data, ring)
}

fn rotate(ring: &KeyRing, handover: Handover, now: i64) -> Vec<ListedKey> {
    ring.rotate(RequestId::generate(), handover, now).unwrap()
}

fn kids(keys: &[ListedKey]) -> Vec<KeyId> {
    keys.iter().map(|key| key.certified.key.id()).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

#[test]
fn keys_are_made_once_and_only_their_owner_may_read_them() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("keys");
    let first = KeyRing::open(&folder).unwrap();
    let second = KeyRing::open(&folder).unwrap();
    assert_eq!(first.root(), second.root());
    let now = seconds();
    assert_eq!(
        kids(&first.listed(now).unwrap()),
        kids(&second.listed(now).unwrap())
    );
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let names = names(&folder);
    assert_eq!(names.len(), 5, "{names:?}");
    for name in names.iter().filter(|name| name.ends_with(".pem")) {
        assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
    }
}

#[test]
fn a_file_that_is_no_key_is_named() {
    let data = tempfile::tempdir().unwrap();
    std::fs::write(data.path().join("signing-1.pem"), "nonsense").unwrap();
    let error = format!("{:#}", KeyRing::open(data.path()).unwrap_err());
    assert!(
        error.contains("signing-1.pem") && error.contains("P-256"),
        "{error}"
    );
}

#[test]
fn the_root_key_certifies_the_signing_key_for_a_day() {
    let (_data, ring) = ring();
    let certified = ring.certified(NOW).unwrap();
    let said = statement(&certified.key, certified.not_before, certified.not_after);
    assert!(ring.root().verifies(&said, &certified.root_signature));
    assert_eq!(certified.not_after - NOW, 24 * 60 * 60);
    assert_eq!(ring.certified(NOW + 1).unwrap(), certified);
    assert_ne!(ring.certified(NOW + 3600).unwrap(), certified);
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
    let (_data, ring) = ring();
    assert!(ring.own(ring.root.kid(), NOW).is_none());
    let signing = ring.certified(NOW).unwrap().key.id();
    assert_eq!(
        ring.own(&signing, NOW).unwrap().authority,
        Authority::Platform
    );
    let parts = ring.files().parts.kid().clone();
    assert_eq!(
        ring.own(&parts, NOW).unwrap().authority,
        Authority::PlatformParts
    );
}

#[test]
fn a_new_key_is_published_before_it_signs_and_the_old_one_counts_after_it() {
    let (data, ring) = ring();
    let old = ring.certified(NOW).unwrap().key.id();
    let keys = rotate(&ring, Handover::Overlapping, NOW);
    let new = keys[1].certified.key.id();
    assert_eq!(kids(&keys), [old.clone(), new.clone()]);
    assert_eq!(keys[1].begins, NOW + PUBLISHED_AHEAD);
    let signs = |now| ring.certified(now).unwrap().key.id();
    assert_eq!(signs(NOW + PUBLISHED_AHEAD - 1), old);
    assert_eq!(signs(NOW + PUBLISHED_AHEAD), new);
    assert!(ring.own(&new, NOW).is_some(), "it is published");
    let over = NOW + PUBLISHED_AHEAD + schedule::COUNTS_AFTER;
    assert!(ring.own(&old, over - 1).is_some());
    assert!(ring.own(&old, over).is_none());
    let leaving = &ring.listed(over - 1).unwrap()[0];
    assert_eq!(
        (leaving.certified.key.id(), leaving.certified.not_after),
        (old, over)
    );
    assert_eq!(ring.keep(i64::MAX, over).unwrap(), KeyScan::Same);
    assert!(
        !data.path().join("signing-1.pem").exists(),
        "it is kept for nothing"
    );
    assert_eq!(signs(over), new);
}

#[test]
fn a_rotation_while_a_key_waits_and_a_repeat_have_no_effect() {
    let (_data, ring) = ring();
    let first = rotate(&ring, Handover::Overlapping, NOW);
    assert_eq!(
        kids(&rotate(&ring, Handover::Overlapping, NOW + 1)),
        kids(&first)
    );
    let id = RequestId::generate();
    let once = ring.rotate(id, Handover::AtOnce, NOW).unwrap();
    let again = ring.rotate(id, Handover::AtOnce, NOW + 1).unwrap();
    assert_eq!(kids(&once), kids(&again));
}

#[test]
fn a_rotation_at_once_leaves_one_key_and_no_file_of_the_others() {
    let (data, ring) = ring();
    rotate(&ring, Handover::Overlapping, NOW);
    let before = kids(&ring.listed(NOW).unwrap());
    let keys = rotate(&ring, Handover::AtOnce, NOW);
    assert_eq!((keys.len(), keys[0].phase), (1, Phase::Signing));
    assert!(before.iter().all(|kid| ring.own(kid, NOW).is_none()));
    let names = names(data.path());
    assert_eq!(
        names,
        [
            "parts.pem",
            "platform.pem",
            "root.pem",
            "root.pub",
            &format!("signing-{NOW}.pem")
        ]
    );
}

#[test]
fn rotations_at_once_by_several_replicas_leave_a_key() {
    for _ in 0..20 {
        let (data, ring) = ring();
        let rings: Vec<_> = (0..4)
            .map(|_| KeyRing::open(data.path()).unwrap())
            .collect();
        std::thread::scope(|scope| {
            for (later, ring) in (0..).zip(&rings) {
                scope.spawn(move || rotate(ring, Handover::AtOnce, NOW + later));
            }
        });
        assert_eq!(ring.keep(i64::MAX, NOW + 10).unwrap(), KeyScan::Gone);
        assert!(!ring.listed(NOW + 10).unwrap().is_empty());
        assert!(!data.path().join("signing-1.pem").exists());
    }
}

#[test]
fn a_request_id_is_not_for_another_handover() {
    let (_data, ring) = ring();
    let id = RequestId::generate();
    let keys = ring.rotate(id, Handover::Overlapping, NOW).unwrap();
    let error = ring.rotate(id, Handover::AtOnce, NOW).unwrap_err();
    assert!(matches!(error, RotateError::Reused), "{error}");
    assert_eq!(kids(&ring.listed(NOW).unwrap()), kids(&keys));
}

#[test]
fn what_is_vouched_for_is_signed_by_the_key_that_is_told() {
    let (_data, ring) = ring();
    for now in [NOW, NOW + 1] {
        let (certified, signature) = ring.vouch(b"said", now).unwrap();
        assert!(certified.key.verifies(b"said", &signature));
        assert_eq!(certified, ring.certified(now).unwrap());
        rotate(&ring, Handover::AtOnce, NOW + 1);
    }
}

#[test]
fn a_key_that_got_old_makes_place_by_itself() {
    let (_data, ring) = ring();
    let age = 1000;
    ring.keep(age, NOW).unwrap();
    let keys = ring.listed(NOW).unwrap();
    assert_eq!((keys.len(), keys[1].begins), (2, NOW + PUBLISHED_AHEAD));
    ring.keep(age, NOW + 1).unwrap();
    assert_eq!(ring.listed(NOW).unwrap().len(), 2);
}

#[test]
fn a_second_replica_takes_up_what_the_first_did() {
    let (data, first) = ring();
    let second = KeyRing::open(data.path()).unwrap();
    let keys = rotate(&first, Handover::Overlapping, NOW);
    assert_eq!(second.keep(i64::MAX, NOW).unwrap(), KeyScan::Same);
    assert_eq!(kids(&second.listed(NOW).unwrap()), kids(&keys));
    let keys = rotate(&first, Handover::AtOnce, NOW);
    assert_eq!(second.keep(i64::MAX, NOW).unwrap(), KeyScan::Gone);
    assert_eq!(kids(&second.listed(NOW).unwrap()), kids(&keys));
    let parts = SigningKey::generate().unwrap();
    std::fs::write(data.path().join(PARTS_KEY), parts.to_pem()).unwrap();
    assert_eq!(second.keep(i64::MAX, NOW).unwrap(), KeyScan::Gone);
    assert!(second.own(parts.kid(), NOW).is_some());
}

#[test]
fn files_that_are_wrong_leave_what_is_in_use() {
    let (data, ring) = ring();
    let used = kids(&ring.listed(NOW).unwrap());
    for name in ["signing-5.pem", PARTS_KEY] {
        std::fs::write(data.path().join(name), "half").unwrap();
        assert!(ring.keep(i64::MAX, NOW).is_err(), "{name}");
        assert_eq!(kids(&ring.listed(NOW).unwrap()), used);
    }
}
