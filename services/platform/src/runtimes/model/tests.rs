use causeway_assertion::SigningKey;

use super::*;
use crate::secret::{JOIN_TOKEN_PREFIX, Secret};

fn joining(key: &SigningKey) -> Joining {
    Joining::new(*key.public_key(), *key.public_key(), "1.0.0".to_owned())
}

#[test]
fn the_proof_binds_the_token_and_both_keys() {
    let key = SigningKey::generate().unwrap();
    let token = Secret::generate(JOIN_TOKEN_PREFIX).digest();
    let public = key.public_key().as_bytes();
    let statement = [b"causeway-join-v1".as_slice(), &token.0, public, public].concat();
    let proof = key.sign_bytes(&statement).unwrap();
    assert_eq!(joining(&key).check_proof(&token, &proof), Ok(()));
    let other = Secret::generate(JOIN_TOKEN_PREFIX).digest();
    assert_eq!(
        joining(&key).check_proof(&other, &proof),
        Err(JoinRefusal::Proof)
    );
    let mut sealed_elsewhere = joining(&key);
    sealed_elsewhere.sealing_key = *SigningKey::generate().unwrap().public_key();
    assert_eq!(
        sealed_elsewhere.check_proof(&token, &proof),
        Err(JoinRefusal::Proof)
    );
    for bad in [vec![], vec![0; 64], vec![0; 100_000]] {
        assert_eq!(
            joining(&key).check_proof(&token, &bad),
            Err(JoinRefusal::Proof)
        );
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
    assert_eq!(
        behind.to_string(),
        "clock off by -3600 s: set the runtime's clock and join again"
    );
    assert!(check_clock(i64::MIN, now).is_err());
}

#[test]
fn ids_are_of_one_width_and_never_the_same() {
    let key = SigningKey::generate().unwrap();
    let (one, other) = (joining(&key), joining(&key));
    assert_eq!(one.runtime_id.as_str().len(), 23);
    assert_ne!(one.runtime_id, other.runtime_id);
}
