//! Credential of a caller: none, an API key, or assertions that it signs itself.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use causeway_assertion::{
    Audience, Claims, KeyHolder, PLATFORM_ACCOUNT, PartKey, SigningKey, SigningKeyError, Subject,
};
use causeway_proto::{
    access::v1::{Kind, Side},
    ids::{AccountId, KeyId, PartName, RequestId, RuntimeId},
    method::Method,
};
use tokio::time::Instant;
use tonic::Status;

use crate::PartKeys;

const LIFE: Duration = Duration::from_secs(60);
/// Reuse time of a read's assertion, short enough that it is still valid on arrival.
const REUSE_TIME: Duration = Duration::from_secs(40);

/// Credential of a caller.
#[derive(Clone)]
pub enum Credential {
    /// None, for public calls.
    None,
    ApiKey(Arc<str>),
    /// Assertions signed with the caller's key.
    Signed(Arc<Signer>),
}

/// Signs assertions for one subject and caches those of reads.
pub struct Signer {
    key: Key,
    subject: Subject,
    account: AccountId,
    /// Runtime whose parts are called; none if only the platform is called.
    runtime: Option<RuntimeId>,
    reads: Mutex<HashMap<String, CachedAssertion>>,
}

/// Key of a signer.
enum Key {
    Runtime(Arc<SigningKey>),
    Part(Arc<PartKeys>),
}

/// Snapshot of a key.
enum Current {
    Runtime(Arc<SigningKey>),
    Part(Arc<PartKey>),
}

/// Cached assertion.
struct CachedAssertion {
    made: Instant,
    /// Id of the signing key. After a key change the assertion may be rejected.
    kid: KeyId,
    assertion: Arc<str>,
}

impl Credential {
    pub fn api_key(secret: &str) -> Self {
        Self::ApiKey(secret.into())
    }

    /// Creates the credential of a platform part for other platform parts; `issuer` is the platform's key for its parts.
    pub fn platform_part(issuer: Arc<SigningKey>, part: PartName) -> Self {
        let keys = PartKeys::from_issuer(issuer, KeyHolder::platform(part.clone()));
        Self::platform_part_with_keys(Arc::new(keys), part)
    }

    /// Same with another source of keys.
    pub fn platform_part_with_keys(keys: Arc<PartKeys>, part: PartName) -> Self {
        let account = PLATFORM_ACCOUNT.parse();
        let account = account.expect("the constant is a valid id");
        let subject = KeyHolder::platform(part).subject();
        Self::signed(Key::Part(keys), subject, account, None)
    }

    /// Creates the credential of a runtime with its own key.
    pub fn runtime(key: Arc<SigningKey>, account: AccountId, runtime: RuntimeId) -> Self {
        let subject = Subject::Runtime {
            account: account.clone(),
            runtime,
        };
        Self::signed(Key::Runtime(key), subject, account, None)
    }

    /// Creates the credential of a runtime part for the platform and other parts of the same runtime; `issuer` is the runtime's
    /// key.
    pub fn runtime_part(
        issuer: Arc<SigningKey>,
        account: AccountId,
        runtime: RuntimeId,
        part: PartName,
    ) -> Self {
        let holder = KeyHolder::runtime(account.clone(), runtime.clone(), part.clone());
        let keys = PartKeys::from_issuer(issuer, holder);
        Self::runtime_part_with_keys(Arc::new(keys), account, runtime, part)
    }

    /// Same with another source of keys.
    pub fn runtime_part_with_keys(
        keys: Arc<PartKeys>,
        account: AccountId,
        runtime: RuntimeId,
        part: PartName,
    ) -> Self {
        let holder = KeyHolder::runtime(account.clone(), runtime.clone(), part);
        Self::signed(Key::Part(keys), holder.subject(), account, Some(runtime))
    }

    fn signed(key: Key, subject: Subject, account: AccountId, runtime: Option<RuntimeId>) -> Self {
        let reads = Mutex::default();
        Self::Signed(Arc::new(Signer {
            key,
            subject,
            account,
            runtime,
            reads,
        }))
    }
}

impl Key {
    fn current(&self) -> Result<Current, SigningKeyError> {
        match self {
            Self::Runtime(key) => Ok(Current::Runtime(Arc::clone(key))),
            Self::Part(keys) => keys.current().map(Current::Part),
        }
    }
}

impl Current {
    fn kid(&self) -> KeyId {
        match self {
            Self::Runtime(key) => key.kid().clone(),
            Self::Part(key) => key.kid().clone(),
        }
    }

    fn sign(&self, claims: &Claims) -> Result<String, SigningKeyError> {
        match self {
            Self::Runtime(key) => key.sign(claims),
            Self::Part(key) => key.sign(claims),
        }
    }
}

impl Signer {
    /// Returns true if the assertion of this method is bound to the request.
    pub(crate) fn needs_request(method: &Method) -> bool {
        matches!(method.kind, Kind::Mutation | Kind::SecretRead)
    }

    /// Returns an assertion for any request of a method, reused while it is fresh.
    pub(crate) fn for_method(&self, method: &Method) -> Result<Arc<str>, Status> {
        let audience = self.audience(&method.part, method.side)?;
        self.reusable(&method.path, audience)
    }

    /// Returns an assertion for a path outside the contract, for example the tunnel upgrade.
    pub fn for_path(&self, path: &str, part: &PartName) -> Result<Arc<str>, Status> {
        self.reusable(path, self.platform_audience(part.clone()))
    }

    /// Returns an assertion that names a part of a runtime, for a path outside the contract. It is not cached, since
    /// unauthenticated callers choose the runtime.
    pub fn for_runtime_path(&self, path: &str, audience: Audience) -> Result<Arc<str>, Status> {
        sign(&self.current()?, &self.claims(path, audience))
    }

    /// Returns an assertion for one request: the protobuf message without its gRPC frame.
    pub(crate) fn for_request(&self, method: &Method, message: &[u8]) -> Result<Arc<str>, Status> {
        let claims = self.claims(&method.path, self.audience(&method.part, method.side)?);
        let claims = claims.for_one_request(message, RequestId::generate());
        sign(&self.current()?, &claims)
    }

    fn reusable(&self, path: &str, audience: Audience) -> Result<Arc<str>, Status> {
        let key = self.current()?;
        let kid = key.kid();
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = |kept: &&CachedAssertion| kept.made.elapsed() < REUSE_TIME && kept.kid == kid;
        if let Some(kept) = reads.get(path).filter(fresh) {
            return Ok(Arc::clone(&kept.assertion));
        }
        let assertion = sign(&key, &self.claims(path, audience))?;
        let kept = CachedAssertion {
            made: Instant::now(),
            kid,
            assertion: Arc::clone(&assertion),
        };
        reads.insert(path.to_owned(), kept);
        Ok(assertion)
    }

    fn claims(&self, path: &str, audience: Audience) -> Claims {
        Claims::for_read(
            self.subject.to_string(),
            self.subject.clone(),
            audience,
            path,
            LIFE,
        )
    }

    fn current(&self) -> Result<Current, Status> {
        self.key.current().map_err(|error| cannot_sign(&error))
    }

    fn audience(&self, part: &str, side: Side) -> Result<Audience, Status> {
        let part = part
            .parse()
            .map_err(|_| Status::unimplemented("the contract names no part"))?;
        match (side, &self.runtime) {
            (Side::Runtime, Some(runtime)) => Ok(Audience {
                account: self.account.clone(),
                runtime: Some(runtime.clone()),
                part,
            }),
            (Side::Runtime, None) => Err(Status::failed_precondition(
                "only a part of the runtime may call it so",
            )),
            (Side::Platform | Side::Unspecified, _) => Ok(self.platform_audience(part)),
        }
    }

    fn platform_audience(&self, part: PartName) -> Audience {
        Audience {
            account: self.account.clone(),
            runtime: None,
            part,
        }
    }
}

fn sign(key: &Current, claims: &Claims) -> Result<Arc<str>, Status> {
    let signed = key.sign(claims).map(Arc::from);
    signed.map_err(|error| cannot_sign(&error))
}

fn cannot_sign(error: &SigningKeyError) -> Status {
    tracing::error!(%error, "cannot sign an assertion");
    Status::internal("internal error")
}

impl fmt::Debug for Credential {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => formatter.write_str("None"),
            Self::ApiKey(_) => formatter.write_str("ApiKey"),
            Self::Signed(signer) => write!(formatter, "Signed({})", signer.subject),
        }
    }
}
