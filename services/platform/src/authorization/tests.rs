mod permits;
mod refusals;
mod revocation;

use causeway_shell::assertion::{KeySource as _, Recipient, Verifier};

use super::*;
use crate::{
    api_key::{ApiKey, User},
    audit::{self, Outcome, Verdict},
    key_ring::PlatformKeySource,
    request::UserRequest,
    runtime::{JoinToken, Joining},
    secret::{API_KEY_PREFIX, JOIN_TOKEN_PREFIX, Secret},
    store::memory::MemoryStore,
};

const LIST: &str = "/causeway.inventory.v1.ApplicationService/ListApplications";
const SYNC: &str = "/causeway.proxy.v1.ApplicationActionService/SyncApplication";
const REVOKE: &str = "/causeway.platform.v1.RuntimeService/RevokeRuntime";
const NOW: i64 = 1_700_000_000_000;

/// A platform with the account `default` and a runtime `edge` in it, and one `foreign` in the account `other`.
struct Fixture {
    store: Arc<dyn Store>,
    authorizer: Authorizer,
    verifier_keys: Arc<PlatformKeySource>,
    _folder: tempfile::TempDir,
}

impl Fixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ring = Arc::new(KeyRing::open(folder.path()).unwrap());
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let (audit, writer) = audit::open(Arc::clone(&store), Arc::clone(&ring));
        // The loop ends with the test's runtime.
        let mut tasks = tokio::task::JoinSet::new();
        tasks.spawn(writer.run());
        tasks.detach_all();
        let verifier_keys = Arc::new(PlatformKeySource::new(
            Arc::clone(&ring),
            Arc::clone(&store),
        ));
        let grants = Arc::new(Grants::new(Arc::clone(&store)));
        let authorizer = Authorizer {
            strangers: Arc::default(),
            grants,
            store: Arc::clone(&store),
            audit,
            ring,
        };
        let fixture = Self {
            store,
            authorizer,
            verifier_keys,
            _folder: folder,
        };
        fixture.key("other", Role::Admin, |_| {}).await;
        fixture.key("default", Role::Admin, |_| {}).await;
        fixture.join("default", "edge").await;
        fixture.join("other", "foreign").await;
        fixture
    }

    /// Makes a key, with its account if that is not there.
    async fn key(&self, of: &str, role: Role, change: impl FnOnce(&mut ApiKey)) -> Secret {
        let secret = Secret::generate(API_KEY_PREFIX);
        let account: AccountId = of.parse().unwrap();
        let mut key = ApiKey {
            account: account.clone(),
            key_id: ApiKey::new_id(),
            display_name: "test".to_owned(),
            user: "admin".parse().unwrap(),
            role,
            created_at: 1,
            expires_at: None,
            last_used_at: None,
            revoked_at: None,
        };
        change(&mut key);
        let user = User {
            account: account.clone(),
            user: key.user.clone(),
            role: Role::Admin,
        };
        if self.store.has_account(&account).await.unwrap() {
            let request = request(of);
            self.store
                .create_api_key(&request, &key, secret.digest())
                .await
                .unwrap();
        } else {
            self.store
                .create_account(&user, &key, secret.digest())
                .await
                .unwrap();
        }
        secret
    }

    async fn join(&self, of: &str, name: &str) {
        let digest = Secret::generate(JOIN_TOKEN_PREFIX).digest();
        let token = JoinToken {
            account: of.parse().unwrap(),
            name: name.parse().unwrap(),
            digest,
            created_by: "admin".parse().unwrap(),
            created_at: 0,
            expires_at: 100,
        };
        self.store
            .create_join_token(&request(of), &token)
            .await
            .unwrap();
        let key = *causeway_shell::assertion::SigningKey::generate()
            .unwrap()
            .public_key();
        self.store
            .join(digest, &Joining::new(key, key, String::new()), 1)
            .await
            .unwrap();
    }

    async fn rows(&self) -> Vec<AuditRecord> {
        self.store.newest_audit(&"default".parse().unwrap()).await
    }
}

fn request(of: &str) -> UserRequest {
    UserRequest {
        account: of.parse().unwrap(),
        user: "admin".parse().unwrap(),
        method: "Test",
        request_id: RequestId::generate(),
        digest: [0; 32],
    }
}

fn call(secret: &Secret, method: &str) -> Call {
    Call {
        credential: secret.expose().to_owned(),
        method: method.to_owned(),
        runtime: String::new(),
        digest: Some([3; 32]),
        request_id: Some(RequestId::generate()),
        target: "applications/argocd/guestbook".to_owned(),
        trace_id: "0123".to_owned(),
        source_address: "10.0.0.1".to_owned(),
    }
}
