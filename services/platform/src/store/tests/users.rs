//! Tests of users: roles, deletion and the last admin.

use super::{
    policies::{first, named, role},
    *,
};
use crate::users::model::UserStatus;

over_each_store!(
    a_user_is_created_listed_and_given_roles,
    a_role_that_is_not_there_is_given_to_nobody,
    the_last_admin_stays,
    of_two_admins_who_end_each_other_one_stays,
    a_user_who_is_disabled_loses_its_keys_and_not_those_of_others,
    what_a_user_invited_and_nobody_used_ends_with_the_user,
    what_was_checked_at_another_version_of_the_policy_is_not_done,
    a_deleted_user_is_gone_and_its_name_free,
);

async fn a_user_is_created_listed_and_given_roles(subject: &Subject) {
    let kim = named("default", "kim", &["viewer"]);
    assert_eq!(first(subject.create(&kim).await), kim);
    assert_eq!(subject.create(&kim).await, Change::NameTaken);
    first(subject.create(&named("default", "sam", &[])).await);
    let store = &subject.store;
    let listed = async |behind: Option<&UserId>, limit| {
        let users = store
            .list_users(&account("default"), behind, limit)
            .await
            .unwrap();
        users
            .iter()
            .map(|user| user.user.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(listed(None, 10).await, ["admin", "kim", "sam"]);
    assert_eq!(listed(Some(&kim.user), 10).await, ["sam"]);
    assert_eq!(listed(None, 2).await, ["admin", "kim"]);
    let roles = ["admin".parse().unwrap(), "viewer".parse().unwrap()];
    let set = request("default", "SetUserRoles");
    let changed = store
        .set_user_roles(&set, &kim.user, &roles, 5)
        .await
        .unwrap();
    assert_eq!(first(changed).roles, roles);
    let found = store
        .find_user(&account("default"), &kim.user)
        .await
        .unwrap();
    assert_eq!(found.unwrap().roles, roles);
    assert_eq!(
        store.find_user(&account("other"), &kim.user).await.unwrap(),
        None
    );
    let foreign = request("other", "SetUserRoles");
    let changed = store
        .set_user_roles(&foreign, &kim.user, &roles, 5)
        .await
        .unwrap();
    assert_eq!(changed, Change::Unknown);
}

async fn a_role_that_is_not_there_is_given_to_nobody(subject: &Subject) {
    let unknown = Change::RoleUnknown("team".parse().unwrap());
    assert_eq!(
        subject.create(&named("default", "kim", &["team"])).await,
        unknown
    );
    let kim = named("default", "kim", &[]);
    first(subject.create(&kim).await);
    let set = request("default", "SetUserRoles");
    let roles = ["team".parse().unwrap()];
    let changed = subject
        .store
        .set_user_roles(&set, &kim.user, &roles, 5)
        .await
        .unwrap();
    assert_eq!(changed, unknown);
}

async fn the_last_admin_stays(subject: &Subject) {
    let set = async |name: &str, roles: &[&str]| {
        let roles: Vec<_> = roles.iter().map(|role| role.parse().unwrap()).collect();
        let (request, user) = (request("default", "SetUserRoles"), name.parse().unwrap());
        subject
            .store
            .set_user_roles(&request, &user, &roles, 5)
            .await
            .unwrap()
    };
    for change in [
        set("admin", &["viewer"]).await,
        subject
            .stand("default", "admin", UserStatus::Disabled)
            .await,
        subject.stand("default", "admin", UserStatus::Deleted).await,
    ] {
        assert_eq!(change, Change::LastAdmin);
    }
    let admin = user("default").user;
    let kept = subject
        .store
        .find_user(&account("default"), &admin)
        .await
        .unwrap();
    assert_eq!(kept, Some(user("default")));
    let keys = subject
        .store
        .list_api_keys(&account("default"), None, 1000)
        .await
        .unwrap();
    assert_eq!(keys[0].revoked_at, None);
    first(subject.create(&named("default", "kim", &["admin"])).await);
    first(subject.stand("default", "kim", UserStatus::Disabled).await);
    assert_eq!(
        set("admin", &[]).await,
        Change::LastAdmin,
        "kim cannot sign in"
    );
    first(subject.stand("default", "kim", UserStatus::Enabled).await);
    first(set("admin", &[]).await);
}

async fn of_two_admins_who_end_each_other_one_stays(subject: &Subject) {
    first(subject.create(&named("default", "kim", &["admin"])).await);
    let (one, other) = futures::join!(
        subject.stand("default", "kim", UserStatus::Disabled),
        subject.stand("default", "admin", UserStatus::Disabled),
    );
    let made = [&one, &other].map(|change| matches!(change, Change::Made(_)));
    assert_eq!(
        made.iter().filter(|made| **made).count(),
        1,
        "{one:?} {other:?}"
    );
}

async fn a_user_who_is_disabled_loses_its_keys_and_not_those_of_others(subject: &Subject) {
    let kim = named("default", "kim", &["viewer"]);
    first(subject.create(&kim).await);
    let secret = Secret::generate(API_KEY_PREFIX).digest();
    let mut key = key("default", 5);
    key.user = kim.user.clone();
    let create = request("default", "CreateApiKey");
    subject
        .store
        .create_api_key(&create, &key, secret)
        .await
        .unwrap();
    let disabled = first(subject.stand("default", "kim", UserStatus::Disabled).await);
    assert_eq!(disabled.disabled_at, Some(50));
    let holder = subject.store.find_holder(secret).await.unwrap().unwrap();
    assert_eq!((holder.key.revoked_at, holder.owner), (Some(50), disabled));
    let enabled = first(subject.stand("default", "kim", UserStatus::Enabled).await);
    assert_eq!(enabled.disabled_at, None);
    let keys = subject
        .store
        .list_api_keys(&account("default"), None, 1000)
        .await
        .unwrap();
    let revoked = keys.iter().filter(|key| key.revoked_at.is_some());
    assert_eq!((revoked.count(), keys.len()), (1, 2));
}

async fn what_a_user_invited_and_nobody_used_ends_with_the_user(subject: &Subject) {
    let store = &subject.store;
    for standing in [UserStatus::Disabled, UserStatus::Deleted] {
        let user = named("default", &format!("{standing:?}").to_lowercase(), &[]);
        first(subject.create(&user).await);
        let invite = async |created_by: &UserId, name: &str| {
            let token = JoinToken {
                created_by: created_by.clone(),
                ..token("default", name, 5)
            };
            let request = request("default", "CreateJoinToken");
            store.create_join_token(&request, &token).await.unwrap();
            token.digest
        };
        let name = |of: &str| format!("{}-{of}", user.user);
        let theirs = invite(&user.user, &name("theirs")).await;
        let others = invite(&admin(), &name("others")).await;
        let used = invite(&user.user, &name("used")).await;
        let joining = joining();
        store.join(used, &joining, 6).await.unwrap();
        first(subject.stand("default", user.user.as_str(), standing).await);
        let late = store.join(theirs, &super::joining(), 60).await.unwrap();
        assert_eq!(late, JoinOutcome::Invalid);
        // The answer to a join may have been lost.
        for (token, joining) in [(others, super::joining()), (used, joining)] {
            let joined = store.join(token, &joining, 60).await.unwrap();
            assert!(matches!(joined, JoinOutcome::Joined(_)), "{joined:?}");
        }
    }
}

async fn what_was_checked_at_another_version_of_the_policy_is_not_done(subject: &Subject) {
    let (store, kim) = (&subject.store, named("default", "kim", &["viewer"]));
    first(subject.create(&kim).await);
    first(subject.save(&role("team", 5), Save::New).await);
    let before = subject.version("default").await;
    first(subject.stand("default", "kim", UserStatus::Disabled).await);
    let overtaken = async |version: u64| {
        let asked = request("default", "Test").checked_at(version);
        let asked = |method| UserRequest {
            method,
            ..asked.clone()
        };
        let requests = ["Key", "Roles", "UserStatus", "User", "Role"].map(asked);
        let key = ApiKey {
            user: kim.user.clone(),
            ..key("default", 5)
        };
        let secret = Secret::generate(API_KEY_PREFIX).digest();
        let made = store.create_api_key(&requests[0], &key, secret);
        let made = matches!(made.await.unwrap(), Change::Overtaken);
        let roles = ["admin".parse().unwrap()];
        let set = store.set_user_roles(&requests[1], &kim.user, &roles, 5);
        let set = matches!(set.await.unwrap(), Change::Overtaken);
        let enabled = UserStatus::Enabled;
        let stood = store.set_user_standing(&requests[2], &kim.user, enabled, 5);
        let stood = matches!(stood.await.unwrap(), Change::Overtaken);
        let new = named("default", "lee", &["viewer"]);
        let created = store.create_user(&requests[3], &new).await.unwrap();
        let created = matches!(created, Change::Overtaken);
        let team = role("team", 6);
        let saved = store.save_role(&requests[4], &team, Save::Changed);
        let saved = matches!(saved.await.unwrap(), Change::Overtaken);
        [made, set, stood, created, saved]
    };
    assert_eq!(overtaken(before).await, [true; 5]);
    let keys = store
        .list_api_keys(&account("default"), None, 1000)
        .await
        .unwrap();
    assert_eq!(keys.len(), 1);
    let now = subject.version("default").await;
    assert_eq!(now, before + 1);
    // The key changes no policy; the first change of it overtakes the others.
    assert_eq!(overtaken(now).await, [false, false, true, true, true]);
}

async fn a_deleted_user_is_gone_and_its_name_free(subject: &Subject) {
    let kim = named("default", "kim", &["viewer"]);
    first(subject.create(&kim).await);
    first(subject.stand("default", "kim", UserStatus::Deleted).await);
    let users = subject
        .store
        .list_users(&account("default"), None, 10)
        .await
        .unwrap();
    assert_eq!(users.len(), 1);
    for standing in [
        UserStatus::Enabled,
        UserStatus::Disabled,
        UserStatus::Deleted,
    ] {
        assert_eq!(
            subject.stand("default", "kim", standing).await,
            Change::Unknown
        );
    }
    let other = User {
        display_name: "Another Kim".to_owned(),
        created_at: kim.created_at + 1,
        ..named("default", "kim", &["admin"])
    };
    assert_eq!(first(subject.create(&other).await), other);
    let of = account("default");
    let found = subject.store.find_user(&of, &kim.user).await.unwrap();
    assert_eq!(found, Some(other.clone()));
    assert_eq!(subject.create(&other).await, Change::NameTaken);
}
