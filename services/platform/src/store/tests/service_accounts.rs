//! Service accounts and whom they trust.

use std::collections::BTreeMap;

use super::{
    sign_in::{add, begin, beginning, dex, is_revoked, session},
    *,
};
use crate::{
    identity_provider::Identity,
    service_account::{ServiceAccount, TrustRule},
};

over_each_store!(service_accounts_are_users_with_rules_of_trust);

async fn service_accounts_are_users_with_rules_of_trust(subject: &Subject) {
    let store = &subject.store;
    let user = User::new(
        account("default"),
        "ci".parse().unwrap(),
        "CI".to_owned(),
        Vec::new(),
        3,
    );
    let rule = |subject: &str| TrustRule {
        issuer: "https://ci.example.com".to_owned(),
        audience: "causeway".to_owned(),
        subject: Some(subject.to_owned()),
        claims: BTreeMap::from([("ref".to_owned(), "refs/heads/main".to_owned())]),
    };
    let made = ServiceAccount {
        user: user.clone(),
        trust: vec![rule("repo:a/b")],
    };
    let create = request("default", "CreateServiceAccount");
    let first = store.create_service_account(&create, &made).await.unwrap();
    assert_eq!(first, Change::Made(Recorded::First(made.clone())));
    assert_eq!(
        store
            .list_service_accounts(&account("default"))
            .await
            .unwrap(),
        std::slice::from_ref(&made)
    );
    assert_eq!(
        store
            .list_service_accounts(&account("other"))
            .await
            .unwrap(),
        []
    );
    assert!(
        store
            .find_user(&account("default"), &user.user)
            .await
            .unwrap()
            .is_some()
    );

    let arrival = Beginning {
        arrival: Arrival::Service(user.user.clone()),
        ..beginning("default", "x", "x", &[], 10)
    };
    let (_, digest) = session(subject, &arrival).await;
    let set = request("default", "SetTrustRules");
    let changed = store
        .set_trust_rules(&set, &user.user, &[rule("repo:a/c")], 11)
        .await;
    let Change::Made(Recorded::First(changed)) = changed.unwrap() else {
        panic!()
    };
    assert_eq!(changed.trust, [rule("repo:a/c")]);
    assert!(is_revoked(subject, digest).await);
    add(subject, "default").await;
    let link = Identity {
        provider: dex(),
        subject: Some("u".to_owned()),
        name: None,
        user: user.user.clone(),
        linked_at: 1,
    };
    let linked = store
        .link_identity(&request("default", "LinkIdentity"), &link)
        .await
        .unwrap();
    assert_eq!(linked, Change::Unknown, "people are no service accounts");
    let admins = Beginning {
        arrival: Arrival::Service(admin()),
        ..arrival
    };
    assert_eq!(
        begin(subject, &admins).await.0,
        Admitted::Gone,
        "people's users are none either"
    );
}
