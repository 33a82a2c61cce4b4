use std::collections::BTreeMap;

use super::*;
use crate::{
    identity_providers::{
        discovery::purpose,
        model::{Admission, ClientSecret, Identity, IdentityProvider, Settings},
    },
    keys::ring::Handover,
};

const HOUR: i64 = 60 * 60 * 1000;

fn provider() -> IdentityProvider {
    let settings = Settings {
        display_name: "Dex".to_owned(),
        client_id: "causeway".to_owned(),
        scopes: Vec::new(),
        user_claim: None,
        groups_claim: "groups".to_owned(),
        group_roles: BTreeMap::new(),
        allowed_domains: Vec::new(),
        admission: Admission::Linked,
        ca: String::new(),
    };
    IdentityProvider {
        account: account(),
        provider: "dex".parse().unwrap(),
        issuer: "https://dex.example.com".to_owned(),
        settings,
        secret: None,
        created_at: 1,
    }
}

impl CallStage {
    async fn add(&self, provider: &IdentityProvider) {
        let store = &self.platform.users.store;
        let made = store.create_identity_provider(&request(), provider).await;
        assert!(matches!(made.unwrap(), Change::Made(_)));
    }

    async fn link(&self, by: &str, user: &str) -> Result<Identity, ChangeError> {
        let identity = Identity {
            provider: provider().provider,
            subject: Some(format!("subject of {user} by {by}")),
            name: None,
            user: user.parse().unwrap(),
            linked_at: 5,
        };
        let (by, request) = (asker(by), request());
        self.platform
            .identity_providers
            .link_identity(&by, &request, &identity)
            .await
    }

    async fn secret(&self) -> Vec<u8> {
        let of = provider();
        let found = self
            .platform
            .users
            .store
            .find_identity_provider(&of.account, &of.provider);
        found.await.unwrap().unwrap().secret.unwrap().sealed
    }
}

#[tokio::test]
async fn nobody_is_linked_to_the_roles_that_another_user_gets_later() {
    let stage = CallStage::new().await;
    stage.add(&provider()).await;
    stage.role("linker", "identity", &["link"]).await;
    stage.user("kim", &["viewer", "linker"]).await;
    stage.user("new", &[]).await;
    let refused = stage.link("kim", "new").await.unwrap_err();
    assert!(matches!(refused, ChangeError::AnothersLink), "{refused}");
    stage.link("kim", "kim").await.unwrap();
    stage.link("admin", "new").await.unwrap();
}

#[tokio::test]
async fn client_secrets_are_sealed_anew_and_only_then_the_former_key_goes() {
    let stage = CallStage::new().await;
    let (keys, now) = (&stage.platform.keys.context.keys, now());
    let sealed = keys.seal(&purpose(&provider()), b"secret", now / 1000);
    let sealed = sealed.unwrap();
    stage
        .add(&IdentityProvider {
            secret: Some(ClientSecret::new(sealed.clone())),
            ..provider()
        })
        .await;
    // What no key opens stands in nobody's way.
    let foreign = IdentityProvider {
        provider: "okta".parse().unwrap(),
        secret: Some(ClientSecret::new(vec![1; 40])),
        ..provider()
    };
    stage.add(&foreign).await;
    stage.platform.identity_providers.reseal(now).await.unwrap();
    assert_eq!(stage.secret().await, sealed, "there is one key only");

    let request = RequestId::generate();
    let rotated = stage
        .platform
        .keys
        .rotate_sealing_key(request, Handover::AtOnce);
    rotated.unwrap();
    let opened = || keys.unseal(&purpose(&provider()), &sealed);
    assert_eq!(opened().unwrap(), b"secret");
    stage
        .platform
        .identity_providers
        .reseal(now + 10_000)
        .await
        .unwrap();
    let anew = stage.secret().await;
    assert_ne!(anew, sealed);
    assert_eq!(opened().unwrap(), b"secret", "a replica may seal by it yet");
    stage
        .platform
        .identity_providers
        .reseal(now + HOUR)
        .await
        .unwrap();
    assert!(opened().is_err(), "the former key is gone");
    assert_eq!(stage.secret().await, anew);
    assert_eq!(
        keys.unseal(&purpose(&provider()), &anew).unwrap(),
        b"secret"
    );
    let files = std::fs::read_dir(stage.folder.path()).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let sealing = names.filter(|name| name.starts_with("sign-in"));
    assert_eq!(sealing.count(), 1);
}
