//! Tests of runtimes: names, keys, visibility and last use.

use super::*;
use crate::runtimes::model::TokenRejection;

over_each_store!(
    a_revoked_name_is_free_again_and_shows_the_last_that_joined,
    a_key_belongs_to_one_runtime_at_a_time,
    a_repeated_revocation_does_not_reach_the_runtime_that_came_after,
    runtimes_are_paged_by_name_within_their_account,
    all_runtimes_that_are_there_are_counted,
    a_runtime_of_another_account_is_as_good_as_none,
    what_was_seen_is_kept,
    the_root_key_of_whoever_came_first_is_noted,
);

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
                bar: TokenRejection::KeyTaken,
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

async fn what_was_seen_is_kept(subject: &Subject) {
    let runtime = subject.join("default", "edge", 0).await;
    let key = (runtime.account.clone(), runtime.runtime_id.clone());
    let seen = |at, version: &str| LastContact {
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

async fn the_root_key_of_whoever_came_first_is_noted(subject: &Subject) {
    let note = async |fingerprint, first| {
        let noted = subject.store.register_root(fingerprint, first).await;
        noted.unwrap()
    };
    assert_eq!(note("a", RootKeyNote::Stays).await, "a");
    assert_eq!(note("b", RootKeyNote::Stays).await, "a");
    assert_eq!(note("b", RootKeyNote::IsThis).await, "b");
    assert_eq!(note("a", RootKeyNote::Stays).await, "b");
}
