use causeway_assertion::SigningKey;

use super::*;
use crate::{Credential, PeerUrl};

/// Keys of a runtime whose platform is unavailable.
fn alone() -> (tempfile::TempDir, RuntimeKeys) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (key, root) = (
        SigningKey::generate().unwrap(),
        SigningKey::generate().unwrap(),
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("point");
    std::fs::write(&file, key.public_key().as_bytes()).unwrap();
    let read = |point: &[u8]| Ok(PublicKey::from_bytes(point).unwrap());
    let runtime = RuntimeIdentity {
        account: "default".parse().unwrap(),
        runtime_id: "rt-1".parse().unwrap(),
        name: "edge".parse().unwrap(),
        identity_key: *key.public_key(),
        key: None,
        root_key: *root.public_key(),
        signing_keys: Vec::new(),
        platform_url: PeerUrl::parse(&url, None).unwrap(),
        tunnel_url: String::new(),
        tunnel_ca: String::new(),
    };
    let platform = Peer::new(&runtime.platform_url, Credential::None);
    let own = ReloadedFile::open(&file, read).unwrap();
    (folder, RuntimeKeys::new(&runtime, own, platform))
}

#[tokio::test]
async fn while_the_platform_cannot_be_asked_no_key_counts_as_unknown() {
    let (_folder, keys) = alone();
    let kid = SigningKey::generate().unwrap().kid().clone();
    let together = futures::future::join_all((0..3).map(|_| keys.key(&kid))).await;
    assert!(together.iter().all(Result::is_err), "{together:?}");
    assert!(keys.key(&kid).await.is_err(), "and none was asked since");
    let own = keys.own.current().id();
    assert!(keys.key(&own).await.unwrap().is_some());
}
