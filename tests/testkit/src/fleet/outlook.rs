//! A platform as its admin sees it: online runtimes and shown applications.

use std::sync::Arc;

use causeway_client::{Credential, Peer, PeerUrl};
use causeway_proto::platform::v1::{
    Connection, ListRuntimesRequest, ListRuntimesResponse, Runtime,
    runtime_service_client::RuntimeServiceClient,
};
use tokio::task::JoinSet;

use super::sights::{self, Sights};

/// Maximum page size of runtimes.
const PAGE: u32 = 500;

/// Address and admin credential of a platform.
#[derive(Clone, Debug)]
pub struct PlatformDoor {
    /// URL of its router.
    pub url: String,
    /// The secret of the admin's API key.
    pub admin_key: String,
}

/// See the module text. Cheap to clone; the watch ends with the last one.
#[derive(Clone)]
pub struct Outlook {
    pub(super) url: String,
    user: Peer,
    sights: Arc<Sights>,
    _watching: Arc<JoinSet<()>>,
}

/// Progress of a fleet.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Runtimes with a tunnel session; none if the platform does not respond in time.
    pub online: Option<usize>,
    /// Applications shown by the platform.
    pub told: usize,
    /// Applications whose manifests are stored.
    pub whole: usize,
    /// Changes that are not shown yet.
    pub outstanding: usize,
    /// Seconds of each change shown since the last call.
    pub lags: Vec<f64>,
}

impl Outlook {
    /// Begins to watch.
    ///
    /// # Panics
    /// When the address is none.
    pub fn open(door: &PlatformDoor) -> Self {
        causeway_shell::install_crypto();
        let url = PeerUrl::parse(&door.url, None).unwrap();
        let user = Peer::new(&url, Credential::api_key(&door.admin_key));
        let sights = Arc::new(Sights::default());
        let mut watching = JoinSet::new();
        watching.spawn(sights::watch(user.clone(), Arc::clone(&sights)));
        Self {
            url: door.url.clone(),
            user,
            sights,
            _watching: Arc::new(watching),
        }
    }

    /// The platform, as its admin.
    pub fn user(&self) -> &Peer {
        &self.user
    }

    /// What the platform shows.
    pub fn sights(&self) -> &Sights {
        &self.sights
    }

    /// How it goes; asks the platform which runtimes are online.
    pub async fn progress(&self) -> Progress {
        let request = ListRuntimesRequest {
            page_size: PAGE,
            ..ListRuntimesRequest::default()
        };
        let mut runtimes = RuntimeServiceClient::new(self.user.clone());
        let listed = runtimes.list_runtimes(request).await;
        let online = |listed: ListRuntimesResponse| {
            let online = |one: &&Runtime| one.connection() == Connection::Online;
            listed.runtimes.iter().filter(online).count()
        };
        Progress {
            online: listed.ok().map(|listed| online(listed.into_inner())),
            told: self.sights.told(),
            whole: self.sights.whole(),
            outstanding: self.sights.outstanding(),
            lags: self.sights.latest(),
        }
    }
}
