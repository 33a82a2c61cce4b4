//! Tests of service accounts and trust rules.

use std::collections::BTreeMap;

use super::{
    policies::{first, named},
    sign_in::{add, begin, beginning, dex, is_revoked, provider, session},
    *,
};
use crate::{
    identity_providers::model::Identity,
    service_accounts::model::{ServiceAccount, TrustRule},
    users::model::UserStatus,
};

over_each_store!(
    service_accounts_are_users_with_rules_of_trust,
    a_user_who_gets_the_name_of_a_deleted_service_account_is_not_trusted_by_its_rules,
    who_is_trusted_is_decided_by_the_policy_as_it_is_when_it_is_written,
);

fn rule(subject: &str) -> TrustRule {
    TrustRule {
        issuer: "https://ci.example.com".to_owned(),
        audience: "causeway".to_owned(),
        subject: Some(subject.to_owned()),
        claims: BTreeMap::from([("ref".to_owned(), "refs/heads/main".to_owned())]),
    }
}

fn service_account(name: &str) -> ServiceAccount {
    let (of, user) = (account("default"), name.parse().unwrap());
    ServiceAccount {
        user: User::new(of, user, name.to_owned(), Vec::new(), 3),
        trust: vec![rule("repo:a/b")],
    }
}

async fn service_accounts_are_users_with_rules_of_trust(subject: &Subject) {
    let store = &subject.store;
    let made = service_account("ci");
    let user = made.user.clone();
    let create = request("default", "CreateServiceAccount");
    let first = store.create_service_account(&create, &made).await.unwrap();
    assert_eq!(first, Change::Made(Recorded::First(made.clone())));
    assert_eq!(
        store
            .list_service_accounts(&account("default"), None, 1000)
            .await
            .unwrap(),
        std::slice::from_ref(&made)
    );
    assert_eq!(
        store
            .list_service_accounts(&account("other"), None, 1000)
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

    let arrival = SessionRequest {
        arrival: Authenticated::Service(user.user.clone(), Box::new(rule("repo:a/b"))),
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
    let late = begin(subject, &arrival).await.0;
    assert_eq!(
        late,
        SignInOutcome::Gone,
        "the rule was taken away meanwhile"
    );
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
    let admins = SessionRequest {
        arrival: Authenticated::Service(admin(), Box::new(rule("repo:a/c"))),
        ..arrival
    };
    assert_eq!(
        begin(subject, &admins).await.0,
        SignInOutcome::Gone,
        "people's users are none either"
    );
}

async fn a_user_who_gets_the_name_of_a_deleted_service_account_is_not_trusted_by_its_rules(
    subject: &Subject,
) {
    let (store, ci) = (&subject.store, service_account("ci"));
    let create = async |method| {
        let request = request("default", method);
        store.create_service_account(&request, &ci).await.unwrap()
    };
    create("CreateServiceAccount").await;
    let delete = async || {
        first(subject.stand("default", "ci", UserStatus::Deleted).await);
    };
    delete().await;
    assert_eq!(
        subject.create(&ci.user).await,
        Change::first(ci.user.clone())
    );
    let arrival = SessionRequest {
        arrival: Authenticated::Service(ci.user.user.clone(), Box::new(rule("repo:a/b"))),
        ..beginning("default", "x", "x", &[], 10)
    };
    assert_eq!(begin(subject, &arrival).await.0, SignInOutcome::Gone);
    delete().await;
    assert_eq!(create("Again").await, Change::first(ci.clone()));
}

async fn who_is_trusted_is_decided_by_the_policy_as_it_is_when_it_is_written(subject: &Subject) {
    let (store, ci) = (&subject.store, service_account("ci"));
    add(subject, "default").await;
    let create = request("default", "CreateServiceAccount");
    store.create_service_account(&create, &ci).await.unwrap();
    let before = subject.version("default").await;
    let new = named("default", "kim", &["viewer"]);
    first(subject.create(&new).await);
    let late = |method| UserRequest {
        method,
        ..request("default", "Late").checked_at(before)
    };
    let (okta, lee) = (provider("default", "okta"), service_account("lee"));
    let made = store.create_identity_provider(&late("Create"), &okta).await;
    assert_eq!(made.unwrap(), Change::Overtaken);
    let found = provider("default", "dex");
    let changed = store
        .update_identity_provider(&late("Update"), &found, &found.version(), 6)
        .await;
    assert_eq!(changed.unwrap(), Change::Overtaken);
    let link = Identity {
        provider: dex(),
        subject: Some("u".to_owned()),
        name: None,
        user: new.user.clone(),
        linked_at: 1,
    };
    let linked = store.link_identity(&late("Link"), &link).await.unwrap();
    assert_eq!(linked, Change::Overtaken);
    let served = store.create_service_account(&late("Serve"), &lee).await;
    assert_eq!(served.unwrap(), Change::Overtaken);
    let trusted = store
        .set_trust_rules(&late("Trust"), &ci.user.user, &[], 7)
        .await;
    assert_eq!(trusted.unwrap(), Change::Overtaken);
    let deleted = store
        .delete_identity_provider(&late("Delete"), &dex(), 7)
        .await;
    assert_eq!(deleted.unwrap(), Change::Overtaken);
    let unlinked = store
        .unlink_identity(&late("Unlink"), &new.user, &dex(), 7)
        .await;
    assert_eq!(unlinked.unwrap(), Change::Overtaken);
    let account = account("default");
    let kept = store.find_service_account(&account, &ci.user.user).await;
    assert_eq!(kept.unwrap(), Some(ci));
}
