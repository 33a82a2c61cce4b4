use bytes::Bytes;
use causeway_proto::inventory::v1 as pb;
use prost::Message as _;

use super::{from_delta, to_delta, unpacked};
use crate::{
    digest::Digest,
    patch,
    report::{Fault, MANIFEST_BYTES, ReportedState},
};

fn state(label: &str) -> pb::ApplicationState {
    pb::ApplicationState {
        labels: [("label".to_owned(), label.to_owned())].into(),
        ..pb::ApplicationState::default()
    }
}

fn digest(bytes: &[u8]) -> Bytes {
    Bytes::copy_from_slice(Digest::of(bytes).as_bytes())
}

fn delta(base: &[u8], target: &[u8]) -> pb::StateDelta {
    pb::StateDelta {
        base_root_digest: digest(base),
        root_digest: digest(target),
        patch: patch::encode(base, target).into(),
        manifests: Vec::new(),
    }
}

fn manifest(content: &[u8]) -> pb::Manifest {
    pb::Manifest {
        digest: digest(content),
        content: Bytes::new(),
        packed: patch::encode(b"", content).into(),
    }
}

#[test]
fn a_state_is_read_from_what_its_base_has_not() {
    let (base, target) = (state("one").encode_to_vec(), state("two").encode_to_vec());
    let delta = to_delta(delta(&base, &target)).unwrap();
    let Ok(ReportedState::Application(made)) = from_delta(&delta, &base) else {
        panic!("it is a state");
    };
    assert_eq!(&made.canonical[..], &target[..]);
    assert_eq!(made.root_digest, Digest::of(&target));
    assert_eq!(made.summary.traits.labels["label"], "two");
}

#[test]
fn what_a_patch_makes_is_bounded_and_named_where_it_is_wrong() {
    let base = state("one").encode_to_vec();
    let refused = |target: &[u8]| {
        let delta = to_delta(delta(&base, target)).unwrap();
        let (fault, error) = from_delta(&delta, &base).unwrap_err();
        (fault, error.field)
    };
    let patch = "delta.patch".to_owned();
    assert_eq!(refused(&vec![0; 5 << 20]), (Fault::TooLarge, patch.clone()));
    assert_eq!(refused(b"\xff\xff no state"), (Fault::Field, patch.clone()));
    // Nothing in it is found twice, so a patch of it says where it is found in the base.
    let long = |word: &str| {
        let digests =
            (0..90).map(|number| Digest::of(format!("{word}{number}").as_bytes()).to_string());
        state(&digests.collect::<String>()).encode_to_vec()
    };
    let (base, other) = (long("one"), long("other"));
    let whole = to_delta(delta(&base, &base.clone())).unwrap();
    let (fault, error) = from_delta(&whole, &other).unwrap_err();
    assert_eq!((fault, error.field), (Fault::Field, patch));
}

#[test]
fn manifests_are_verified_and_bounded_together() {
    let with = |manifests: Vec<pb::Manifest>| {
        to_delta(pb::StateDelta {
            manifests,
            ..delta(b"", b"")
        })
    };
    let taken = with(vec![manifest(b"{}"), manifest(b"[]")]).unwrap();
    assert_eq!(taken.manifests[1], (Digest::of(b"[]"), "[]".into()));
    let mut corrupt = manifest(b"{}");
    corrupt.digest = digest(b"other");
    let half = vec![b' '; MANIFEST_BYTES / 2 + 1];
    let field = |manifests| with(manifests).unwrap_err().field;
    for (manifests, named) in [
        (vec![manifest(b"{}"), corrupt], "delta.manifests[1].content"),
        (
            vec![manifest(&half), manifest(&half)],
            "delta.manifests[1].packed",
        ),
        (vec![manifest(b"{}"); 33], "delta.manifests"),
        (vec![pb::Manifest::default()], "delta.manifests[0].digest"),
    ] {
        assert_eq!(field(manifests), named);
    }
    assert_eq!(
        to_delta(pb::StateDelta::default()).unwrap_err().field,
        "delta.root_digest"
    );
}

#[test]
fn a_manifest_comes_packed_or_plain() {
    let plain = pb::Manifest {
        content: "{}".into(),
        ..pb::Manifest::default()
    };
    assert_eq!(unpacked(plain, 1), Ok("{}".into()));
    assert_eq!(unpacked(manifest(b"{}"), 2), Ok("{}".into()));
    assert!(unpacked(manifest(b"{}"), 1).is_err());
}
