use aws_lc_rs::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
};

use super::*;
use crate::secret::{JOIN_TOKEN_PREFIX, Secret};

fn signed() -> (Joining, SecretDigest, Vec<u8>) {
    let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
    let public = key.public_key().as_ref().to_vec();
    let token = Secret::generate(JOIN_TOKEN_PREFIX).digest();
    let parts: [&[u8]; 4] = [b"causeway-join-v1", &token.0, &public, &public];
    let proof = key.sign(&SystemRandom::new(), &parts.concat()).unwrap();
    let joining = Joining::new(public.clone(), public, "1.0.0".to_owned());
    (joining, token, proof.as_ref().to_vec())
}

#[test]
fn the_proof_binds_the_token_and_both_keys() {
    let (joining, token, proof) = signed();
    assert_eq!(joining.check_proof(&token, &proof), Ok(()));
    let other = Secret::generate(JOIN_TOKEN_PREFIX).digest();
    assert_eq!(joining.check_proof(&other, &proof), Err(JoinRefusal::Proof));
    let mut sealed_elsewhere = joining.clone();
    sealed_elsewhere.sealing_key[1] ^= 1;
    assert_eq!(sealed_elsewhere.check_proof(&token, &proof), Err(JoinRefusal::Proof));
    for bad in [vec![], vec![0; 64], vec![0; 100_000]] {
        assert_eq!(joining.check_proof(&token, &bad), Err(JoinRefusal::Proof));
    }
}

#[test]
fn a_clock_may_be_off_by_sixty_seconds_and_no_more() {
    let now = 1_700_000_000_000;
    assert_eq!(check_clock(now + 60_000, now), Ok(()));
    assert_eq!(check_clock(now - 60_000, now), Ok(()));
    let before = check_clock(now + 75_400, now);
    assert_eq!(before, Err(JoinRefusal::Clock { seconds: 75 }));
    let behind = check_clock(now - 3_600_000, now).unwrap_err();
    assert_eq!(behind.to_string(), "clock off by -3600 s: set the runtime's clock and join again");
    assert!(check_clock(i64::MIN, now).is_err());
}

#[test]
fn ids_are_of_one_width_and_never_the_same() {
    let one = Joining::new(vec![], vec![], String::new());
    let other = Joining::new(vec![], vec![], String::new());
    assert_eq!(one.runtime_id.as_str().len(), 23);
    assert_ne!(one.runtime_id, other.runtime_id);
    assert!(one.key_id.as_str().starts_with(one.runtime_id.as_str()));
}
