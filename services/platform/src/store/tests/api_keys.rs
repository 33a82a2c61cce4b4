use super::*;
use crate::api_keys::model::{PresentedSecret, Rotation};

over_each_store!(
    a_key_is_found_by_its_secret_with_its_owner,
    a_second_account_of_the_same_name_changes_nothing,
    a_repeated_request_makes_one_key,
    a_request_id_belongs_to_one_request,
    keys_are_listed_newest_first_and_for_their_account_only,
    pages_of_keys_hold_each_once_though_several_were_made_at_one_time,
    the_first_revocation_stays,
    a_rotated_key_is_found_by_both_secrets_until_it_is_rotated_again,
    a_revoked_key_is_not_rotated,
    a_key_of_another_account_cannot_be_rotated_or_found,
    a_key_of_another_account_cannot_be_revoked,
    last_uses_are_kept,
    what_opens_something_is_made_by_the_policy_as_it_is_when_it_is_written,
);

async fn a_key_is_found_by_its_secret_with_its_owner(subject: &Subject) {
    let (secret, key) = (Secret::generate(API_KEY_PREFIX), key("default", 5));
    let request = request("default", "CreateApiKey");
    let made = subject
        .store
        .create_api_key(&request, &key, secret.digest())
        .await
        .unwrap();
    assert_eq!(made, Change::Made(Recorded::First(key.clone())));
    let found = subject.store.find_holder(secret.digest()).await.unwrap();
    let (owner, shown) = (user("default"), PresentedSecret::Present);
    assert_eq!(found, Some(Holder { key, shown, owner }));
    let other = Secret::generate(API_KEY_PREFIX).digest();
    assert_eq!(subject.store.find_holder(other).await.unwrap(), None);
}

async fn a_second_account_of_the_same_name_changes_nothing(subject: &Subject) {
    let secret = Secret::generate(API_KEY_PREFIX).digest();
    subject
        .store
        .create_account(&user("default"), &key("default", 9), secret)
        .await
        .unwrap();
    assert!(
        subject
            .store
            .has_account(&account("default"))
            .await
            .unwrap()
    );
    assert!(!subject.store.has_account(&account("third")).await.unwrap());
    assert_eq!(subject.store.find_holder(secret).await.unwrap(), None);
    assert_eq!(
        subject
            .store
            .list_api_keys(&account("default"), None, 1000)
            .await
            .unwrap()
            .len(),
        1
    );
}

async fn pages_of_keys_hold_each_once_though_several_were_made_at_one_time(subject: &Subject) {
    let store = &subject.store;
    for (of, at) in [
        ("default", 5),
        ("default", 7),
        ("other", 7),
        ("default", 7),
        ("default", 7),
    ] {
        let (request, secret) = (
            request(of, "CreateApiKey"),
            Secret::generate(API_KEY_PREFIX),
        );
        let key = key(of, at);
        let made = store.create_api_key(&request, &key, secret.digest());
        assert!(matches!(made.await.unwrap(), Change::Made(_)));
    }
    let account = account("default");
    let all = store.list_api_keys(&account, None, 1000).await.unwrap();
    let times: Vec<i64> = all.iter().map(|key| key.created_at).collect();
    assert!(times.is_sorted_by(|one, next| one >= next), "{times:?}");
    for limit in 1..=all.len() {
        let (mut paged, mut last) = (Vec::new(), None);
        loop {
            let size = u32::try_from(limit).unwrap();
            let page = store
                .list_api_keys(&account, last.as_ref(), size)
                .await
                .unwrap();
            last = page.last().map(ApiKey::place);
            if page.is_empty() {
                break;
            }
            paged.extend(page);
        }
        assert_eq!(paged, all, "by {limit}");
    }
}

async fn a_repeated_request_makes_one_key(subject: &Subject) {
    let request = request("default", "CreateApiKey");
    let (first, again) = (key("default", 5), key("default", 6));
    let secret = || Secret::generate(API_KEY_PREFIX).digest();
    subject
        .store
        .create_api_key(&request, &first, secret())
        .await
        .unwrap();
    let repeated = subject
        .store
        .create_api_key(&request, &again, secret())
        .await
        .unwrap();
    assert_eq!(repeated, Change::Made(Recorded::Repeated(first)));
    assert_eq!(
        subject
            .store
            .list_api_keys(&account("default"), None, 1000)
            .await
            .unwrap()
            .len(),
        2
    );
}

async fn a_request_id_belongs_to_one_request(subject: &Subject) {
    let request = request("default", "CreateApiKey");
    let secret = || Secret::generate(API_KEY_PREFIX).digest();
    subject
        .store
        .create_api_key(&request, &key("default", 5), secret())
        .await
        .unwrap();
    let changed = UserRequest {
        digest: [8; 32],
        ..request.clone()
    };
    let reused = subject
        .store
        .create_api_key(&changed, &key("default", 5), secret())
        .await
        .unwrap();
    assert_eq!(reused, Change::Made(Recorded::Reused));
    let elsewhere = UserRequest {
        account: account("other"),
        ..changed
    };
    let made = subject
        .store
        .create_api_key(&elsewhere, &key("other", 5), secret())
        .await
        .unwrap();
    assert!(matches!(made, Change::Made(Recorded::First(_))), "{made:?}");
}

async fn keys_are_listed_newest_first_and_for_their_account_only(subject: &Subject) {
    for at in [5, 7, 6] {
        let secret = Secret::generate(API_KEY_PREFIX).digest();
        let request = request("default", "CreateApiKey");
        subject
            .store
            .create_api_key(&request, &key("default", at), secret)
            .await
            .unwrap();
    }
    let keys = subject
        .store
        .list_api_keys(&account("default"), None, 1000)
        .await
        .unwrap();
    let times: Vec<i64> = keys.iter().map(|key| key.created_at).collect();
    assert_eq!(times, [7, 6, 5, 1]);
    assert_eq!(
        subject
            .store
            .list_api_keys(&account("other"), None, 1000)
            .await
            .unwrap()
            .len(),
        1
    );
}

async fn the_first_revocation_stays(subject: &Subject) {
    let key_id = subject
        .store
        .list_api_keys(&account("default"), None, 1000)
        .await
        .unwrap()[0]
        .key_id
        .clone();
    let first = request("default", "RevokeApiKey");
    for (request, now) in [
        (&first, 10),
        (&first, 20),
        (&request("default", "RevokeApiKey"), 30),
    ] {
        let outcome = subject
            .store
            .revoke_api_key(request, &key_id, now)
            .await
            .unwrap();
        let Change::Made(Recorded::First(key) | Recorded::Repeated(key)) = outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!(key.revoked_at, Some(10));
    }
    let reused = UserRequest {
        digest: [9; 32],
        ..first
    };
    let outcome = subject
        .store
        .revoke_api_key(&reused, &key_id, 40)
        .await
        .unwrap();
    assert_eq!(outcome, Change::Made(Recorded::Reused));
}

async fn a_key_of_another_account_cannot_be_revoked(subject: &Subject) {
    let key_id = subject
        .store
        .list_api_keys(&account("other"), None, 1000)
        .await
        .unwrap()[0]
        .key_id
        .clone();
    let request = request("default", "RevokeApiKey");
    let outcome = subject
        .store
        .revoke_api_key(&request, &key_id, 10)
        .await
        .unwrap();
    assert_eq!(outcome, Change::Unknown);
    assert_eq!(
        subject
            .store
            .list_api_keys(&account("other"), None, 1000)
            .await
            .unwrap()[0]
            .revoked_at,
        None
    );
}

async fn last_uses_are_kept(subject: &Subject) {
    let key_id = subject
        .store
        .list_api_keys(&account("default"), None, 1000)
        .await
        .unwrap()[0]
        .key_id
        .clone();
    subject
        .store
        .touch_api_keys(vec![(account("default"), key_id, 77)])
        .await
        .unwrap();
    let keys = subject
        .store
        .list_api_keys(&account("default"), None, 1000)
        .await
        .unwrap();
    assert_eq!(keys[0].last_used_at, Some(77));
}

async fn a_rotated_key_is_found_by_both_secrets_until_it_is_rotated_again(subject: &Subject) {
    let secrets: Vec<_> = (0..3)
        .map(|_| Secret::generate(API_KEY_PREFIX).digest())
        .collect();
    let key = key("default", 5);
    let create = request("default", "CreateApiKey");
    let created = subject.store.create_api_key(&create, &key, secrets[0]);
    created.await.unwrap();
    let rotate = async |request: &UserRequest, secret, rotated_at| {
        let rotation = Rotation {
            rotated_at,
            former_ends_at: rotated_at + 10,
        };
        let rotated = subject
            .store
            .rotate_api_key(request, &key.key_id, secret, rotation);
        rotated.await.unwrap()
    };
    let shown = async |secret| {
        let found = subject.store.find_holder(secret).await.unwrap();
        found.map(|holder| {
            (
                holder.shown,
                holder.key.rotation.map(|it| it.former_ends_at),
            )
        })
    };
    let first = request("default", "RotateApiKey");
    let rotated = rotate(&first, secrets[1], 20).await;
    assert!(
        matches!(rotated, Change::Made(Recorded::First(_))),
        "{rotated:?}"
    );
    let repeated = rotate(&first, secrets[2], 21).await;
    assert!(
        matches!(repeated, Change::Made(Recorded::Repeated(_))),
        "{repeated:?}"
    );
    assert_eq!(
        shown(secrets[0]).await,
        Some((PresentedSecret::Former, Some(30)))
    );
    assert_eq!(
        shown(secrets[1]).await,
        Some((PresentedSecret::Present, Some(30)))
    );
    assert_eq!(shown(secrets[2]).await, None);
    rotate(&request("default", "RotateApiKey"), secrets[2], 25).await;
    assert_eq!(shown(secrets[0]).await, None);
    assert_eq!(
        shown(secrets[1]).await,
        Some((PresentedSecret::Former, Some(35)))
    );
}

async fn a_revoked_key_is_not_rotated(subject: &Subject) {
    let store = &subject.store;
    let key = store
        .list_api_keys(&account("default"), None, 1000)
        .await
        .unwrap()
        .remove(0);
    let revoke = request("default", "RevokeApiKey");
    store
        .revoke_api_key(&revoke, &key.key_id, 10)
        .await
        .unwrap();
    let secret = Secret::generate(API_KEY_PREFIX).digest();
    let rotation = Rotation {
        rotated_at: 20,
        former_ends_at: 20,
    };
    let rotate = request("default", "RotateApiKey");
    let outcome = store
        .rotate_api_key(&rotate, &key.key_id, secret, rotation)
        .await
        .unwrap();
    let Change::Made(Recorded::First(key)) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!((key.revoked_at, key.rotation), (Some(10), None));
    assert_eq!(store.find_holder(secret).await.unwrap(), None);
}

async fn a_key_of_another_account_cannot_be_rotated_or_found(subject: &Subject) {
    let store = &subject.store;
    let key = store
        .list_api_keys(&account("other"), None, 1000)
        .await
        .unwrap()
        .remove(0);
    let secret = Secret::generate(API_KEY_PREFIX).digest();
    let rotation = Rotation {
        rotated_at: 20,
        former_ends_at: 20,
    };
    let rotate = request("default", "RotateApiKey");
    let outcome = store
        .rotate_api_key(&rotate, &key.key_id, secret, rotation)
        .await
        .unwrap();
    assert_eq!(outcome, Change::Unknown);
    let found = store
        .find_api_key(&account("default"), &key.key_id)
        .await
        .unwrap();
    assert_eq!(found, None);
}

async fn what_opens_something_is_made_by_the_policy_as_it_is_when_it_is_written(subject: &Subject) {
    let store = &subject.store;
    let before = subject.version("default").await;
    let late = |method| UserRequest {
        method,
        ..request("default", "Late").checked_at(before)
    };
    let (default, secret) = (
        account("default"),
        Secret::generate(API_KEY_PREFIX).digest(),
    );
    let mine = store
        .list_api_keys(&default, None, 1000)
        .await
        .unwrap()
        .remove(0);
    let mut other = key("default", 5);
    other.role = None;
    let create = request("default", "CreateApiKey");
    store.create_api_key(&create, &other, secret).await.unwrap();
    // The end of a key is a change of what its holder may.
    let revoke = request("default", "RevokeApiKey");
    store
        .revoke_api_key(&revoke, &other.key_id, 10)
        .await
        .unwrap();
    assert!(subject.version("default").await > before);

    let secret = Secret::generate(API_KEY_PREFIX).digest();
    let rotation = Rotation {
        rotated_at: 20,
        former_ends_at: 20,
    };
    let rotated = store
        .rotate_api_key(&late("Rotate"), &mine.key_id, secret, rotation)
        .await;
    assert_eq!(rotated.unwrap(), Change::Overtaken);
    let join = token("default", "edge", 20);
    let joins = store.create_join_token(&late("Join"), &join).await;
    assert_eq!(joins.unwrap(), TokenOutcome::Overtaken);
    let (user, first) = (user("third"), key("third", 20));
    let founded = store
        .found_account(&late("Found"), &user, &first, secret)
        .await;
    assert_eq!(founded.unwrap(), Change::Overtaken);
}
