//! Tests of identity providers, links and user creation.

use std::collections::BTreeMap;

use causeway_proto::ids::ProviderName;

use super::*;
use crate::{
    identity_providers::model::{
        Admission, ClientSecret, Identity, IdentityProvider, Person, Settings,
    },
    sessions::model::UserSession,
    users::model::UserStatus,
};

over_each_store!(
    providers_are_made_changed_listed_and_removed_in_their_account,
    a_role_that_a_group_gives_is_not_removed,
    a_person_becomes_a_user_once_and_never_somebody_elses,
    a_link_by_name_binds_the_first_who_has_it,
);

pub(crate) fn dex() -> ProviderName {
    "dex".parse().unwrap()
}

pub(crate) fn provider(of: &str, name: &str) -> IdentityProvider {
    let settings = Settings {
        display_name: name.to_owned(),
        client_id: "causeway".to_owned(),
        scopes: vec!["email".to_owned()],
        user_claim: None,
        groups_claim: "groups".to_owned(),
        group_roles: BTreeMap::from([("ops".to_owned(), vec!["operator".parse().unwrap()])]),
        allowed_domains: Vec::new(),
        admission: Admission::LinkedOrMapped,
        ca: String::new(),
    };
    IdentityProvider {
        account: account(of),
        provider: name.parse().unwrap(),
        issuer: format!("https://{name}.example.com"),
        settings,
        secret: Some(ClientSecret::new(vec![1, 2, 3])),
        created_at: 5,
    }
}

pub(crate) async fn add(subject: &Subject, of: &str) {
    let (create, new) = (request(of, "CreateIdentityProvider"), provider(of, "dex"));
    let made = subject.store.create_identity_provider(&create, &new).await;
    assert!(matches!(made.unwrap(), Change::Made(Recorded::First(_))));
}

pub(crate) fn beginning(
    of: &str,
    subject: &str,
    name: &str,
    user_names: &[&str],
    at: i64,
) -> SessionRequest {
    let person = Person {
        subject: subject.to_owned(),
        name: name.to_owned(),
        groups: vec!["ops".to_owned()],
    };
    SessionRequest {
        account: account(of),
        arrival: Authenticated::Person {
            provider: Box::new(provider(of, "dex")),
            person,
            user_names: user_names.iter().map(|it| it.parse().unwrap()).collect(),
        },
        identity: subject.to_owned(),
        created_at: at,
        expires_at: at + 1_000,
        source_address: "10.0.0.1".to_owned(),
    }
}

pub(crate) async fn begin(
    subject: &Subject,
    beginning: &SessionRequest,
) -> (SignInOutcome, SecretDigest) {
    let (id, digest) = (UserSession::new_id(), Secret::generate("cws_").digest());
    let begun = subject.store.begin_session(beginning, &id, digest).await;
    (begun.unwrap(), digest)
}

pub(crate) async fn session(
    subject: &Subject,
    beginning: &SessionRequest,
) -> (UserSession, SecretDigest) {
    match begin(subject, beginning).await {
        (SignInOutcome::Session(session), digest) => (*session, digest),
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn is_revoked(subject: &Subject, digest: SecretDigest) -> bool {
    let found = subject.store.find_session_holder(digest).await.unwrap();
    found.unwrap().check(20).is_err()
}

async fn providers_are_made_changed_listed_and_removed_in_their_account(subject: &Subject) {
    let store = &subject.store;
    add(subject, "default").await;
    let again = request("default", "CreateIdentityProvider");
    let same = provider("default", "dex");
    let taken = store.create_identity_provider(&again, &same);
    assert_eq!(taken.await.unwrap(), Change::NameTaken);
    let mut unknown = provider("default", "okta");
    unknown
        .settings
        .group_roles
        .insert("x".to_owned(), vec!["nobodys".parse().unwrap()]);
    let refused = store
        .create_identity_provider(&again, &unknown)
        .await
        .unwrap();
    assert_eq!(refused, Change::RoleUnknown("nobodys".parse().unwrap()));

    let before = store.count_revocations().await.unwrap();
    let update = request("default", "UpdateIdentityProvider");
    let version = provider("default", "dex").version();
    let mut wanted = provider("default", "dex");
    wanted.settings.group_roles.clear();
    let changed = store
        .update_identity_provider(&update, &wanted, &version, 6)
        .await;
    let Change::Made(Recorded::First(changed)) = changed.unwrap() else {
        panic!()
    };
    assert_eq!(
        (changed.settings, changed.secret),
        (wanted.settings.clone(), wanted.secret.clone())
    );
    assert!(store.count_revocations().await.unwrap() > before);
    let repeat = store
        .update_identity_provider(&update, &wanted, &version, 7)
        .await;
    assert!(matches!(
        repeat.unwrap(),
        Change::Made(Recorded::Repeated(_))
    ));

    let other = account("other");
    assert_eq!(store.list_identity_providers(&other).await.unwrap(), []);
    assert_eq!(
        store.find_identity_provider(&other, &dex()).await.unwrap(),
        None
    );
    let foreign = request("other", "DeleteIdentityProvider");
    assert_eq!(
        store
            .delete_identity_provider(&foreign, &dex(), 8)
            .await
            .unwrap(),
        Change::Unknown
    );
    let delete = request("default", "DeleteIdentityProvider");
    let deleted = store
        .delete_identity_provider(&delete, &dex(), 9)
        .await
        .unwrap();
    assert_eq!(deleted, Change::Made(Recorded::First(())));
    assert_eq!(
        store
            .list_identity_providers(&account("default"))
            .await
            .unwrap(),
        []
    );
}

async fn a_role_that_a_group_gives_is_not_removed(subject: &Subject) {
    let role = role::Role {
        name: "team".parse().unwrap(),
        description: String::new(),
        rules: Vec::new(),
        times: None,
    };
    let save = request("default", "CreateRole");
    subject
        .store
        .save_role(&save, &role, Save::New)
        .await
        .unwrap();
    let mut given = provider("default", "dex");
    given
        .settings
        .group_roles
        .insert("t".to_owned(), vec![role.name.clone()]);
    let create = request("default", "CreateIdentityProvider");
    subject
        .store
        .create_identity_provider(&create, &given)
        .await
        .unwrap();
    let delete = request("default", "DeleteRole");
    let kept = subject
        .store
        .delete_role(&delete, &role.name, 9)
        .await
        .unwrap();
    let holder = "a group of the identity provider dex".to_owned();
    assert_eq!(kept, Change::RoleInUse(holder));
}

async fn a_person_becomes_a_user_once_and_never_somebody_elses(subject: &Subject) {
    let (nobody, _) = begin(subject, &beginning("default", "u-1", "ada", &["ada"], 1)).await;
    assert_eq!(nobody, SignInOutcome::Gone);
    add(subject, "default").await;
    let (none, _) = begin(subject, &beginning("default", "u-1", "ada", &[], 1)).await;
    assert_eq!(none, SignInOutcome::NotLinked);

    // The name of a user whom an admin made is never taken over.
    let names = ["admin", "admin-1234"];
    let (first, digest) = session(subject, &beginning("default", "u-1", "admin", &names, 2)).await;
    assert_eq!(first.user.as_str(), "admin-1234");
    let holder = subject
        .store
        .find_session_holder(digest)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (holder.session, holder.owner.roles.len()),
        (first.clone(), 0)
    );
    let (again, _) = session(
        subject,
        &beginning("default", "u-1", "another", &["other"], 3),
    )
    .await;
    assert_eq!(again.user, first.user);
    let (second, _) = begin(subject, &beginning("default", "u-2", "admin", &names, 4)).await;
    assert_eq!(second, SignInOutcome::NotLinked);

    let delete = request("default", "DeleteUser");
    let gone = subject
        .store
        .set_user_standing(&delete, &first.user, UserStatus::Deleted, 5);
    assert!(matches!(gone.await.unwrap(), Change::Made(_)));
    assert!(is_revoked(subject, digest).await);
    let (back, _) = begin(
        subject,
        &beginning("default", "u-1", "admin", &["fresh"], 6),
    )
    .await;
    assert_eq!(back, SignInOutcome::Disabled(first.user));
}

async fn a_link_by_name_binds_the_first_who_has_it(subject: &Subject) {
    add(subject, "default").await;
    let link = |user: &str, subject: Option<&str>, name: Option<&str>| Identity {
        provider: dex(),
        subject: subject.map(str::to_owned),
        name: name.map(str::to_owned),
        user: user.parse().unwrap(),
        linked_at: 7,
    };
    let by_name = link("admin", None, Some("ada@x.org"));
    let make = |identity: Identity| async move {
        let unique = request("default", "LinkIdentity");
        subject
            .store
            .link_identity(&unique, &identity)
            .await
            .unwrap()
    };
    assert_eq!(
        make(by_name.clone()).await,
        Change::Made(Recorded::First(by_name.clone()))
    );
    assert_eq!(make(by_name).await, Change::NameTaken);
    assert_eq!(
        make(link("nobody", Some("u-9"), None)).await,
        Change::Unknown
    );
    let (ada, digest) = session(subject, &beginning("default", "u-1", "ada@x.org", &[], 8)).await;
    assert_eq!(ada.user, admin());
    let (eve, _) = begin(subject, &beginning("default", "u-2", "ada@x.org", &[], 9)).await;
    assert_eq!(eve, SignInOutcome::NotLinked);
    let links = subject
        .store
        .list_identities(&account("default"), &admin(), (None, 1000))
        .await
        .unwrap();
    assert_eq!(links[0].subject.as_deref(), Some("u-1"));
    assert_eq!(
        subject
            .store
            .list_identities(&account("other"), &admin(), (None, 1000))
            .await
            .unwrap(),
        []
    );

    let unlink = request("default", "UnlinkIdentity");
    let gone = subject
        .store
        .unlink_identity(&unlink, &admin(), &dex(), 10)
        .await
        .unwrap();
    assert_eq!(gone, Change::Made(Recorded::First(())));
    assert!(is_revoked(subject, digest).await);
    let (ada, _) = begin(subject, &beginning("default", "u-1", "ada@x.org", &[], 11)).await;
    assert_eq!(ada, SignInOutcome::NotLinked);
}
