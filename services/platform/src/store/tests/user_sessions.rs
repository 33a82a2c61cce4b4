//! Tests of sessions: end, limit and ownership.

use causeway_proto::ids::SessionId;

use super::{
    sign_in::{add, beginning, dex, is_revoked, session},
    *,
};
use crate::{
    sessions::model::{MOST_SESSIONS, SessionRefusal, UserSession},
    users::model::UserStatus,
};

over_each_store!(
    what_ends_a_session_ends_it_for_good,
    sessions_end_with_their_user_and_their_provider,
    a_user_has_a_bounded_number_of_sessions,
    sessions_that_have_ended_make_room_first_and_nobody_is_told,
    n_35_sessions_are_listed_for_their_account_alone,
    a_session_of_a_key_has_its_role_and_ends_with_it,
    a_key_that_may_not_be_used_gets_no_session,
);

async fn what_ends_a_session_ends_it_for_good(subject: &Subject) {
    let store = &subject.store;
    add(subject, "default").await;
    let ada = beginning("default", "u-1", "ada", &["ada"], 10);
    let (one, first) = session(subject, &ada).await;
    let (_, second) = session(subject, &ada).await;
    let before = store.count_revocations().await.unwrap();
    let revoke = request("default", "RevokeSession");
    let ended = store
        .revoke_session(&revoke, &one.session_id, 11)
        .await
        .unwrap();
    let Some(Recorded::First(ended)) = ended else {
        panic!("{ended:?}")
    };
    assert_eq!(ended.revoked_at, Some(11));
    assert!(store.count_revocations().await.unwrap() > before);
    let repeat = store
        .revoke_session(&revoke, &one.session_id, 12)
        .await
        .unwrap();
    assert_eq!(repeat, Some(Recorded::Repeated(ended)));
    let foreign = request("other", "RevokeSession");
    assert_eq!(
        store
            .revoke_session(&foreign, &one.session_id, 12)
            .await
            .unwrap(),
        None
    );
    assert!(is_revoked(subject, first).await && !is_revoked(subject, second).await);
}

async fn sessions_end_with_their_user_and_their_provider(subject: &Subject) {
    let store = &subject.store;
    add(subject, "default").await;
    let ada = beginning("default", "u-1", "ada", &["ada"], 10);
    let (one, second) = session(subject, &ada).await;
    let disable = request("default", "DisableUser");
    store
        .set_user_standing(&disable, &one.user, UserStatus::Disabled, 13)
        .await
        .unwrap();
    let enable = request("default", "EnableUser");
    store
        .set_user_standing(&enable, &one.user, UserStatus::Enabled, 14)
        .await
        .unwrap();
    assert!(
        is_revoked(subject, second).await,
        "a disabled user's sessions stay ended"
    );
    let (_, third) = session(subject, &ada).await;
    let delete = request("default", "DeleteIdentityProvider");
    store
        .delete_identity_provider(&delete, &dex(), 15)
        .await
        .unwrap();
    assert!(is_revoked(subject, third).await);
    store.sweep_sign_ins(16, 16).await.unwrap();
    assert!(store.find_session_holder(third).await.unwrap().is_none());
}

async fn a_user_has_a_bounded_number_of_sessions(subject: &Subject) {
    add(subject, "default").await;
    let mut first = None;
    for at in 0..=i64::from(MOST_SESSIONS) {
        let made = session(subject, &beginning("default", "u-1", "ada", &["ada"], at)).await;
        first.get_or_insert(made.1);
    }
    let listed = subject
        .store
        .list_sessions(&account("default"), None, (None, 1000), 500)
        .await
        .unwrap();
    assert_eq!(listed.len(), MOST_SESSIONS as usize);
    assert!(
        subject
            .store
            .find_session_holder(first.unwrap())
            .await
            .unwrap()
            .is_none()
    );
}

async fn sessions_that_have_ended_make_room_first_and_nobody_is_told(subject: &Subject) {
    let store = &subject.store;
    add(subject, "default").await;
    let long = SessionRequest {
        expires_at: 1_000_000,
        ..beginning("default", "u-1", "ada", &["ada"], 0)
    };
    let (_, long) = session(subject, &long).await;
    for at in 1..i64::from(MOST_SESSIONS) {
        session(subject, &beginning("default", "u-1", "ada", &["ada"], at)).await;
    }
    let before = store.count_revocations().await.unwrap();
    let late = beginning("default", "u-1", "ada", &["ada"], 5_000);
    session(subject, &late).await;
    assert_eq!(store.count_revocations().await.unwrap(), before);
    assert!(!is_revoked(subject, long).await, "a good one goes last");
    // By a clock that was set back the new one is the oldest, and stays all the same.
    for at in 6_000..6_000 + i64::from(MOST_SESSIONS) {
        session(subject, &beginning("default", "u-1", "ada", &["ada"], at)).await;
    }
    assert!(store.count_revocations().await.unwrap() > before);
    let (_, back) = session(
        subject,
        &beginning("default", "u-1", "ada", &["ada"], 5_500),
    )
    .await;
    let found = store.find_session_holder(back).await.unwrap();
    assert!(found.is_some());
}

async fn n_35_sessions_are_listed_for_their_account_alone(subject: &Subject) {
    let store = &subject.store;
    for of in ["default", "other"] {
        add(subject, of).await;
    }
    let (own, _) = session(subject, &beginning("default", "u-1", "ada", &["ada"], 1)).await;
    let (foreign, _) = session(subject, &beginning("other", "u-1", "ada", &["ada"], 2)).await;
    let list = |of: &'static str, user: Option<UserId>| async move {
        store
            .list_sessions(&account(of), user.as_ref(), (None, 1000), 500)
            .await
            .unwrap()
    };
    assert_eq!(list("default", None).await, std::slice::from_ref(&own));
    assert_eq!(
        list("other", Some(foreign.user.clone())).await,
        std::slice::from_ref(&foreign)
    );
    assert_eq!(list("default", Some(admin())).await, []);
    let find =
        |id: SessionId| async move { store.find_session(&account("default"), &id).await.unwrap() };
    assert!(find(own.session_id.clone()).await.is_some());
    assert!(find(foreign.session_id).await.is_none());
    let seen = (own.account.clone(), own.session_id.clone(), 77);
    store.touch_sessions(vec![seen]).await.unwrap();
    assert_eq!(list("default", None).await[0].last_seen_at, Some(77));
    let late = store
        .list_sessions(&account("default"), None, (None, 1000), 1_001)
        .await
        .unwrap();
    assert_eq!(late, []);
}

/// A key with a lifetime that the clocks of these tests stay within.
async fn long_key(subject: &Subject) -> ApiKey {
    let long = ApiKey {
        expires_at: None,
        ..key("default", 5)
    };
    let (create, digest) = (
        request("default", "CreateApiKey"),
        Secret::generate("cwk_").digest(),
    );
    let made = subject.store.create_api_key(&create, &long, digest).await;
    assert!(matches!(made.unwrap(), Change::Made(Recorded::First(_))));
    long
}

async fn a_session_of_a_key_has_its_role_and_ends_with_it(subject: &Subject) {
    let store = &subject.store;
    let key = long_key(subject).await;
    let create = request("default", "CreateSession");
    let (session, digest) = (
        UserSession::of_key(&key, 10),
        Secret::generate("cws_").digest(),
    );
    let made = store.create_session(&create, &session, digest).await;
    assert_eq!(made.unwrap(), Change::first(session.clone()));
    let other = UserSession::of_key(&key, 11);
    let repeat = store.create_session(&create, &other, Secret::generate("cws_").digest());
    let repeated = Change::Made(Recorded::Repeated(session.clone()));
    assert_eq!(repeat.await.unwrap(), repeated);
    let holder = store.find_session_holder(digest).await.unwrap().unwrap();
    assert_eq!(holder.session, session);
    assert_eq!(
        (holder.limit(), holder.check(20)),
        (key.role.as_ref(), Ok(()))
    );
    let revoke = request("default", "RevokeApiKey");
    store
        .revoke_api_key(&revoke, &key.key_id, 15)
        .await
        .unwrap();
    let ended = store.find_session(&key.account, &session.session_id).await;
    let ended = ended.unwrap().unwrap();
    assert_eq!(ended.session.revoked_at, Some(15));
    assert_eq!(ended.check(20), Err(SessionRefusal::Revoked));
    let listed = store.list_sessions(&key.account, None, (None, 1000), 20);
    assert_eq!(listed.await.unwrap(), []);
}

async fn a_key_that_may_not_be_used_gets_no_session(subject: &Subject) {
    let store = &subject.store;
    let key = long_key(subject).await;
    let create = async |session: UserSession| {
        let (create, digest) = (
            request("default", "CreateSession"),
            Secret::generate("cws_").digest(),
        );
        store
            .create_session(&create, &session, digest)
            .await
            .unwrap()
    };
    let absent = UserSession {
        key_id: Some(ApiKey::new_id()),
        ..UserSession::of_key(&key, 10)
    };
    assert_eq!(create(absent).await, Change::Unknown);
    let keyless = UserSession {
        key_id: None,
        ..UserSession::of_key(&key, 10)
    };
    assert_eq!(create(keyless).await, Change::Unknown);
    let revoke = request("default", "RevokeApiKey");
    store
        .revoke_api_key(&revoke, &key.key_id, 15)
        .await
        .unwrap();
    assert_eq!(create(UserSession::of_key(&key, 16)).await, Change::Unknown);
}
