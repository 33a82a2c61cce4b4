use causeway_shell::assertion::{KeySource as _, Recipient, Verifier};

use super::*;
use crate::{
    api_key::{ApiKey, User},
    audit::{self, Verdict},
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
        let (audit, writer) = audit::open();
        // The loop ends with the test's runtime.
        let mut tasks = tokio::task::JoinSet::new();
        tasks.spawn(writer.run(Arc::clone(&store)));
        tasks.detach_all();
        let verifier_keys = Arc::new(PlatformKeySource::new(
            Arc::clone(&ring),
            Arc::clone(&store),
        ));
        let grants = Arc::new(Grants::new(Arc::clone(&store)));
        let authorizer = Authorizer {
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
        self.store
            .list_audit(&"default".parse().unwrap(), None, 100)
            .await
            .unwrap()
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

#[tokio::test]
async fn a_read_is_signed_for_its_part_without_an_audit_row() {
    let fixture = Fixture::new().await;
    let secret = fixture.key("default", Role::Viewer, |_| {}).await;
    let permit = fixture
        .authorizer
        .authorize(&call(&secret, LIST), NOW)
        .await
        .unwrap();
    assert_eq!((permit.audit_id, permit.runtime.clone()), (None, None));
    assert_eq!(permit.subject, "user:admin");
    let inventory = Recipient::platform("inventory".parse().unwrap());
    let verifier = Verifier::new(fixture.verifier_keys.clone(), inventory);
    let verified = verifier.verify(&permit.assertion, LIST).await.unwrap();
    let claims = verified.claims();
    assert_eq!(
        (claims.jti.clone(), claims.digest, claims.request_id),
        (None, None, None)
    );
    assert_eq!(
        (
            claims.scope.role.as_str(),
            claims.scope.policy_version.as_str()
        ),
        ("viewer", "1")
    );
    assert_eq!(claims.exp - claims.iat, 60);
    assert!(fixture.rows().await.is_empty());
}

#[tokio::test]
async fn a_mutation_is_signed_for_one_use_after_its_row_is_written() {
    let fixture = Fixture::new().await;
    let secret = fixture.key("default", Role::Operator, |_| {}).await;
    let call = Call {
        runtime: "edge".to_owned(),
        ..call(&secret, SYNC)
    };
    let permit = fixture.authorizer.authorize(&call, NOW).await.unwrap();
    let runtime = permit.runtime.clone().unwrap();
    let proxy = Recipient::runtime(
        "default".parse().unwrap(),
        runtime,
        "app-proxy".parse().unwrap(),
    );
    let verifier = Verifier::new(fixture.verifier_keys.clone(), proxy);
    let verified = verifier.verify(&permit.assertion, SYNC).await.unwrap();
    let claims = verified.claims();
    assert_eq!(
        (claims.digest, claims.request_id),
        (Some([3; 32]), call.request_id)
    );
    assert!(claims.jti.is_some());
    let rows = fixture.rows().await;
    assert_eq!(
        (Some(rows[0].audit_id), rows[0].verdict),
        (permit.audit_id, Verdict::Allowed)
    );
    assert_eq!(
        (rows[0].intent.runtime.as_str(), rows[0].end.clone()),
        ("edge", None)
    );
}

#[tokio::test]
async fn credentials_are_refused_each_for_its_reason() {
    let fixture = Fixture::new().await;
    let revoked = fixture
        .key("default", Role::Admin, |key| key.revoked_at = Some(1))
        .await;
    let expired = fixture
        .key("default", Role::Admin, |key| key.expires_at = Some(NOW))
        .await;
    let unknown = Secret::generate(API_KEY_PREFIX);
    let refused = async |call: Call| fixture.authorizer.authorize(&call, NOW).await.unwrap_err();
    let error = refused(call(&revoked, LIST)).await;
    assert!(
        matches!(error, AuthorizeError::Credential(KeyRefusal::Revoked)),
        "{error}"
    );
    let error = refused(call(&expired, LIST)).await;
    assert!(
        matches!(error, AuthorizeError::Credential(KeyRefusal::Expired)),
        "{error}"
    );
    let error = refused(call(&unknown, LIST)).await;
    assert!(
        matches!(error, AuthorizeError::CredentialUnknown),
        "{error}"
    );
    let empty = Call {
        credential: String::new(),
        ..call(&unknown, LIST)
    };
    assert!(matches!(
        refused(empty).await,
        AuthorizeError::CredentialMissing
    ));
    for text in [
        "cwk_",
        "x",
        "Bearer cwk_",
        &"x".repeat(1 << 20),
        "\0",
        "' OR 1=1 --",
    ] {
        let garbage = Call {
            credential: text.to_owned(),
            ..call(&unknown, LIST)
        };
        assert!(matches!(
            refused(garbage).await,
            AuthorizeError::CredentialUnknown
        ));
    }
    assert!(fixture.rows().await.is_empty(), "strangers leave no rows");
}

#[tokio::test]
async fn a_role_that_does_not_suffice_is_refused_and_audited() {
    let fixture = Fixture::new().await;
    let secret = fixture.key("default", Role::Viewer, |_| {}).await;
    let call = Call {
        runtime: "edge".to_owned(),
        ..call(&secret, SYNC)
    };
    let error = fixture.authorizer.authorize(&call, NOW).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the role viewer does not hold the permission application.sync: ask an admin"
    );
    let rows = fixture.rows().await;
    let end = rows[0].end.clone().unwrap();
    assert_eq!(
        (rows[0].verdict, end.code, end.outcome),
        (Verdict::Denied, 7, Outcome::Failed)
    );
}

#[tokio::test]
async fn what_is_not_open_to_users_is_refused_whether_it_exists_or_not() {
    let fixture = Fixture::new().await;
    let secret = fixture.key("default", Role::Admin, |_| {}).await;
    for path in [
        "/causeway.platform.v1.AuthorizationService/Authorize",
        "/causeway.platform.v1.RuntimeService/Join",
        "/causeway.platform.v1.RuntimeService/ReportSessions",
        "/causeway.nowhere.v1.Service/Method",
        "",
    ] {
        let error = fixture
            .authorizer
            .authorize(&call(&secret, path), NOW)
            .await
            .unwrap_err();
        assert_eq!(error.to_string(), format!("{path}: no call for users"));
    }
    assert_eq!(fixture.rows().await.len(), 5);
}

#[tokio::test]
async fn a_foreign_runtime_is_refused_as_one_that_does_not_exist() {
    let fixture = Fixture::new().await;
    let secret = fixture.key("default", Role::Admin, |_| {}).await;
    let mut refusals = Vec::new();
    for name in ["foreign", "nowhere", "Not A Name"] {
        let call = Call {
            runtime: name.to_owned(),
            ..call(&secret, SYNC)
        };
        let error = fixture.authorizer.authorize(&call, NOW).await.unwrap_err();
        refusals.push(error.to_string().replace(name, "X"));
    }
    refusals.dedup();
    assert_eq!(refusals.len(), 1, "{refusals:?}");
    let rows = fixture.rows().await;
    assert!(rows.iter().all(|row| row.verdict == Verdict::Denied) && rows.len() == 3);
}

#[tokio::test]
async fn a_mutation_without_digest_or_request_id_names_the_field() {
    let fixture = Fixture::new().await;
    let secret = fixture.key("default", Role::Admin, |_| {}).await;
    let whole = Call {
        runtime: "edge".to_owned(),
        ..call(&secret, SYNC)
    };
    let cases = [
        (
            "request_digest",
            Call {
                digest: None,
                ..whole.clone()
            },
        ),
        (
            "request_id",
            Call {
                request_id: None,
                ..whole.clone()
            },
        ),
        (
            "runtime",
            Call {
                runtime: String::new(),
                ..whole
            },
        ),
    ];
    for (field, call) in cases {
        let error = fixture
            .authorizer
            .authorize(&call, NOW)
            .await
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(&format!("{field}: ")), "{error}");
    }
    assert!(fixture.rows().await.is_empty());
}

#[tokio::test]
async fn without_its_audit_row_a_mutation_is_not_signed() {
    let mut fixture = Fixture::new().await;
    let secret = fixture.key("default", Role::Admin, |_| {}).await;
    let (audit, _) = audit::open();
    fixture.authorizer.audit = audit;
    let error = fixture
        .authorizer
        .authorize(&call(&secret, REVOKE), NOW)
        .await
        .unwrap_err();
    assert!(matches!(error, AuthorizeError::Audit(_)), "{error}");
    fixture
        .authorizer
        .authorize(&call(&secret, LIST), NOW)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_revoked_key_opens_nothing_at_once_though_it_was_just_used() {
    let fixture = Fixture::new().await;
    let secret = fixture.key("default", Role::Admin, |_| {}).await;
    fixture
        .authorizer
        .authorize(&call(&secret, LIST), NOW)
        .await
        .unwrap();
    let grant = fixture
        .store
        .find_grant(secret.digest())
        .await
        .unwrap()
        .unwrap();
    let request = request("default");
    fixture
        .store
        .revoke_api_key(&request, &grant.key.key_id, 5)
        .await
        .unwrap();
    fixture.authorizer.grants.revoked();
    let error = fixture
        .authorizer
        .authorize(&call(&secret, LIST), NOW)
        .await
        .unwrap_err();
    assert!(
        matches!(error, AuthorizeError::Credential(KeyRefusal::Revoked)),
        "{error}"
    );
}

#[tokio::test]
async fn a_revoked_runtimes_key_and_name_are_refused_at_once() {
    let fixture = Fixture::new().await;
    let (account, name) = ("default".parse().unwrap(), "edge".parse().unwrap());
    let runtime = fixture
        .store
        .find_runtime(&account, &name)
        .await
        .unwrap()
        .unwrap();
    assert!(
        fixture
            .verifier_keys
            .key(&runtime.key_id())
            .await
            .unwrap()
            .is_some()
    );
    fixture
        .store
        .revoke_runtime(&request("default"), &name, 5)
        .await
        .unwrap();
    assert!(
        fixture
            .verifier_keys
            .key(&runtime.key_id())
            .await
            .unwrap()
            .is_none()
    );
    let secret = fixture.key("default", Role::Admin, |_| {}).await;
    let call = Call {
        runtime: "edge".to_owned(),
        ..call(&secret, SYNC)
    };
    let error = fixture.authorizer.authorize(&call, NOW).await.unwrap_err();
    assert!(
        matches!(error, AuthorizeError::RuntimeUnknown(_)),
        "{error}"
    );
}

#[test]
fn every_call_of_the_contract_that_users_may_make_has_a_permission() {
    for method in causeway_proto::method::methods().values() {
        let for_users = method.callers.contains(&CallerKind::User);
        assert_eq!(for_users, !method.permission.is_empty(), "{}", method.path);
        assert_eq!(
            decide(&method.path, Role::Admin).is_ok(),
            for_users,
            "{}",
            method.path
        );
    }
}
