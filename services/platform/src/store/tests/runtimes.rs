use futures::future::join_all;

use super::*;
use crate::runtime::Bar;

over_each_store!(
    of_fifty_parallel_uses_of_a_token_one_wins,
    a_runtime_that_lost_its_answer_gets_it_again,
    a_token_ends_after_fifteen_minutes,
    a_taken_name_gets_no_token_and_no_runtime,
    a_revoked_name_is_free_again_and_shows_the_last_that_joined,
    a_key_belongs_to_one_runtime_at_a_time,
    a_repeated_revocation_does_not_reach_the_runtime_that_came_after,
    runtimes_are_paged_by_name_within_their_account,
    all_runtimes_that_are_there_are_counted,
    a_runtime_of_another_account_is_as_good_as_none,
    a_repeated_token_request_tells_when_the_first_ends,
    what_was_seen_is_kept,
    old_tokens_and_outcomes_are_forgotten,
    a_runtime_that_joins_again_stays_what_it_is_with_other_keys,
    a_token_to_join_again_is_for_one_use_by_new_keys_of_a_runtime_that_is_there,
    the_root_key_of_whoever_came_first_is_noted,
);

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
    let used = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, JoinOutcome::Barred { bar: Bar::Used, .. }));
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
        matches!(refused, JoinOutcome::Barred { bar: Bar::Used, .. }),
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
        bar: Bar::NameTaken,
    };
    assert_eq!(refused, expected);
    subject.join("other", "edge", 0).await;
}

async fn a_revoked_name_is_free_again_and_shows_the_last_that_joined(subject: &Subject) {
    let first = subject.join("default", "edge", 0).await;
    let request = request("default", "RevokeRuntime");
    subject
        .store
        .revoke_runtime(&request, &name("edge"), 5)
        .await
        .unwrap();
    let known = subject
        .store
        .find_runtime(&account("default"), &name("edge"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(known.revoked_at, Some(5));
    let second = subject.join("default", "edge", 9).await;
    assert_ne!(first.runtime_id, second.runtime_id);
    let known = subject
        .store
        .find_runtime(&account("default"), &name("edge"))
        .await
        .unwrap();
    assert_eq!(known, Some(second.clone()));
    assert_eq!(
        subject
            .store
            .list_runtimes(&account("default"), None, 100)
            .await
            .unwrap(),
        [second]
    );
    let resolved = subject
        .store
        .resolve_runtime(&account("default"), &first.runtime_id)
        .await
        .unwrap();
    assert_eq!(resolved.unwrap().name, name("edge"));
}

async fn a_key_belongs_to_one_runtime_at_a_time(subject: &Subject) {
    let joining = joining();
    let (one, two) = (
        subject.token("default", "one", 0).await,
        subject.token("other", "two", 0).await,
    );
    subject.store.join(one, &joining, 1).await.unwrap();
    let refused = subject.store.join(two, &joining, 1).await.unwrap();
    assert!(
        matches!(
            refused,
            JoinOutcome::Barred {
                bar: Bar::KeyTaken,
                ..
            }
        ),
        "{refused:?}"
    );
    let key_id = joining.identity_key.id();
    let known = subject
        .store
        .find_runtime_by_key(&key_id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(known.name, name("one"));
    let request = request("default", "RevokeRuntime");
    subject
        .store
        .revoke_runtime(&request, &name("one"), 2)
        .await
        .unwrap();
    assert_eq!(
        subject.store.find_runtime_by_key(&key_id).await.unwrap(),
        None
    );
    let again = Joining::new(joining.identity_key, joining.sealing_key, String::new());
    let joined = subject.store.join(two, &again, 3).await.unwrap();
    assert!(matches!(joined, JoinOutcome::Joined(_)), "{joined:?}");
}

async fn a_repeated_revocation_does_not_reach_the_runtime_that_came_after(subject: &Subject) {
    let first = subject.join("default", "edge", 0).await;
    let request = request("default", "RevokeRuntime");
    subject
        .store
        .revoke_runtime(&request, &name("edge"), 5)
        .await
        .unwrap();
    subject.join("default", "edge", 9).await;
    let repeated = subject
        .store
        .revoke_runtime(&request, &name("edge"), 10)
        .await
        .unwrap();
    let RevokeOutcome::Revoked(Recorded::Repeated(repeated)) = repeated else {
        panic!("{repeated:?}");
    };
    assert_eq!(repeated.runtime_id, first.runtime_id);
    let known = subject
        .store
        .find_runtime(&account("default"), &name("edge"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(known.revoked_at, None);
}

async fn runtimes_are_paged_by_name_within_their_account(subject: &Subject) {
    for edge in ["c", "a", "b"] {
        subject.join("default", edge, 0).await;
    }
    subject.join("other", "d", 0).await;
    let first = subject
        .store
        .list_runtimes(&account("default"), None, 2)
        .await
        .unwrap();
    let names: Vec<&str> = first.iter().map(|runtime| runtime.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    let rest = subject
        .store
        .list_runtimes(&account("default"), Some(&name("b")), 2)
        .await
        .unwrap();
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0].name, name("c"));
}

async fn all_runtimes_that_are_there_are_counted(subject: &Subject) {
    for (account, edge) in [
        ("other", "a"),
        ("default", "b"),
        ("default", "a"),
        ("default", "c"),
    ] {
        subject.join(account, edge, 0).await;
    }
    let request = request("default", "RevokeRuntime");
    let store = &subject.store;
    store.revoke_runtime(&request, &name("b"), 3).await.unwrap();
    let present = async |limit| {
        let present = store.present_runtimes(limit).await.unwrap();
        let named = present
            .into_iter()
            .map(|it| (it.account.to_string(), it.name.to_string()));
        named.collect::<Vec<_>>()
    };
    let pair = |account: &str, name: &str| (account.to_owned(), name.to_owned());
    let all = [
        pair("default", "a"),
        pair("default", "c"),
        pair("other", "a"),
    ];
    assert_eq!(present(9).await, all);
    assert_eq!(present(2).await, all[..2]);
}

async fn a_runtime_of_another_account_is_as_good_as_none(subject: &Subject) {
    let foreign = subject.join("other", "edge", 0).await;
    let own = account("default");
    assert_eq!(
        subject
            .store
            .find_runtime(&own, &name("edge"))
            .await
            .unwrap(),
        None
    );
    assert_eq!(
        subject
            .store
            .resolve_runtime(&own, &foreign.runtime_id)
            .await
            .unwrap(),
        None
    );
    let request = request("default", "RevokeRuntime");
    let refused = subject
        .store
        .revoke_runtime(&request, &name("edge"), 1)
        .await
        .unwrap();
    assert_eq!(refused, RevokeOutcome::Unknown);
    let asked = [
        (own, foreign.runtime_id.clone()),
        (account("other"), foreign.runtime_id.clone()),
    ];
    let keys = subject.store.present_keys(&asked).await.unwrap();
    assert_eq!(keys, [None, Some(foreign.identity_key.id())]);
}

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

async fn what_was_seen_is_kept(subject: &Subject) {
    let runtime = subject.join("default", "edge", 0).await;
    let key = (runtime.account.clone(), runtime.runtime_id.clone());
    let seen = |at, version: &str| Seen {
        at,
        version: version.to_owned(),
    };
    subject
        .store
        .touch_runtimes(vec![(key.clone(), seen(5, "2.0.0"))])
        .await
        .unwrap();
    subject
        .store
        .touch_runtimes(vec![(key, seen(6, ""))])
        .await
        .unwrap();
    let known = subject
        .store
        .find_runtime(&runtime.account, &runtime.name)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (known.last_seen_at, known.version.as_str()),
        (Some(6), "2.0.0")
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
    assert_eq!(barred(one, &same).await, Bar::KeyTaken);
    let joined = subject.store.join(one, &joining(), 1).await.unwrap();
    assert!(matches!(joined, JoinOutcome::Rejoined(_)), "{joined:?}");
    assert_eq!(barred(one, &joining()).await, Bar::Used);
    let revoke = request("default", "RevokeRuntime");
    let edge_name = name("edge");
    let revoked = subject.store.revoke_runtime(&revoke, &edge_name, 1).await;
    revoked.unwrap();
    assert_eq!(barred(two, &joining()).await, Bar::Gone);
    let gone = subject.rejoin_token("default", "edge", 3).await;
    assert_eq!(gone, Err(TokenOutcome::Unknown));
}

async fn the_root_key_of_whoever_came_first_is_noted(subject: &Subject) {
    let note = async |fingerprint, first| {
        let noted = subject.store.register_root(fingerprint, first).await;
        noted.unwrap()
    };
    assert_eq!(note("a", First::Stays).await, "a");
    assert_eq!(note("b", First::Stays).await, "a");
    assert_eq!(note("b", First::IsThis).await, "b");
    assert_eq!(note("a", First::Stays).await, "b");
}
