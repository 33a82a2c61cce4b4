//! What a caller shows: nothing, an API key, or assertions that it signs itself.

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
/// A read's assertion is shown again for this long, so that it is still good when it arrives.
const REUSED_FOR: Duration = Duration::from_secs(40);

/// What a caller shows.
#[derive(Clone)]
pub enum Credential {
    /// Nothing: for public calls.
    None,
    /// A user's secret.
    ApiKey(Arc<str>),
    /// Assertions by a key that the caller holds.
    Signed(Arc<Signer>),
}

/// Signs assertions for one subject and remembers those of reads.
pub struct Signer {
    key: Key,
    subject: Subject,
    account: AccountId,
    /// Where a call to a part of a runtime goes; none where the signer calls only the platform.
    runtime: Option<RuntimeId>,
    reads: Mutex<HashMap<String, Kept>>,
}

/// What a signer signs with.
enum Key {
    /// A runtime's own key.
    Runtime(Arc<SigningKey>),
    /// The key of a part.
    Part(Arc<PartKeys>),
}

/// A key at one moment.
enum Current {
    Runtime(Arc<SigningKey>),
    Part(Arc<PartKey>),
}

/// An assertion that may be shown again.
struct Kept {
    made: Instant,
    /// Of the key that signed; another key means that this one may not count any more.
    kid: KeyId,
    assertion: Arc<str>,
}

impl Credential {
    /// A user's secret.
    pub fn api_key(secret: &str) -> Self {
        Self::ApiKey(secret.into())
    }

    /// A part of the platform that calls other parts of it; `issuer` is the platform's key for its parts.
    pub fn platform_part(issuer: Arc<SigningKey>, part: PartName) -> Self {
        let keys = PartKeys::from_issuer(issuer, KeyHolder::platform(part.clone()));
        Self::platform_part_with_keys(Arc::new(keys), part)
    }

    /// The same with a key from elsewhere.
    pub fn platform_part_with_keys(keys: Arc<PartKeys>, part: PartName) -> Self {
        let account = PLATFORM_ACCOUNT.parse();
        let account = account.expect("the constant is a valid id");
        let subject = KeyHolder::platform(part).subject();
        Self::signed(Key::Part(keys), subject, account, None)
    }

    /// A runtime, by its own key.
    pub fn runtime(key: Arc<SigningKey>, account: AccountId, runtime: RuntimeId) -> Self {
        let subject = Subject::Runtime {
            account: account.clone(),
            runtime,
        };
        Self::signed(Key::Runtime(key), subject, account, None)
    }

    /// A part of a runtime that calls the platform and other parts of the same runtime; `issuer` is the runtime's key.
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

    /// The same with a key from elsewhere.
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
    /// Whether a call of this method needs its request to sign for it.
    pub(crate) fn needs_request(method: &Method) -> bool {
        matches!(method.kind, Kind::Mutation | Kind::SecretRead)
    }

    /// An assertion for any request of a method, used again while it is fresh.
    pub(crate) fn for_method(&self, method: &Method) -> Result<Arc<str>, Status> {
        let audience = self.audience(&method.part, method.side)?;
        self.reusable(&method.path, audience)
    }

    /// An assertion for something that is no RPC of the contract, for example the tunnel's upgrade.
    pub fn for_path(&self, path: &str, part: &PartName) -> Result<Arc<str>, Status> {
        self.reusable(path, self.platform_audience(part.clone()))
    }

    /// An assertion for this one request: the protobuf message without its gRPC frame.
    pub(crate) fn for_request(&self, method: &Method, message: &[u8]) -> Result<Arc<str>, Status> {
        let claims = self.claims(&method.path, self.audience(&method.part, method.side)?);
        let claims = claims.for_one_request(message, RequestId::generate());
        sign(&self.current()?, &claims)
    }

    fn reusable(&self, path: &str, audience: Audience) -> Result<Arc<str>, Status> {
        let key = self.current()?;
        let kid = key.kid();
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = |kept: &&Kept| kept.made.elapsed() < REUSED_FOR && kept.kid == kid;
        if let Some(kept) = reads.get(path).filter(fresh) {
            return Ok(Arc::clone(&kept.assertion));
        }
        let assertion = sign(&key, &self.claims(path, audience))?;
        let kept = Kept {
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
