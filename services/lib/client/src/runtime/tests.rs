use causeway_assertion::SigningKey;
use causeway_proto::platform::v1 as pb;
use prost_types::Timestamp;

use super::{read_signing_keys, signing_key_statement};

fn certified(root: &SigningKey, key: &SigningKey) -> pb::SigningKey {
    let statement = signing_key_statement(key.kid().as_str(), key.public_key(), 100, 200);
    let time = |seconds| Some(Timestamp { seconds, nanos: 0 });
    pb::SigningKey {
        key_id: key.kid().to_string(),
        public_key: key.public_key().as_bytes().to_vec().into(),
        not_before: time(100),
        not_after: time(200),
        root_signature: root.sign_bytes(&statement).unwrap().into(),
        ..pb::SigningKey::default()
    }
}

#[test]
fn only_keys_that_the_root_certifies_are_trusted() {
    let (root, other, key) = (
        SigningKey::generate().unwrap(),
        SigningKey::generate().unwrap(),
        SigningKey::generate().unwrap(),
    );
    let good = certified(&root, &key);
    let foreign = certified(&other, &key);
    let mut longer = good.clone();
    longer.not_after = Some(Timestamp {
        seconds: 300,
        nanos: 0,
    });
    let mut exchanged = good.clone();
    exchanged.public_key = other.public_key().as_bytes().to_vec().into();
    let trusted = read_signing_keys(root.public_key(), &[foreign, longer, exchanged, good]);
    assert_eq!(trusted.len(), 1);
    assert!(trusted[0].is_valid_at(150_000));
    assert!(!trusted[0].is_valid_at(99_999) && !trusted[0].is_valid_at(200_000));
}
