mod permits;
mod refusals;
mod revocation;

use causeway_assertion::{ExpectedAudience, KeySource as _, Verifier};

use super::*;
use crate::{
    api_keys::model::{ApiKey, KeyRefusal},
    audit,
    audit::{Outcome, Verdict},
    first_start::first_admin,
    keys::ring::PlatformKeySource,
    request::UserRequest,
    roles::{
        model as role,
        model::Role,
        rule::{Rule, Selector},
    },
    runtimes::model::{JoinToken, Joining},
    secret::{API_KEY_PREFIX, JOIN_TOKEN_PREFIX, Secret},
    store::{Change, Save, tests::memory::MemoryStore},
    users::model::User,
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
            refusals: Arc::default(),
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
        fixture.found("other").await;
        fixture.found("default").await;
        fixture.join("default", "edge").await;
        fixture.join("other", "foreign").await;
        fixture
    }

    async fn found(&self, of: &str) {
        let (user, key) = first_admin(of.parse().unwrap(), 1);
        let digest = Secret::generate(API_KEY_PREFIX).digest();
        self.store
            .create_account(&user, &key, digest)
            .await
            .unwrap();
    }

    /// Makes a key of the admin with a role of its own.
    async fn key(&self, of: &str, role: &str, change: impl FnOnce(&mut ApiKey)) -> Secret {
        let secret = Secret::generate(API_KEY_PREFIX);
        let (_, mut key) = first_admin(of.parse().unwrap(), 1);
        key.role = Some(role.parse().unwrap());
        change(&mut key);
        let request = request(of);
        let made = self.store.create_api_key(&request, &key, secret.digest());
        made.await.unwrap();
        secret
    }

    /// Makes a user with one role, which has these rules, and a key of theirs.
    async fn holder(&self, name: &str, rules: Vec<Rule>) -> Secret {
        let role = Role {
            name: name.parse().unwrap(),
            description: String::new(),
            rules,
            times: None,
        };
        let save = request("default");
        let saved = self.store.save_role(&save, &role, Save::New).await;
        assert!(matches!(saved.unwrap(), Change::Made(_)));
        let (account, user) = ("default".parse().unwrap(), name.parse().unwrap());
        let user = User::new(account, user, name.to_owned(), vec![role.name], 1);
        let create = request("default");
        let made = self.store.create_user(&create, &user).await;
        assert!(matches!(made.unwrap(), Change::Made(_)));
        self.key("default", role::ADMIN, |key| {
            key.user = user.user.clone();
            key.role = None;
        })
        .await
    }

    async fn join(&self, of: &str, name: &str) {
        let digest = Secret::generate(JOIN_TOKEN_PREFIX).digest();
        let token = JoinToken {
            purpose: crate::runtimes::model::Purpose::Join,
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
        let key = *causeway_assertion::SigningKey::generate()
            .unwrap()
            .public_key();
        self.store
            .join(digest, &Joining::new(key, key, String::new()), 1)
            .await
            .unwrap();
    }

    /// Rows of the audit without the joins of the fixture.
    async fn rows(&self) -> Vec<AuditRecord> {
        let account = "default".parse().unwrap();
        let mut rows = self.store.newest_audit(&account).await;
        rows.retain(|row| !row.intent.subject.starts_with("runtime:"));
        rows
    }
}

fn rule(entity: &str, action: &str, change: impl FnOnce(&mut Selector)) -> Rule {
    let mut selector = Selector::default();
    change(&mut selector);
    Rule {
        entities: vec![entity.to_owned()],
        actions: vec![action.to_owned()],
        selector,
    }
}

fn request(of: &str) -> UserRequest {
    UserRequest {
        account: of.parse().unwrap(),
        user: "admin".parse().unwrap(),
        method: "Test",
        request_id: RequestId::generate(),
        digest: [0; 32],
        policy_version: None,
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
        stage: CallStage::Begins,
    }
}
