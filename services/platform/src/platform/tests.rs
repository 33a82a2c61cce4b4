//! Tests of permission checks over the in-memory store.

mod identity_providers;

use causeway_proto::ids::{RoleName, UserId};
use causeway_shell::TestStop;
use tempfile::TempDir;

use causeway_proto::ids::{AccountId, RequestId};

use super::*;
use crate::{
    api_keys::model::{ApiKey, Rotation},
    audit,
    first_start::first_admin,
    identity_providers::discovery::Providers,
    request::UserRequest,
    roles::{
        model::Role,
        rule::{Rule, Selector},
    },
    secret::{API_KEY_PREFIX, Secret},
    sign_in::sealing::SealingKeys,
    store::{Change, Save, tests::memory::MemoryStore},
    users::model::User,
};

/// Stage of the call that is authorized.
struct CallStage {
    platform: Platform,
    /// Of the keys.
    folder: TempDir,
    _stop: TestStop,
}

fn account() -> AccountId {
    "default".parse().unwrap()
}

/// A request that was not checked.
fn request() -> UserRequest {
    UserRequest {
        account: account(),
        user: "admin".parse().unwrap(),
        method: "Test",
        request_id: RequestId::generate(),
        digest: [7; 32],
        policy_version: None,
    }
}

fn asker(name: &str) -> Requester {
    Requester {
        account: account(),
        user: name.parse().unwrap(),
        limit: None,
        shown: None,
    }
}

fn wanted(user: &str, role: Option<&str>) -> NewApiKey {
    NewApiKey {
        display_name: "a key".to_owned(),
        user: Some(user.parse().unwrap()),
        role: role.map(|role| role.parse().unwrap()),
        expires_at: None,
    }
}

impl CallStage {
    /// With the account `default` and its admin `admin`.
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ring = Arc::new(KeyRing::open(folder.path()).unwrap());
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let (user, key) = first_admin(account(), 1);
        let digest = Secret::generate(API_KEY_PREFIX).digest();
        store.create_account(&user, &key, digest).await.unwrap();
        let (shell, _stop) = Shell::for_test("platform");
        let (log, _) = audit::open(Arc::clone(&store), Arc::clone(&ring));
        let context = SignInContext {
            keys: SealingKeys::open(folder.path()).unwrap(),
            providers: Providers::new(causeway_oidc::AddressPolicy::Network),
            session_age: 1,
            public_url: None,
        };
        let platform = Platform::new(
            store,
            ring,
            log,
            context,
            PlatformSettings::default(),
            &shell,
        );
        Self {
            platform,
            folder,
            _stop,
        }
    }

    async fn user(&self, name: &str, roles: &[&str]) {
        let roles: Vec<RoleName> = roles.iter().map(|role| role.parse().unwrap()).collect();
        let user: UserId = name.parse().unwrap();
        let user = User::new(account(), user, name.to_owned(), roles, 1);
        let made = self
            .platform
            .users
            .store
            .create_user(&request(), &user)
            .await;
        assert!(matches!(made.unwrap(), Change::Made(_)));
    }

    /// A role that allows some actions on things of a kind.
    async fn role(&self, name: &str, entity: &str, actions: &[&str]) {
        let role = Role {
            name: name.parse().unwrap(),
            description: String::new(),
            rules: vec![Rule {
                entities: vec![entity.to_owned()],
                actions: actions.iter().map(|&action| action.to_owned()).collect(),
                selector: Selector::default(),
            }],
            times: None,
        };
        let store = &self.platform.users.store;
        let saved = store.save_role(&request(), &role, Save::New).await;
        assert!(matches!(saved.unwrap(), Change::Made(_)));
    }

    async fn key(&self, by: &str, new: NewApiKey) -> Result<ApiKey, ChangeError> {
        let (by, request) = (asker(by), request());
        let made = self.platform.api_keys.create_api_key(&by, &request, new, 5);
        made.await.map(|(key, _)| key)
    }

    async fn rotate(&self, by: &str, key: &ApiKey) -> Result<ApiKey, ChangeError> {
        let rotation = Rotation {
            rotated_at: 6,
            former_ends_at: 6,
        };
        let (by, request) = (asker(by), request());
        let rotated = self
            .platform
            .api_keys
            .rotate_api_key(&by, &request, &key.key_id, rotation);
        rotated.await.map(|(key, _)| key)
    }
}

#[tokio::test]
async fn a_key_of_another_user_never_follows_the_roles_that_the_user_gets_later() {
    let stage = CallStage::new().await;
    stage.role("keeper", "api-key", &["create", "rotate"]).await;
    stage.user("kim", &["viewer", "keeper"]).await;
    stage.user("new", &[]).await;
    let open = stage.key("kim", wanted("new", None)).await.unwrap_err();
    assert!(matches!(open, ChangeError::Unlimited), "{open}");
    let limited = stage.key("kim", wanted("new", Some("viewer"))).await;
    stage.rotate("kim", &limited.unwrap()).await.unwrap();
    let own = stage.key("kim", wanted("kim", None)).await.unwrap();
    stage.rotate("kim", &own).await.unwrap();

    let open = stage.key("admin", wanted("new", None)).await.unwrap();
    stage.rotate("admin", &open).await.unwrap();
    let refused = stage.rotate("kim", &open).await.unwrap_err();
    assert!(matches!(refused, ChangeError::Unlimited), "{refused}");
}

#[tokio::test]
async fn a_page_of_users_is_made_of_those_who_are_seen() {
    let stage = CallStage::new().await;
    for name in ["blue-one", "blue-two", "red-one", "red-two"] {
        stage.user(name, &[]).await;
    }
    let seen = async |limit, behind: Option<&str>| {
        let behind = behind.map(|name| name.parse().unwrap());
        let sees = |user: &UserId| user.as_str().ends_with("two");
        let platform = &stage.platform;
        let users = platform
            .users
            .list_users(&account(), behind, limit, sees)
            .await;
        let users = users.unwrap().into_iter();
        users.map(|user| user.user.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(seen(2, None).await, ["blue-two", "red-two"]);
    assert_eq!(seen(1, None).await, ["blue-two"]);
    assert_eq!(seen(1, Some("blue-two")).await, ["red-two"]);
    assert_eq!(seen(1, Some("red-two")).await, [""; 0]);
}

#[tokio::test]
async fn a_page_of_keys_is_made_of_those_that_are_seen() {
    let stage = CallStage::new().await;
    for name in ["blue", "red"] {
        stage.user(name, &[]).await;
    }
    for turn in 0..3 {
        for name in ["blue", "red"] {
            let made = stage.key("admin", wanted(name, None)).await;
            assert!(made.is_ok(), "{turn}");
        }
    }
    let red = asker("red");
    let page = async |behind: Option<&ApiKey>, limit| {
        let behind = behind.map(ApiKey::place);
        let keys = stage
            .platform
            .api_keys
            .list_api_keys(&red, (behind, limit), |_| false);
        keys.await.unwrap()
    };
    let all = page(None, 100).await;
    assert!(all.len() == 3 && all.iter().all(|key| key.user.as_str() == "red"));
    let first = page(None, 2).await;
    assert_eq!(first, all[..2]);
    assert_eq!(page(Some(&first[1]), 2).await, all[2..]);
    assert_eq!(page(Some(&all[2]), 2).await, []);
}
