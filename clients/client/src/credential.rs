//! What a caller shows: nothing, an API key, or assertions that it signs itself.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use causeway_proto::{
    access::v1::{Kind, Side},
    ids::{AccountId, PartName, RequestId, RuntimeId},
    method::Method,
};
use causeway_shell::assertion::{Audience, Claims, SigningKey, Subject};
use tokio::time::Instant;
use tonic::Status;

const LIFE: Duration = Duration::from_secs(60);
/// A read's assertion is shown again for this long, so that it is still good when it arrives.
const REUSED_FOR: Duration = Duration::from_secs(40);
/// The account of calls between parts of the platform, which serve all accounts.
const SYSTEM: &str = "system";

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
    key: Arc<SigningKey>,
    subject: Subject,
    account: AccountId,
    /// Where a call to a part of a runtime goes; none where the signer calls only the platform.
    runtime: Option<RuntimeId>,
    reads: Mutex<HashMap<String, (Instant, Arc<str>)>>,
}

impl Credential {
    /// A user's secret.
    pub fn api_key(secret: &str) -> Self {
        Self::ApiKey(secret.into())
    }

    /// A part of the platform that calls other parts of it.
    pub fn platform_part(key: Arc<SigningKey>, part: PartName) -> Self {
        let subject = Subject::Part {
            side: causeway_shell::Side::Platform,
            part,
        };
        let account = SYSTEM.parse().expect("the reserved word is a valid id");
        Self::signed(key, subject, account, None)
    }

    /// A runtime that calls the platform.
    pub fn runtime(key: Arc<SigningKey>, account: AccountId, runtime: RuntimeId) -> Self {
        let subject = Subject::Runtime {
            account: account.clone(),
            runtime,
        };
        Self::signed(key, subject, account, None)
    }

    /// A part of a runtime that calls other parts of the same runtime.
    pub fn runtime_part(
        key: Arc<SigningKey>,
        account: AccountId,
        runtime: RuntimeId,
        part: PartName,
    ) -> Self {
        let subject = Subject::Part {
            side: causeway_shell::Side::Runtime,
            part,
        };
        Self::signed(key, subject, account, Some(runtime))
    }

    fn signed(
        key: Arc<SigningKey>,
        subject: Subject,
        account: AccountId,
        runtime: Option<RuntimeId>,
    ) -> Self {
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
        self.sign(&claims.for_one_request(message, RequestId::generate()))
    }

    fn reusable(&self, path: &str, audience: Audience) -> Result<Arc<str>, Status> {
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = reads
            .get(path)
            .filter(|(made, _)| made.elapsed() < REUSED_FOR);
        if let Some((_, assertion)) = kept {
            return Ok(Arc::clone(assertion));
        }
        let assertion = self.sign(&self.claims(path, audience))?;
        reads.insert(path.to_owned(), (Instant::now(), Arc::clone(&assertion)));
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

    fn sign(&self, claims: &Claims) -> Result<Arc<str>, Status> {
        let signed = self.key.sign(claims).map(Arc::from);
        signed.map_err(|error| {
            tracing::error!(%error, "cannot sign an assertion");
            Status::internal("internal error")
        })
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

impl fmt::Debug for Credential {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => formatter.write_str("None"),
            Self::ApiKey(_) => formatter.write_str("ApiKey"),
            Self::Signed(signer) => write!(formatter, "Signed({})", signer.subject),
        }
    }
}
