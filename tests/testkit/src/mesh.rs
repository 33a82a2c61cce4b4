//! The platform and runtimes in one process, wired by the flags that their own processes would get.
#![expect(
    clippy::unwrap_used,
    reason = "only tests call this, and it documents its panics"
)]

mod platform;
mod runtime;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use causeway_assertion::SigningKey;
use causeway_client::{Credential, Peer, PeerUrl, RuntimeIdentity};
use causeway_proto::{
    ids::RequestId,
    inventory::v1::application_service_client::ApplicationServiceClient,
    platform::v1::{
        self as pb, api_key_service_client::ApiKeyServiceClient,
        audit_service_client::AuditServiceClient, runtime_service_client::RuntimeServiceClient,
    },
    proxy::v1::application_action_service_client::ApplicationActionServiceClient,
};
use causeway_sandbox::{Sandbox, SandboxOptions};
use tempfile::TempDir;

use self::platform::{Place, Replicas, start_platform};
pub(crate) use self::runtime::Surroundings;
pub use self::{
    platform::{Databases, PlatformParts},
    runtime::{RuntimeParts, WEBHOOK_SECRET},
};
use crate::part::Part;

/// A platform with one runtime, `east`. Tests join more.
pub struct Mesh {
    folder: TempDir,
    pub platform: Part,
    pub inventory: Part,
    /// Of the part `inventory`, for a process of its own.
    pub inventory_flags: Vec<String>,
    pub tunnel_server: Part,
    pub router: Part,
    pub runtime: RuntimeParts,
    pub other: Option<Replica>,
}

/// A second replica of the platform, with a router in front of it.
pub struct Replica {
    pub platform: Part,
    pub router: Part,
}

const ALLOWED: &str =
    "read,sync,refresh,logs,exec,resource-action,resource-delete,rollout,workflow";

/// A new request id.
pub fn new_id() -> String {
    RequestId::generate().to_string()
}

impl Mesh {
    /// Starts everything and waits until it is ready.
    ///
    /// # Panics
    /// When a part does not start.
    pub async fn start(sandbox: SandboxOptions) -> Self {
        Self::start_on(Databases::default(), Replicas::One, sandbox).await
    }

    /// The same with the rows of the platform's parts where these flags say.
    ///
    /// # Panics
    /// When a part does not start.
    pub async fn start_in(databases: Databases<'_>, sandbox: SandboxOptions) -> Self {
        Self::start_on(databases, Replicas::One, sandbox).await
    }

    /// The same with two replicas of the platform on one database, which these flags name. The first one is behind the router;
    /// all other parts of the platform listen to the second one, which has a router of its own.
    ///
    /// # Panics
    /// When a part does not start.
    pub async fn replicated(database: &[String], sandbox: SandboxOptions) -> Self {
        let databases = Databases {
            platform: database,
            inventory: &[],
        };
        Self::start_on(databases, Replicas::Two, sandbox).await
    }

    async fn start_on(
        databases: Databases<'_>,
        replicas: Replicas,
        sandbox: SandboxOptions,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Place(folder.path());
        let started = PlatformParts::replicated(folder.path(), databases, replicas).await;
        started.settle_neighbour().await;
        let user = started.user();
        let PlatformParts {
            platform,
            inventory,
            inventory_flags,
            tunnel_server,
            router,
            other,
            ..
        } = started;
        let east = ("east", ALLOWED);
        let home = place.folder("east");
        let runtime = RuntimeParts::start(east, &home, &router.url(), &user, sandbox).await;
        Self {
            folder,
            platform,
            inventory,
            inventory_flags,
            tunnel_server,
            router,
            runtime,
            other,
        }
    }

    /// Joins one more runtime, with a sandbox of its own.
    ///
    /// # Panics
    /// When a part of it does not start.
    pub async fn join(&self, name: &str, sandbox: SandboxOptions) -> RuntimeParts {
        self.join_allowing(name, sandbox, ALLOWED).await
    }

    /// The same by another way to the platform than its router's own address.
    ///
    /// # Panics
    /// When a part of it does not start.
    pub async fn join_at(&self, url: &str, name: &str, sandbox: SandboxOptions) -> RuntimeParts {
        let home = Place(self.folder.path()).folder(name);
        RuntimeParts::start((name, ALLOWED), &home, url, &self.user(), sandbox).await
    }

    /// The same with a list of its own of what may be done in it.
    ///
    /// # Panics
    /// When a part of it does not start.
    pub async fn join_allowing(
        &self,
        name: &str,
        sandbox: SandboxOptions,
        allow: &str,
    ) -> RuntimeParts {
        let home = Place(self.folder.path()).folder(name);
        let user = self.user();
        RuntimeParts::start((name, allow), &home, &self.router.url(), &user, sandbox).await
    }

    /// Joins a runtime to the account of a user, in a folder of its own: two accounts may call theirs by one name.
    ///
    /// # Panics
    /// When a part of it does not start.
    pub async fn join_by(
        &self,
        user: &Peer,
        folder: &str,
        name: &str,
        sandbox: SandboxOptions,
    ) -> RuntimeParts {
        let home = Place(self.folder.path()).folder(folder);
        RuntimeParts::start((name, ALLOWED), &home, &self.router.url(), user, sandbox).await
    }

    /// The runtime `east` joins again from a folder of its own, beside the same cluster. Gives the parts that have its former keys,
    /// which go on running.
    ///
    /// # Panics
    /// When a part of it does not start.
    pub async fn join_again(&mut self) -> RuntimeParts {
        let request = pb::CreateRejoinTokenRequest {
            name: "east".to_owned(),
            request_id: new_id(),
        };
        let made = self.runtimes().create_rejoin_token(request).await;
        let token = made.unwrap().into_inner().token;
        let home = Place(self.folder.path()).folder("east-again");
        let identity = join(&token, &home, &self.router.url()).await;
        let sandbox = self.runtime.sandbox.take().unwrap();
        let again = RuntimeParts::serve(identity, &home, ALLOWED, sandbox).await;
        std::mem::replace(&mut self.runtime, again)
    }

    /// The cluster of the runtime `east`.
    pub fn sandbox(&self) -> &Sandbox {
        self.runtime.sandbox()
    }

    /// Everything that the mesh keeps: a folder for each part of the platform, and one for each runtime.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The secret of the admin's API key.
    pub fn admin_key(&self) -> String {
        Place(self.folder.path()).admin_key()
    }

    /// The router as the admin sees it.
    pub fn user(&self) -> Peer {
        user(&self.router.url(), &self.admin_key())
    }

    /// Starts one more replica of the platform in a folder of its own, with these flags.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn start_platform(&self, folder: &str, flags: &[String]) -> Part {
        start_platform(Place(self.folder.path()).folder(folder), flags).await
    }

    /// The same where it is to be refused; gives what it fails with.
    ///
    /// # Panics
    /// When it does not fail.
    pub async fn refused_platform(&self, folder: &str, flags: &[String]) -> String {
        let data = flag("--data", Place(self.folder.path()).folder(folder).display());
        let flags = [data, flags.to_vec()].concat();
        Part::refused("platform", &flags, causeway_platform::serve).await
    }

    /// A part as the holder of a credential sees it.
    pub fn peer(&self, part: &Part, credential: Credential) -> Peer {
        Peer::new(&url(part), credential)
    }

    /// What a part of the platform shows to other parts of it.
    pub fn platform_credential(&self, part: &str) -> Credential {
        let pem = fs::read_to_string(Place(self.folder.path()).part_issuer_key()).unwrap();
        let key = Arc::new(SigningKey::from_pem(&pem).unwrap());
        Credential::platform_part(key, part.parse().unwrap())
    }

    /// The platform's signing key, as a thief of its file has it.
    ///
    /// # Panics
    /// When there is none.
    pub fn signing_key(&self) -> SigningKey {
        let keys = Place(self.folder.path()).folder("platform").join("keys");
        let files = fs::read_dir(keys)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let signing = |path: &PathBuf| path.display().to_string().contains("/signing-");
        let file = files.into_iter().find(signing).unwrap();
        SigningKey::from_pem(&fs::read_to_string(file).unwrap()).unwrap()
    }

    /// The inventory, for the admin.
    pub fn applications(&self) -> ApplicationServiceClient<Peer> {
        ApplicationServiceClient::new(self.user())
    }

    /// Actions on applications, for the admin.
    pub fn actions(&self) -> ApplicationActionServiceClient<Peer> {
        ApplicationActionServiceClient::new(self.user())
    }

    /// The platform's runtimes, for the admin.
    pub fn runtimes(&self) -> RuntimeServiceClient<Peer> {
        RuntimeServiceClient::new(self.user())
    }

    /// The platform's audit, for the admin.
    pub fn audit(&self) -> AuditServiceClient<Peer> {
        AuditServiceClient::new(self.user())
    }

    /// The platform's API keys, for the admin.
    pub fn api_keys(&self) -> ApiKeyServiceClient<Peer> {
        ApiKeyServiceClient::new(self.user())
    }

    /// Drains all parts, the runtime's first, and ends the sandbox.
    ///
    /// # Panics
    /// When a part has failed or does not drain.
    pub async fn stop(mut self) {
        self.runtime.stop().await;
        self.router.stop().await;
        if let Some(other) = &mut self.other {
            other.router.stop().await;
        }
        self.tunnel_server.stop().await;
        self.inventory.stop().await;
        if let Some(other) = &mut self.other {
            other.platform.stop().await;
        }
        self.platform.stop().await;
    }
}

async fn join_token(name: &str, user: &Peer) -> String {
    let request = pb::CreateJoinTokenRequest {
        runtime: name.to_owned(),
        request_id: new_id(),
    };
    let made = RuntimeServiceClient::new(user.clone())
        .create_join_token(request)
        .await;
    made.unwrap().into_inner().token
}

async fn join(token: &str, home: &Path, router: &str) -> RuntimeIdentity {
    let url = PeerUrl::parse(router, None).unwrap();
    let anyone = Peer::new(&url, Credential::None);
    RuntimeIdentity::join(home, &url, anyone, token)
        .await
        .unwrap()
}

fn url(part: &Part) -> PeerUrl {
    PeerUrl::parse(&part.url(), None).unwrap()
}

fn user(router: &str, secret: &str) -> Peer {
    let url = PeerUrl::parse(router, None).unwrap();
    Peer::new(&url, Credential::api_key(secret))
}

fn upstream(name: &str, part: &Part) -> Vec<String> {
    flag("--upstream", format!("{name}={}", part.url()))
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "callers build the value in place"
)]
fn flag(name: &str, value: impl ToString) -> Vec<String> {
    vec![name.to_owned(), value.to_string()]
}
