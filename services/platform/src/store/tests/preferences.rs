//! Tests of preferences and saved views.

use super::*;
use crate::{
    preferences::model::{MOST_VIEWS, Preferences, SavedView},
    users::model::UserStatus,
};

over_each_store!(
    preferences_change_only_from_the_version_that_was_read,
    views_of_a_user_and_shared_ones_are_listed_in_order,
    a_view_is_replaced_under_its_name_and_deleted_once,
    a_user_has_a_bounded_number_of_views,
    views_of_a_deleted_user_are_not_listed,
);

fn preferences(content: &str, version: u64) -> Preferences {
    Preferences {
        content: content.to_owned(),
        version,
    }
}

fn view(of: &str, owner: &str, name: &str, roles: &[&str]) -> SavedView {
    SavedView {
        account: account(of),
        owner: owner.parse().unwrap(),
        name: name.to_owned(),
        page: "apps".to_owned(),
        query: "health=degraded".to_owned(),
        roles: roles.iter().map(|role| role.parse().unwrap()).collect(),
        updated_at: 5,
    }
}

fn request_of(of: &str, user: &str, method: &'static str) -> UserRequest {
    UserRequest {
        user: user.parse().unwrap(),
        ..request(of, method)
    }
}

async fn save(subject: &Subject, view: &SavedView) -> Change<SavedView> {
    let request = request_of(view.account.as_str(), view.owner.as_str(), "SaveView");
    subject.store.save_view(&request, view).await.unwrap()
}

async fn list(subject: &Subject, of: &str, user: &str) -> Vec<String> {
    let user: UserId = user.parse().unwrap();
    let account = account(of);
    let found = subject
        .store
        .list_saved_views(&account, &user, (None, 1000));
    let views = found.await.unwrap();
    views
        .iter()
        .map(|view| format!("{}/{}", view.owner, view.name))
        .collect()
}

async fn add_user(subject: &Subject, name: &str) {
    let user = User::new(
        account("default"),
        name.parse().unwrap(),
        name.to_owned(),
        vec![],
        1,
    );
    let create = request("default", "CreateUser");
    let made = subject.store.create_user(&create, &user).await;
    assert!(matches!(made.unwrap(), Change::Made(Recorded::First(_))));
}

async fn preferences_change_only_from_the_version_that_was_read(subject: &Subject) {
    let store = &subject.store;
    let (own, foreign, user) = (account("default"), account("other"), admin());
    assert_eq!(
        store.preferences(&own, &user).await.unwrap(),
        Preferences::default()
    );
    let first = request("default", "SetPreferences");
    let set = async |request: &UserRequest, content: &str, version| {
        let preferences = preferences(content, version);
        store
            .set_preferences(request, &preferences, 5)
            .await
            .unwrap()
    };
    assert_eq!(set(&first, "1", 3).await, Change::Stale);
    assert_eq!(set(&first, "1", 0).await, Change::first(1));
    assert_eq!(
        set(&first, "1", 0).await,
        Change::Made(Recorded::Repeated(1))
    );
    let again = request("default", "SetPreferences");
    assert_eq!(set(&again, "2", 0).await, Change::Stale);
    assert_eq!(set(&again, "2", 1).await, Change::first(2));
    assert_eq!(
        store.preferences(&own, &user).await.unwrap(),
        preferences("2", 2)
    );
    let nothing = store.preferences(&foreign, &user).await.unwrap();
    assert_eq!(nothing, Preferences::default());
}

async fn views_of_a_user_and_shared_ones_are_listed_in_order(subject: &Subject) {
    add_user(subject, "ada").await;
    for view in [
        view("default", "admin", "own", &[]),
        view("default", "ada", "b-shared", &["viewer"]),
        view("default", "ada", "a-shared", &["viewer"]),
        view("default", "ada", "private", &[]),
        view("other", "admin", "foreign", &["viewer"]),
    ] {
        assert_eq!(save(subject, &view).await, Change::first(view));
    }
    let shared = ["ada/a-shared", "ada/b-shared", "admin/own"];
    assert_eq!(list(subject, "default", "admin").await, shared);
    assert_eq!(list(subject, "other", "admin").await, ["admin/foreign"]);
    let ada = ["ada/a-shared", "ada/b-shared", "ada/private"];
    assert_eq!(list(subject, "default", "ada").await, ada);
    let behind = ("ada".parse().unwrap(), "a-shared".to_owned());
    let (account, user) = (account("default"), admin());
    let asked = (Some(&behind), 1);
    let next = subject.store.list_saved_views(&account, &user, asked).await;
    assert_eq!(
        next.unwrap(),
        [view("default", "ada", "b-shared", &["viewer"])]
    );
}

async fn a_view_is_replaced_under_its_name_and_deleted_once(subject: &Subject) {
    save(subject, &view("default", "admin", "mine", &[])).await;
    let changed = SavedView {
        query: "q=pay".to_owned(),
        ..view("default", "admin", "mine", &["viewer"])
    };
    assert_eq!(
        save(subject, &changed).await,
        Change::first(changed.clone())
    );
    assert_eq!(list(subject, "default", "admin").await, ["admin/mine"]);
    let store = &subject.store;
    let delete =
        async |request: &UserRequest| store.delete_saved_view(request, "mine", 6).await.unwrap();
    assert_eq!(
        delete(&request("other", "DeleteSavedView")).await,
        Change::Unknown
    );
    let first = request("default", "DeleteSavedView");
    assert_eq!(delete(&first).await, Change::first(()));
    assert_eq!(delete(&first).await, Change::Made(Recorded::Repeated(())));
    let late = request("default", "DeleteSavedView");
    assert_eq!(delete(&late).await, Change::Unknown);
}

async fn a_user_has_a_bounded_number_of_views(subject: &Subject) {
    for number in 0..MOST_VIEWS {
        let saved = save(
            subject,
            &view("default", "admin", &format!("view-{number}"), &[]),
        )
        .await;
        assert!(matches!(saved, Change::Made(_)), "{number}: {saved:?}");
    }
    let full = save(subject, &view("default", "admin", "one more", &[])).await;
    assert_eq!(full, Change::Full);
    let known = view("default", "admin", "view-0", &["viewer"]);
    assert_eq!(save(subject, &known).await, Change::first(known));
}

async fn views_of_a_deleted_user_are_not_listed(subject: &Subject) {
    add_user(subject, "ada").await;
    save(subject, &view("default", "ada", "shared", &["viewer"])).await;
    let (delete, ada) = (request("default", "DeleteUser"), "ada".parse().unwrap());
    let store = &subject.store;
    store
        .set_user_standing(&delete, &ada, UserStatus::Deleted, 9)
        .await
        .unwrap();
    assert_eq!(
        list(subject, "default", "admin").await,
        Vec::<String>::new()
    );
}
