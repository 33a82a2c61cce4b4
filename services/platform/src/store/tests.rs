//! Test suite that runs against every store.

mod api_keys;
mod audit;
mod file;
mod join_tokens;
pub(crate) mod memory;
mod pages;
mod policies;
mod preferences;
mod provider_changes;
mod replicas;
mod runtimes;
mod service_accounts;
mod sign_in;
mod throttle;
mod user_sessions;
mod users;

use std::{path::Path, sync::Arc};

use causeway_assertion::SigningKey;
use causeway_database::DatabaseArgs;
use causeway_proto::ids::{AccountId, RequestId, RuntimeName, UserId};
use causeway_testkit::Postgres;
use tempfile::TempDir;

use self::memory::MemoryStore;
use super::{sql::SqlStore, *};
use crate::{
    roles::model as role,
    runtimes::model::{JOIN_TOKEN_LIFE, Purpose},
    secret::{API_KEY_PREFIX, JOIN_TOKEN_PREFIX, Secret},
};

/// Runs a test over each store.
macro_rules! over_each_store {
    ($($name:ident),* $(,)?) => {
        mod memory {
            $(#[tokio::test]
            async fn $name() {
                let subject = crate::store::tests::Subject::memory().await;
                super::$name(&subject).await;
            })*
        }
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let subject = crate::store::tests::Subject::sqlite().await;
                super::$name(&subject).await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let Some(subject) = crate::store::tests::Subject::postgres().await else {
                    return;
                };
                super::$name(&subject).await;
            })*
        }
    };
}
use over_each_store;

/// A store with the accounts `default` and `other`, each with the admin `admin`.
struct Subject {
    store: Arc<dyn Store>,
    _folder: Option<TempDir>,
}

impl Subject {
    async fn memory() -> Self {
        Self::filled(Arc::new(MemoryStore::default()), None).await
    }

    async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (args, file) = (DatabaseArgs::default(), folder.path().join("platform.db"));
        let store = SqlStore::open(&args, &file).await.unwrap();
        Self::filled(Arc::new(store), Some(folder)).await
    }

    async fn postgres() -> Option<Self> {
        let args = DatabaseArgs::from_url(Postgres::shared()?.database());
        let store = SqlStore::open(&args, Path::new("")).await;
        Some(Self::filled(Arc::new(store.unwrap()), None).await)
    }

    async fn filled(store: Arc<dyn Store>, folder: Option<TempDir>) -> Self {
        for account in ["default", "other"] {
            let (user, key) = (user(account), key(account, 1));
            let digest = Secret::generate(API_KEY_PREFIX).digest();
            store.create_account(&user, &key, digest).await.unwrap();
        }
        let _folder = folder;
        Self { store, _folder }
    }

    async fn token(&self, account: &str, name: &str, now: i64) -> SecretDigest {
        let token = token(account, name, now);
        let made = self
            .store
            .create_join_token(&request(account, "CreateJoinToken"), &token)
            .await
            .unwrap();
        let TokenOutcome::Made(Recorded::First(_)) = made else {
            panic!("{made:?}");
        };
        token.digest
    }

    async fn rejoin_token(
        &self,
        account: &str,
        name: &str,
        now: i64,
    ) -> Result<SecretDigest, TokenOutcome> {
        let token = JoinToken {
            purpose: Purpose::Rejoin,
            ..token(account, name, now)
        };
        let request = request(account, "CreateRejoinToken");
        let made = self.store.create_join_token(&request, &token).await;
        let made = made.unwrap();
        let is_first = matches!(made, TokenOutcome::Made(Recorded::First(_)));
        is_first.then_some(token.digest).ok_or(made)
    }

    async fn join(&self, account: &str, name: &str, now: i64) -> Runtime {
        let token = self.token(account, name, now).await;
        let joined = self.store.join(token, &joining(), now).await.unwrap();
        let JoinOutcome::Joined(runtime) = joined else {
            panic!("{joined:?}");
        };
        *runtime
    }
}

fn account(name: &str) -> AccountId {
    name.parse().unwrap()
}

fn admin() -> UserId {
    "admin".parse().unwrap()
}

fn name(text: &str) -> RuntimeName {
    text.parse().unwrap()
}

fn user(of: &str) -> User {
    let name = admin().to_string();
    User::new(account(of), admin(), name, vec![role::admin()], 1)
}

fn key(of: &str, created_at: i64) -> ApiKey {
    ApiKey {
        account: account(of),
        key_id: ApiKey::new_id(),
        display_name: "a key".to_owned(),
        user: admin(),
        role: Some("operator".parse().unwrap()),
        created_at,
        expires_at: Some(created_at + 100),
        last_used_at: None,
        revoked_at: None,
        rotation: None,
    }
}

fn request(of: &str, method: &'static str) -> UserRequest {
    UserRequest {
        account: account(of),
        user: admin(),
        method,
        request_id: RequestId::generate(),
        digest: [7; 32],
        policy_version: None,
    }
}

fn token(of: &str, runtime: &str, now: i64) -> JoinToken {
    JoinToken {
        account: account(of),
        name: name(runtime),
        purpose: Purpose::Join,
        digest: Secret::generate(JOIN_TOKEN_PREFIX).digest(),
        created_by: admin(),
        created_at: now,
        expires_at: now + JOIN_TOKEN_LIFE,
    }
}

fn joining() -> Joining {
    let key = *SigningKey::generate().unwrap().public_key();
    Joining::new(key, key, "1.0.0".to_owned())
}
