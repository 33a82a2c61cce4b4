use std::time::Duration;

use super::*;

over_each_store!(what_takes_a_right_away_is_counted_once,);

async fn what_takes_a_right_away_is_counted_once(subject: &Subject) {
    let store = &subject.store;
    assert_eq!(store.count_revocations().await.unwrap(), 0);
    let made = key("default", 1);
    let digest = Secret::generate(API_KEY_PREFIX).digest();
    let create = request("default", "CreateApiKey");
    store.create_api_key(&create, &made, digest).await.unwrap();
    subject.join("default", "edge", 0).await;
    assert_eq!(store.count_revocations().await.unwrap(), 0);
    let revoke = request("default", "RevokeApiKey");
    for _ in 0..2 {
        store
            .revoke_api_key(&revoke, &made.key_id, 5)
            .await
            .unwrap();
        assert_eq!(store.count_revocations().await.unwrap(), 1);
    }
    let revoke = request("default", "RevokeRuntime");
    store
        .revoke_runtime(&revoke, &name("edge"), 6)
        .await
        .unwrap();
    assert_eq!(store.count_revocations().await.unwrap(), 2);
}

/// Two replicas on one server.
async fn two() -> Option<[SqlStore; 2]> {
    let args = DatabaseArgs::from_url(Postgres::shared()?.database());
    let open = async || SqlStore::open(&args, Path::new("")).await.unwrap();
    Some([open().await, open().await])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revocation_on_one_replica_is_heard_and_read_on_the_other() {
    let Some([one, other]) = two().await else {
        return;
    };
    let (user, key) = (user("default"), key("default", 1));
    let secret = Secret::generate(API_KEY_PREFIX);
    one.create_account(&user, &key, secret.digest())
        .await
        .unwrap();
    let mut listener = other.listen_to_replicas();
    listener.notified().await;
    let revoke = request("default", "RevokeApiKey");
    one.revoke_api_key(&revoke, &key.key_id, 5).await.unwrap();
    let heard = tokio::time::timeout(Duration::from_secs(30), listener.notified());
    heard.await.expect("the word comes");
    assert_eq!(other.count_revocations().await.unwrap(), 1);
    let holder = other.find_holder(secret.digest()).await.unwrap().unwrap();
    assert_eq!(holder.key.revoked_at, Some(5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_is_replayed_on_the_other_replica_has_no_second_effect() {
    let Some([one, other]) = two().await else {
        return;
    };
    let (user, first) = (user("default"), key("default", 1));
    let digest = || Secret::generate(API_KEY_PREFIX).digest();
    one.create_account(&user, &first, digest()).await.unwrap();
    let (create, made) = (request("default", "CreateApiKey"), key("default", 2));
    let (here, there) = futures::join!(
        one.create_api_key(&create, &made, digest()),
        other.create_api_key(&create, &made, digest())
    );
    let outcomes = [here.unwrap(), there.unwrap()];
    assert!(
        outcomes.contains(&Change::Made(Recorded::First(made.clone()))),
        "{outcomes:?}"
    );
    let repeated = Change::Made(Recorded::Repeated(made));
    assert!(outcomes.contains(&repeated), "{outcomes:?}");
    assert_eq!(
        one.list_api_keys(&account("default"), None, 1000)
            .await
            .unwrap()
            .len(),
        2
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_uses_of_a_join_token_on_two_replicas_one_wins() {
    let Some([one, other]) = two().await else {
        return;
    };
    let (user, key) = (user("default"), key("default", 1));
    let digest = Secret::generate(API_KEY_PREFIX).digest();
    one.create_account(&user, &key, digest).await.unwrap();
    let token = token("default", "edge", 0);
    let made = request("default", "CreateJoinToken");
    one.create_join_token(&made, &token).await.unwrap();
    let uses = (0..20).map(|number| {
        let store = if number % 2 == 0 { &one } else { &other };
        async { store.join(token.digest, &joining(), 1).await.unwrap() }
    });
    let outcomes = futures::future::join_all(uses).await;
    let won = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, JoinOutcome::Joined(_)));
    assert_eq!(won.count(), 1);
}
