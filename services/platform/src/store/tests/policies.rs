use super::*;
use crate::{
    roles::{
        model::{Role, RoleTimes},
        rule::{Rule, Selector},
    },
    users::model::UserStatus,
};

over_each_store!(
    an_account_is_founded_once_and_listed,
    a_role_is_saved_changed_and_deleted,
    a_role_that_somebody_has_is_not_deleted,
    roles_of_another_account_are_not_there,
    each_change_raises_the_version_of_its_account_only,
    repeats_change_nothing,
);

pub(crate) fn role(name: &str, now: i64) -> Role {
    Role {
        name: name.parse().unwrap(),
        description: "a role".to_owned(),
        rules: vec![Rule {
            entities: vec!["application".to_owned()],
            actions: vec!["get".to_owned()],
            selector: Selector {
                names: vec!["a*".to_owned()],
                ..Selector::default()
            },
        }],
        times: Some(RoleTimes {
            created_at: now,
            updated_at: now,
        }),
    }
}

pub(crate) fn named(of: &str, name: &str, roles: &[&str]) -> User {
    let roles = roles.iter().map(|role| role.parse().unwrap()).collect();
    User::new(
        account(of),
        name.parse().unwrap(),
        name.to_owned(),
        roles,
        3,
    )
}

impl Subject {
    pub(crate) async fn save(&self, role: &Role, save: Save) -> Change<Role> {
        let request = request("default", "SaveRole");
        self.store.save_role(&request, role, save).await.unwrap()
    }

    pub(crate) async fn create(&self, user: &User) -> Change<User> {
        let request = request(user.account.as_str(), "CreateUser");
        self.store.create_user(&request, user).await.unwrap()
    }

    pub(crate) async fn stand(&self, of: &str, name: &str, standing: UserStatus) -> Change<User> {
        let (request, user) = (request(of, "Stand"), name.parse().unwrap());
        let stood = self.store.set_user_standing(&request, &user, standing, 50);
        stood.await.unwrap()
    }

    pub(crate) async fn version(&self, of: &str) -> u64 {
        self.store.roles(&account(of)).await.unwrap().version()
    }
}

pub(crate) fn first<T>(change: Change<T>) -> T {
    let Change::Made(Recorded::First(made)) = change else {
        panic!("not made");
    };
    made
}

async fn an_account_is_founded_once_and_listed(subject: &Subject) {
    let request = request("default", "CreateAccount");
    let (user, key) = (user("third"), key("third", 9));
    let secret = || Secret::generate(API_KEY_PREFIX).digest();
    let found = async |request: &UserRequest| {
        let founded = subject.store.found_account(request, &user, &key, secret());
        founded.await.unwrap()
    };
    let made = found(&request).await;
    let repeated = found(&request).await;
    let Change::Made(Recorded::Repeated(again)) = repeated else {
        panic!("{repeated:?}");
    };
    assert_eq!(first(made), again);
    let other = UserRequest {
        digest: [1; 32],
        ..request.clone()
    };
    assert_eq!(found(&other).await, Change::Made(Recorded::Reused));
    let anew = super::request("default", "CreateAccount");
    assert_eq!(found(&anew).await, Change::NameTaken);
    let listed = async |behind: Option<&AccountId>, limit| {
        let accounts = subject.store.list_accounts(behind, limit).await.unwrap();
        let names = accounts.iter().map(|it| it.account.to_string());
        names.collect::<Vec<_>>()
    };
    assert_eq!(listed(None, 10).await, ["default", "other", "third"]);
    assert_eq!(listed(None, 1).await, ["default"]);
    assert_eq!(listed(Some(&account("default")), 1).await, ["other"]);
}

async fn a_role_is_saved_changed_and_deleted(subject: &Subject) {
    let made = role("team", 5);
    assert_eq!(first(subject.save(&made, Save::New).await), made);
    assert_eq!(subject.save(&made, Save::New).await, Change::NameTaken);
    let changed = Role {
        description: "another".to_owned(),
        rules: Vec::new(),
        ..role("team", 8)
    };
    let saved = first(subject.save(&changed, Save::Changed).await);
    let times = RoleTimes {
        created_at: 5,
        updated_at: 8,
    };
    assert_eq!((saved.times, saved.rules.len()), (Some(times), 0));
    let roles = subject.store.roles(&account("default")).await.unwrap();
    assert_eq!(
        roles.get(&made.name).map(|role| (**role).clone()),
        Some(saved)
    );
    assert_eq!(
        subject.save(&role("none", 5), Save::Changed).await,
        Change::Unknown
    );
    let delete = async || {
        let request = request("default", "DeleteRole");
        subject
            .store
            .delete_role(&request, &made.name, 9)
            .await
            .unwrap()
    };
    assert_eq!(
        delete().await,
        Change::Made(Recorded::First(made.name.clone()))
    );
    assert_eq!(delete().await, Change::Unknown);
}

async fn a_role_that_somebody_has_is_not_deleted(subject: &Subject) {
    let team = role("team", 5);
    first(subject.save(&team, Save::New).await);
    // A name that only begins alike is no holder.
    first(subject.save(&role("team-a", 5), Save::New).await);
    first(subject.create(&named("default", "sam", &["team-a"])).await);
    let delete = async || {
        let request = request("default", "DeleteRole");
        subject
            .store
            .delete_role(&request, &team.name, 9)
            .await
            .unwrap()
    };
    first(
        subject
            .create(&named("default", "kim", &["team", "viewer"]))
            .await,
    );
    assert_eq!(delete().await, Change::RoleInUse("the user kim".to_owned()));
    first(subject.stand("default", "kim", UserStatus::Deleted).await);
    let mut key = key("default", 5);
    key.role = Some(team.name.clone());
    let secret = Secret::generate(API_KEY_PREFIX).digest();
    let create = request("default", "CreateApiKey");
    subject
        .store
        .create_api_key(&create, &key, secret)
        .await
        .unwrap();
    let holder = format!("the API key {}", key.key_id);
    assert_eq!(delete().await, Change::RoleInUse(holder));
    let revoke = request("default", "RevokeApiKey");
    subject
        .store
        .revoke_api_key(&revoke, &key.key_id, 9)
        .await
        .unwrap();
    first(delete().await);
}

async fn roles_of_another_account_are_not_there(subject: &Subject) {
    let team = role("team", 5);
    first(subject.save(&team, Save::New).await);
    let roles = subject.store.roles(&account("other")).await.unwrap();
    assert_eq!(roles.get(&team.name), None);
    let request = request("other", "DeleteRole");
    let deleted = subject
        .store
        .delete_role(&request, &team.name, 9)
        .await
        .unwrap();
    assert_eq!(deleted, Change::Unknown);
    let given = subject.create(&named("other", "kim", &["team"])).await;
    assert_eq!(given, Change::RoleUnknown(team.name));
    let roles = subject.store.roles(&account("nowhere")).await.unwrap();
    assert_eq!((roles.version(), roles.all().count()), (0, 3));
}

async fn each_change_raises_the_version_of_its_account_only(subject: &Subject) {
    let (own, other) = (
        subject.version("default").await,
        subject.version("other").await,
    );
    first(subject.save(&role("team", 5), Save::New).await);
    first(subject.save(&role("team", 6), Save::Changed).await);
    first(subject.create(&named("default", "kim", &["team"])).await);
    first(subject.stand("default", "kim", UserStatus::Disabled).await);
    assert_eq!(subject.version("default").await, own + 4);
    subject
        .stand("default", "nobody", UserStatus::Disabled)
        .await;
    assert_eq!(subject.version("default").await, own + 4);
    assert_eq!(subject.version("other").await, other);
}

async fn repeats_change_nothing(subject: &Subject) {
    let store = &subject.store;
    let (save, create, set) = (
        request("default", "SaveRole"),
        request("default", "CreateUser"),
        request("default", "SetUserRoles"),
    );
    let (team, kim) = (role("team", 5), named("default", "kim", &[]));
    let roles = ["viewer".parse().unwrap()];
    for again in [false, true] {
        let version = subject.version("default").await;
        let repeated = [
            matches!(
                store.save_role(&save, &team, Save::New).await.unwrap(),
                Change::Made(Recorded::Repeated(_))
            ),
            matches!(
                store.create_user(&create, &kim).await.unwrap(),
                Change::Made(Recorded::Repeated(_))
            ),
            matches!(
                store
                    .set_user_roles(&set, &kim.user, &roles, 5)
                    .await
                    .unwrap(),
                Change::Made(Recorded::Repeated(_))
            ),
        ];
        assert_eq!(repeated, [again; 3]);
        let changed = subject.version("default").await != version;
        assert_eq!(changed, !again);
    }
    let reused = UserRequest {
        digest: [1; 32],
        ..set
    };
    let changed = store
        .set_user_roles(&reused, &kim.user, &roles, 5)
        .await
        .unwrap();
    assert_eq!(changed, Change::Made(Recorded::Reused));
}
