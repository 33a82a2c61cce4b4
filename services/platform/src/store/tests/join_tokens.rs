//! Tests of join and re-join tokens.

use futures::future::join_all;

use super::*;
use crate::runtimes::model::{JoinTokenId, TokenRejection};

over_each_store!(
    a_repeated_token_request_tells_when_the_first_ends,
    old_tokens_and_outcomes_are_forgotten,
    a_runtime_that_joins_again_stays_what_it_is_with_other_keys,
    a_token_to_join_again_is_for_one_use_by_new_keys_of_a_runtime_that_is_there,
    of_fifty_parallel_uses_of_a_token_one_wins,
    a_runtime_that_lost_its_answer_gets_it_again,
    a_token_ends_after_fifteen_minutes,
    a_taken_name_gets_no_token_and_no_runtime,
    unused_tokens_are_listed_newest_first_for_their_account_alone,
    a_revoked_token_lets_nobody_in,
);

async fn a_repeated_token_request_tells_when_the_first_ends(subject: &Subject) {
    let request = request("default", "CreateJoinToken");
    let first = subject
        .store
        .create_join_token(&request, &token("default", "edge", 0))
        .await
        .unwrap();
    assert_eq!(first, TokenOutcome::Made(Recorded::First(JOIN_TOKEN_LIFE)));
    let second = token("default", "edge", 50);
    let repeated = subject
        .store
        .create_join_token(&request, &second)
        .await
        .unwrap();
    assert_eq!(
        repeated,
        TokenOutcome::Made(Recorded::Repeated(JOIN_TOKEN_LIFE))
    );
    assert_eq!(
        subject
            .store
            .join(second.digest, &joining(), 60)
            .await
            .unwrap(),
        JoinOutcome::Invalid
    );
}

async fn old_tokens_and_outcomes_are_forgotten(subject: &Subject) {
    let request = request("default", "CreateJoinToken");
    let token = token("default", "edge", 0);
    subject
        .store
        .create_join_token(&request, &token)
        .await
        .unwrap();
    subject.store.forget(JOIN_TOKEN_LIFE + 1).await.unwrap();
    assert_eq!(
        subject
            .store
            .join(token.digest, &joining(), 1)
            .await
            .unwrap(),
        JoinOutcome::Invalid
    );
    let made = subject
        .store
        .create_join_token(&request, &token)
        .await
        .unwrap();
    assert!(
        matches!(made, TokenOutcome::Made(Recorded::First(_))),
        "{made:?}"
    );
}

async fn a_runtime_that_joins_again_stays_what_it_is_with_other_keys(subject: &Subject) {
    let first = subject.join("default", "edge", 0).await;
    let before = subject.store.count_revocations().await.unwrap();
    let token = subject.rejoin_token("default", "edge", 5).await.unwrap();
    let keys = joining();
    let outcome = subject.store.join(token, &keys, 6).await.unwrap();
    let expected = first.clone().with_keys_of(&keys);
    assert_eq!(outcome, JoinOutcome::Rejoined(Box::new(expected.clone())));
    let count = subject.store.count_revocations().await.unwrap();
    assert_eq!(count, before + 1);
    let own = account("default");
    let known = subject.store.find_runtime(&own, &name("edge")).await;
    assert_eq!(known.unwrap().as_ref(), Some(&expected));
    let by_old = subject.store.find_runtime_by_key(&first.key_id()).await;
    assert_eq!(by_old.unwrap(), None);
    let by_new = subject.store.find_runtime_by_key(&expected.key_id()).await;
    assert_eq!(by_new.unwrap().as_ref(), Some(&expected));
    let all = subject.store.list_runtimes(&own, None, 100).await;
    assert_eq!(all.unwrap(), std::slice::from_ref(&expected));
    // Whoever lost the answer gets it again, without another effect.
    let again = Joining::new(keys.identity_key, keys.sealing_key, keys.version);
    let again = subject.store.join(token, &again, 7).await.unwrap();
    assert_eq!(again, JoinOutcome::Joined(Box::new(expected)));
    let count = subject.store.count_revocations().await.unwrap();
    assert_eq!(count, before + 1);
}

async fn a_token_to_join_again_is_for_one_use_by_new_keys_of_a_runtime_that_is_there(
    subject: &Subject,
) {
    let none = subject.rejoin_token("default", "edge", 0).await;
    assert_eq!(none, Err(TokenOutcome::Unknown));
    let edge = subject.join("default", "edge", 0).await;
    let foreign = subject.rejoin_token("other", "edge", 0).await;
    assert_eq!(foreign, Err(TokenOutcome::Unknown));
    let barred = async |token, keys: &Joining| match subject.store.join(token, keys, 2).await {
        Ok(JoinOutcome::Barred { bar, .. }) => bar,
        other => panic!("{other:?}"),
    };
    let one = subject.rejoin_token("default", "edge", 0).await.unwrap();
    let two = subject.rejoin_token("default", "edge", 0).await.unwrap();
    let same = Joining::new(edge.identity_key, edge.sealing_key, String::new());
    assert_eq!(barred(one, &same).await, TokenRejection::KeyTaken);
    let joined = subject.store.join(one, &joining(), 1).await.unwrap();
    assert!(matches!(joined, JoinOutcome::Rejoined(_)), "{joined:?}");
    assert_eq!(barred(one, &joining()).await, TokenRejection::Used);
    let revoke = request("default", "RevokeRuntime");
    let edge_name = name("edge");
    let revoked = subject.store.revoke_runtime(&revoke, &edge_name, 1).await;
    revoked.unwrap();
    assert_eq!(barred(two, &joining()).await, TokenRejection::Gone);
    let gone = subject.rejoin_token("default", "edge", 3).await;
    assert_eq!(gone, Err(TokenOutcome::Unknown));
}

async fn of_fifty_parallel_uses_of_a_token_one_wins(subject: &Subject) {
    let token = subject.token("default", "edge", 0).await;
    let uses = (0..50).map(|_| {
        let store = Arc::clone(&subject.store);
        async move { store.join(token, &joining(), 1).await.unwrap() }
    });
    let outcomes = join_all(uses).await;
    let won = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, JoinOutcome::Joined(_)))
        .count();
    let used = outcomes.iter().filter(|outcome| {
        matches!(
            outcome,
            JoinOutcome::Barred {
                bar: TokenRejection::Used,
                ..
            }
        )
    });
    assert_eq!((won, used.count()), (1, 49));
    assert_eq!(
        subject
            .store
            .list_runtimes(&account("default"), None, 100)
            .await
            .unwrap()
            .len(),
        1
    );
}

async fn a_runtime_that_lost_its_answer_gets_it_again(subject: &Subject) {
    let token = subject.token("default", "edge", 0).await;
    let first = joining();
    let joined = subject.store.join(token, &first, 1).await.unwrap();
    let again = Joining::new(first.identity_key, first.sealing_key, "1.0.0".to_owned());
    assert_eq!(subject.store.join(token, &again, 2).await.unwrap(), joined);
    let request = request("default", "RevokeRuntime");
    subject
        .store
        .revoke_runtime(&request, &name("edge"), 3)
        .await
        .unwrap();
    let refused = subject.store.join(token, &again, 4).await.unwrap();
    assert!(
        matches!(
            refused,
            JoinOutcome::Barred {
                bar: TokenRejection::Used,
                ..
            }
        ),
        "{refused:?}"
    );
}

async fn a_token_ends_after_fifteen_minutes(subject: &Subject) {
    let token = subject.token("default", "edge", 0).await;
    let late = subject
        .store
        .join(token, &joining(), JOIN_TOKEN_LIFE)
        .await
        .unwrap();
    assert_eq!(late, JoinOutcome::Invalid);
    let unknown = Secret::generate(JOIN_TOKEN_PREFIX).digest();
    assert_eq!(
        subject.store.join(unknown, &joining(), 1).await.unwrap(),
        JoinOutcome::Invalid
    );
    let last = subject
        .store
        .join(token, &joining(), JOIN_TOKEN_LIFE - 1)
        .await
        .unwrap();
    assert!(matches!(last, JoinOutcome::Joined(_)), "{last:?}");
}

async fn a_taken_name_gets_no_token_and_no_runtime(subject: &Subject) {
    let second = subject.token("default", "edge", 0).await;
    subject.join("default", "edge", 0).await;
    let request = request("default", "CreateJoinToken");
    let refused = subject
        .store
        .create_join_token(&request, &token("default", "edge", 1))
        .await
        .unwrap();
    assert_eq!(refused, TokenOutcome::NameTaken);
    let refused = subject.store.join(second, &joining(), 1).await.unwrap();
    let expected = JoinOutcome::Barred {
        account: account("default"),
        name: name("edge"),
        bar: TokenRejection::NameTaken,
    };
    assert_eq!(refused, expected);
    subject.join("other", "edge", 0).await;
}

async fn unused_tokens_are_listed_newest_first_for_their_account_alone(subject: &Subject) {
    let list = async |of: &str, now: i64, limit: u32| {
        let account = account(of);
        let found = subject.store.list_join_tokens(&account, now, limit);
        let tokens = found.await.unwrap();
        tokens
            .iter()
            .map(|token| token.name.to_string())
            .collect::<Vec<_>>()
    };
    subject.token("default", "old", 1).await;
    subject.token("default", "new", 5).await;
    subject.token("other", "foreign", 3).await;
    subject.join("default", "joined", 4).await;
    subject.rejoin_token("default", "joined", 6).await.unwrap();
    assert_eq!(list("default", 7, 10).await, ["joined", "new", "old"]);
    assert_eq!(list("default", 7, 2).await, ["joined", "new"]);
    assert_eq!(list("other", 7, 10).await, ["foreign"]);
    assert_eq!(
        list("default", 1 + JOIN_TOKEN_LIFE, 10).await,
        ["joined", "new"]
    );
    let found = subject
        .store
        .list_join_tokens(&account("default"), 7, 1)
        .await;
    assert_eq!(found.unwrap()[0].purpose, Purpose::Rejoin);
}

async fn a_revoked_token_lets_nobody_in(subject: &Subject) {
    let store = &subject.store;
    let digest = subject.token("default", "edge", 1).await;
    let id = JoinTokenId::of(digest);
    let foreign = request("other", "RevokeJoinToken");
    let unknown = store.revoke_join_token(&foreign, &id, 2).await;
    assert_eq!(unknown.unwrap(), Change::Unknown);
    let revoke = request("default", "RevokeJoinToken");
    let revoked = store.revoke_join_token(&revoke, &id, 2).await;
    assert_eq!(revoked.unwrap(), Change::first(()));
    let repeated = store.revoke_join_token(&revoke, &id, 3).await;
    assert_eq!(repeated.unwrap(), Change::Made(Recorded::Repeated(())));
    let joined = store.join(digest, &joining(), 3).await.unwrap();
    assert_eq!(joined, JoinOutcome::Invalid);
    let used = subject.token("default", "used", 4).await;
    store.join(used, &joining(), 5).await.unwrap();
    let late = request("default", "RevokeJoinToken");
    let late = store
        .revoke_join_token(&late, &JoinTokenId::of(used), 6)
        .await;
    assert_eq!(late.unwrap(), Change::Unknown);
}
