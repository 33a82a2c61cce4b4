//! Tests of the effects of provider changes on sessions and pending links.

use super::{
    sign_in::{add, begin, beginning, dex, is_revoked, provider, session},
    *,
};
use crate::identity_providers::model::{
    Admission, ClientSecret, Identity, IdentityProvider, NAME_WAITS, Settings,
};

over_each_store!(
    what_was_decided_by_a_provider_as_it_was_makes_no_session_when_it_is_another_one,
    a_change_that_was_made_from_what_is_not_there_any_more_is_refused,
    a_secret_that_is_sealed_anew_is_no_change_and_stays_so_through_one,
    a_change_of_who_may_come_ends_the_sessions_that_there_are,
    another_claim_for_names_leaves_no_link_that_waits_for_a_name,
    n_59_a_name_that_somebody_has_is_not_linked_to_wait_for_whoever_gets_it_next,
    a_link_by_name_waits_for_two_weeks_and_no_longer,
);

async fn change(subject: &Subject, settings: &Settings, now: i64) {
    let update = request("default", "UpdateIdentityProvider");
    let found = there(subject).await;
    let settings = settings.clone();
    let changed = IdentityProvider {
        settings,
        ..found.clone()
    };
    let changed = subject
        .store
        .update_identity_provider(&update, &changed, &found.version(), now)
        .await;
    assert!(matches!(changed.unwrap(), Change::Made(_)));
}

async fn there(subject: &Subject) -> IdentityProvider {
    let account = account("default");
    let found = subject.store.find_identity_provider(&account, &dex()).await;
    found.unwrap().unwrap()
}

fn settings() -> Settings {
    provider("default", "dex").settings
}

fn narrowed() -> Settings {
    Settings {
        allowed_domains: vec!["x.org".to_owned()],
        ..settings()
    }
}

async fn what_was_decided_by_a_provider_as_it_was_makes_no_session_when_it_is_another_one(
    subject: &Subject,
) {
    let store = &subject.store;
    add(subject, "default").await;
    let ada = beginning("default", "u-1", "ada", &["ada"], 10);
    change(subject, &narrowed(), 11).await;
    assert_eq!(begin(subject, &ada).await.0, SignInOutcome::Gone);
    change(subject, &settings(), 12).await;
    session(subject, &ada).await;

    let delete = request("default", "DeleteIdentityProvider");
    let deleted = store.delete_identity_provider(&delete, &dex(), 13).await;
    assert!(matches!(deleted.unwrap(), Change::Made(_)));
    let mut other = provider("default", "dex");
    other.issuer = "https://elsewhere.example.com".to_owned();
    let create = request("default", "CreateIdentityProvider");
    let made = store.create_identity_provider(&create, &other).await;
    assert!(matches!(made.unwrap(), Change::Made(_)));
    let bob = beginning("default", "u-2", "bob", &["bob"], 14);
    assert_eq!(begin(subject, &bob).await.0, SignInOutcome::Gone);
    let (account, name) = (account("default"), "bob".parse().unwrap());
    let made = store.find_user(&account, &name).await.unwrap();
    assert_eq!(made, None, "nobody becomes a user by it either");
}

async fn a_change_that_was_made_from_what_is_not_there_any_more_is_refused(subject: &Subject) {
    let store = &subject.store;
    add(subject, "default").await;
    let found = there(subject).await;
    change(subject, &narrowed(), 11).await;
    // Somebody else looked before that, and only wants another name for it.
    let mut named = found.clone();
    named.settings.display_name = "Another name".to_owned();
    let late = request("default", "UpdateIdentityProvider");
    let refused = store
        .update_identity_provider(&late, &named, &found.version(), 12)
        .await;
    assert_eq!(refused.unwrap(), Change::Stale);
    let narrow = there(subject).await;
    assert_eq!(narrow.settings, narrowed());

    let public = IdentityProvider {
        secret: None,
        ..narrow.clone()
    };
    let removed = request("default", "UpdateIdentityProvider");
    for now in [13, 14] {
        let made = store
            .update_identity_provider(&removed, &public, &narrow.version(), now)
            .await;
        assert!(matches!(made.unwrap(), Change::Made(_)), "a repeat is none");
    }
    assert_eq!(there(subject).await, public);
    assert_ne!(public.version(), narrow.version());
}

async fn a_secret_that_is_sealed_anew_is_no_change_and_stays_so_through_one(subject: &Subject) {
    let store = &subject.store;
    add(subject, "default").await;
    add(subject, "other").await;
    let before = there(subject).await;
    store.reseal(&before, vec![9, 9]).await.unwrap();
    // What was sealed before that is not what is there any more.
    store.reseal(&before, vec![8, 8]).await.unwrap();
    assert_eq!(there(subject).await.version(), before.version());

    let mut named = before.clone();
    named.settings.display_name = "Another name".to_owned();
    let update = request("default", "UpdateIdentityProvider");
    let made = store
        .update_identity_provider(&update, &named, &before.version(), 12)
        .await;
    assert!(matches!(made.unwrap(), Change::Made(_)));
    let after = there(subject).await;
    assert_eq!(after.settings, named.settings);
    let sealed = |of: &IdentityProvider| of.secret.clone().unwrap().sealed;
    assert_eq!(sealed(&after), [9, 9], "by the key that seals now");

    let replaced = IdentityProvider {
        secret: Some(ClientSecret::new(vec![7])),
        ..after.clone()
    };
    let update = request("default", "UpdateIdentityProvider");
    let made = store
        .update_identity_provider(&update, &replaced, &after.version(), 13)
        .await;
    assert!(matches!(made.unwrap(), Change::Made(_)));
    assert_eq!(sealed(&there(subject).await), [7]);
    assert_ne!(replaced.version(), after.version());
    let other = account("other");
    let other = store.find_identity_provider(&other, &dex()).await;
    assert_eq!(sealed(&other.unwrap().unwrap()), [1, 2, 3]);
}

async fn a_change_of_who_may_come_ends_the_sessions_that_there_are(subject: &Subject) {
    add(subject, "default").await;
    let ada = beginning("default", "u-1", "ada", &["ada"], 10);
    let (_, digest) = session(subject, &ada).await;
    let mut same = settings();
    same.display_name = "Another name".to_owned();
    same.scopes.clear();
    same.group_roles.clear();
    change(subject, &same, 11).await;
    assert!(!is_revoked(subject, digest).await, "groups are looked up");
    change(subject, &settings(), 12).await;

    let other = |turn: fn(&mut Settings)| {
        let mut settings = settings();
        turn(&mut settings);
        settings
    };
    for changed in [
        other(|it| it.allowed_domains.push("x.org".to_owned())),
        other(|it| it.admission = Admission::Linked),
        other(|it| it.groups_claim = "teams".to_owned()),
        other(|it| it.user_claim = Some("nickname".to_owned())),
        other(|it| it.client_id = "another".to_owned()),
        other(|it| it.ca = "PEM".to_owned()),
    ] {
        let (_, digest) = session(subject, &ada).await;
        change(subject, &changed, 13).await;
        assert!(is_revoked(subject, digest).await, "{changed:?}");
        change(subject, &settings(), 14).await;
    }
}

fn link(user: &str, name: &str, linked_at: i64) -> Identity {
    Identity {
        provider: dex(),
        subject: None,
        name: Some(name.to_owned()),
        user: user.parse().unwrap(),
        linked_at,
    }
}

async fn make(subject: &Subject, identity: &Identity) -> Change<Identity> {
    let request = request("default", "LinkIdentity");
    let made = subject.store.link_identity(&request, identity).await;
    made.unwrap()
}

async fn another_claim_for_names_leaves_no_link_that_waits_for_a_name(subject: &Subject) {
    add(subject, "default").await;
    let waiting = link("admin", "ada@x.org", 10);
    assert!(matches!(make(subject, &waiting).await, Change::Made(_)));
    let mut changed = settings();
    changed.user_claim = Some("nickname".to_owned());
    change(subject, &changed, 11).await;
    let (account, admin) = (account("default"), admin());
    let admins = subject
        .store
        .list_identities(&account, &admin, (None, 1000))
        .await;
    assert_eq!(admins.unwrap(), []);
    change(subject, &settings(), 12).await;
    let (eve, _) = begin(subject, &beginning("default", "u-6", "ada@x.org", &[], 13)).await;
    assert_eq!(eve, SignInOutcome::NotLinked);
}

async fn n_59_a_name_that_somebody_has_is_not_linked_to_wait_for_whoever_gets_it_next(
    subject: &Subject,
) {
    add(subject, "default").await;
    let ada = beginning("default", "u-1", "ada@x.org", &["ada"], 10);
    let (first, _) = session(subject, &ada).await;
    let waiting = link("admin", "ada@x.org", 11);
    assert_eq!(make(subject, &waiting).await, Change::NameTaken);
    // She has another name by now, and the old one is free.
    let renamed = beginning("default", "u-1", "ada@y.org", &["other"], 12);
    assert_eq!(session(subject, &renamed).await.0.user, first.user);
    let new = link("admin", "ada@y.org", 13);
    assert_eq!(make(subject, &new).await, Change::NameTaken);
    assert!(matches!(make(subject, &waiting).await, Change::Made(_)));
}

async fn a_link_by_name_waits_for_two_weeks_and_no_longer(subject: &Subject) {
    let store = &subject.store;
    add(subject, "default").await;
    let waiting = link("admin", "ada@x.org", 10);
    assert!(matches!(make(subject, &waiting).await, Change::Made(_)));
    let late = 10 + NAME_WAITS;
    let (eve, _) = begin(
        subject,
        &beginning("default", "u-6", "ada@x.org", &[], late),
    )
    .await;
    assert_eq!(eve, SignInOutcome::NotLinked);
    let again = link("admin", "ada@x.org", late);
    let made = make(subject, &again).await;
    assert!(matches!(made, Change::Made(_)), "{made:?}");
    let (account, admin) = (account("default"), admin());
    let there = store
        .list_identities(&account, &admin, (None, 1000))
        .await
        .unwrap();
    assert_eq!(there, [again]);
    store
        .sweep_sign_ins(0, late + NAME_WAITS - 1)
        .await
        .unwrap();
    let there = store
        .list_identities(&account, &admin, (None, 1000))
        .await
        .unwrap();
    assert_eq!(there.len(), 1);
    store.sweep_sign_ins(0, late + NAME_WAITS).await.unwrap();
    let there = store
        .list_identities(&account, &admin, (None, 1000))
        .await
        .unwrap();
    assert_eq!(there, []);
}
