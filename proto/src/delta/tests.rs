use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};

use sha2::{Digest as _, Sha256};

use super::*;

const LIMIT: usize = 1 << 16;

fn check<S: Strategy>(strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config).run(strategy, test).unwrap();
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..2_000)
}

#[test]
fn encoding_and_applying_a_patch_restores_the_target() {
    check(&(bytes(), bytes()), |(base, target)| {
        let patch = encode(&base, &target);
        prop_assert_eq!(&apply(&base, &patch, LIMIT).unwrap()[..], &target[..]);
        Ok(())
    });
}

#[test]
fn small_changes_make_small_patches() {
    // Nothing in it is found twice, so only the base can make it small.
    let base: Vec<u8> = (0..300_u32)
        .flat_map(|number| Sha256::digest(number.to_be_bytes()))
        .collect();
    let mut target = base.clone();
    target.splice(5_000..5_002, *b"changed");
    let patch = encode(&base, &target);
    assert!(patch.len() < 60, "{} bytes", patch.len());
    assert_eq!(&apply(&base, &patch, LIMIT).unwrap()[..], &target[..]);
}

#[test]
fn base_with_dictionary_magic_is_raw_content() {
    let base = [&DICTIONARY[..], &[7; 200]].concat();
    let target = [&base[..], b"changed"].concat();
    let patch = encode(&base, &target);
    assert_eq!(apply(&base, &patch, LIMIT).unwrap(), target);
}

#[test]
fn large_bases_are_used_completely() {
    let base: Vec<u8> = (0..100_000_u32)
        .flat_map(|number| Sha256::digest(number.to_be_bytes()))
        .collect();
    let target = [b"changed", &base[..]].concat();
    let patch = encode(&base, &target);
    assert!(patch.len() < base.len() / 100, "{} bytes", patch.len());
    assert_eq!(apply(&base, &patch, target.len()).unwrap(), target);
}

#[test]
fn arbitrary_patches_never_exceed_the_limit() {
    check(&(bytes(), bytes()), |(base, patch)| {
        if let Ok(target) = apply(&base, &patch, LIMIT) {
            prop_assert!(target.len() <= LIMIT);
        }
        Ok(())
    });
}

#[test]
fn corrupted_patches_never_exceed_the_limit() {
    let place = any::<prop::sample::Index>();
    let given = (bytes(), bytes(), place, any::<u8>());
    check(&given, |(base, target, place, byte)| {
        let mut patch = encode(&base, &target);
        let place = place.index(patch.len());
        patch[place] = byte;
        if let Ok(target) = apply(&base, &patch, LIMIT) {
            prop_assert!(target.len() <= LIMIT);
        }
        Ok(())
    });
}

#[test]
fn oversized_patches_are_rejected_before_decoding() {
    let bomb = encode(b"", &vec![0; 50 << 20]);
    assert!(bomb.len() < 1 << 16);
    let refused = apply(b"", &bomb, LIMIT).unwrap_err();
    let (size, limit) = (50 << 20, LIMIT);
    assert_eq!(refused, PatchError::TooLarge { size, limit });
    let twice = [encode(b"", b"one"), encode(b"", b"two")].concat();
    assert_eq!(apply(b"", &twice, LIMIT), Err(PatchError::Malformed));
}

#[test]
fn frames_without_content_size_are_rejected() {
    let mut patch = Vec::new();
    zstd::stream::copy_encode(&b"text"[..], &mut patch, 3).unwrap();
    assert_eq!(apply(b"", &patch, LIMIT), Err(PatchError::Malformed));
}

#[test]
fn patch_of_another_base_does_not_restore_the_target() {
    let target = [7; 900];
    let base: Vec<u8> = (0..900).map(|number: u16| (number % 251) as u8).collect();
    let patch = encode(&base, &[&base[..], &target].concat());
    let other = vec![1; base.len()];
    let made = apply(&other, &patch, LIMIT);
    assert!(made.is_err() || made.is_ok_and(|made| made[..base.len()] != base[..]));
}
