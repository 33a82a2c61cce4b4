//! The parts of a platform: one replica of each, or two of the part `platform`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use causeway_assertion::development_ca::DevelopmentCa;
use causeway_client::Peer;

use super::{Replica, flag, join, join_token, upstream, url, user};
use crate::{address::reserved_address, neighbour, part::Part};

/// A platform without any runtime.
pub struct PlatformParts {
    pub platform: Part,
    pub inventory: Part,
    /// Of the part `inventory`, for a process of its own.
    pub inventory_flags: Vec<String>,
    pub tunnel_server: Part,
    pub router: Part,
    pub(super) other: Option<Replica>,
    folder: PathBuf,
}

/// Flags of the databases of its parts; none for files in its folder.
#[derive(Clone, Copy, Debug, Default)]
pub struct Databases<'a> {
    pub platform: &'a [String],
    pub inventory: &'a [String],
}

/// How many replicas of the part `platform` there are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Replicas {
    One,
    /// The first one is behind the router; all other parts of the platform listen to the second one, which has a router of its
    /// own.
    Two,
}

impl PlatformParts {
    /// Starts them, and waits until they are ready.
    ///
    /// # Panics
    /// When a part does not start.
    pub async fn start(folder: &Path, databases: Databases<'_>) -> Self {
        Self::replicated(folder, databases, Replicas::One).await
    }

    pub(super) async fn replicated(
        folder: &Path,
        databases: Databases<'_>,
        replicas: Replicas,
    ) -> Self {
        causeway_shell::install_crypto();
        let place = Place(folder);
        let tunnel = reserved_address();
        let ca = DevelopmentCa::open_or_create(&place.folder("tunnel-server")).unwrap();
        let told = [
            flag("--tunnel-url", format!("wss://{tunnel}/tunnel/v1")),
            flag("--tunnel-ca", ca.ca_file().display()),
            databases.platform.to_vec(),
        ]
        .concat();
        let platform = start_platform(place.folder("platform"), &told).await;
        let other = match replicas {
            Replicas::One => None,
            Replicas::Two => {
                place.copy_keys("platform", "platform-2");
                Some(start_platform(place.folder("platform-2"), &told).await)
            }
        };
        let peer = place.peer(other.as_ref().unwrap_or(&platform));
        let data = flag("--data", place.folder("inventory").display());
        let inventory_flags = [peer.clone(), data, databases.inventory.to_vec()].concat();
        let inventory = Part::start("inventory", &inventory_flags, causeway_inventory::serve).await;
        let tunnel_server = [
            peer,
            flag("--data", place.folder("tunnel-server").display()),
            flag("--tunnel-listen", tunnel),
            flag("--tunnel-drain-grace", "1s"),
        ]
        .concat();
        let serve = causeway_tunnel_server::serve;
        let tunnel_server = Part::start("tunnel-server", &tunnel_server, serve).await;
        let router = place.router(&platform, &inventory, &tunnel_server).await;
        let other = match other {
            Some(platform) => Some(Replica {
                router: place.router(&platform, &inventory, &tunnel_server).await,
                platform,
            }),
            None => None,
        };
        Self {
            platform,
            inventory,
            inventory_flags,
            tunnel_server,
            router,
            other,
            folder: folder.to_owned(),
        }
    }

    /// Founds another account with the names that tests use, which nothing of a test may tell of.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn settle_neighbour(&self) {
        let key = neighbour::found(&self.user()).await;
        let admin = user(&self.router.url(), &key);
        let token = join_token("east", &admin).await;
        let home = Place(&self.folder).folder("neighbour-east");
        let runtime = join(&token, &home, &self.router.url()).await;
        let credential = neighbour::credential(&runtime);
        neighbour::settle(Peer::new(&url(&self.inventory), credential)).await;
    }

    /// The secret of the admin's API key.
    pub fn admin_key(&self) -> String {
        Place(&self.folder).admin_key()
    }

    /// The router as the admin sees it.
    pub fn user(&self) -> Peer {
        user(&self.router.url(), &self.admin_key())
    }

    /// Drains all parts.
    ///
    /// # Panics
    /// When a part has failed or does not drain.
    pub async fn stop(mut self) {
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

pub(super) async fn start_platform(data: PathBuf, flags: &[String]) -> Part {
    let flags = [flag("--data", data.display()), flags.to_vec()].concat();
    Part::start("platform", &flags, causeway_platform::serve).await
}

/// Where things are kept.
#[derive(Clone, Copy)]
pub(super) struct Place<'a>(pub(super) &'a Path);

impl Place<'_> {
    pub(super) fn folder(self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(super) fn part_issuer_key(self) -> PathBuf {
        self.folder("platform").join("keys/parts.pem")
    }

    pub(super) fn admin_key(self) -> String {
        let text = fs::read_to_string(self.folder("platform").join("admin.key")).unwrap();
        text.trim().to_owned()
    }

    /// Gives a replica the keys of another one, as a mounted folder would.
    fn copy_keys(self, from: &str, to: &str) {
        let (from, to) = (self.folder(from).join("keys"), self.folder(to).join("keys"));
        fs::create_dir_all(&to).unwrap();
        for file in fs::read_dir(from).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    }

    /// What a part is told of the part `platform`.
    fn peer(self, platform: &Part) -> Vec<String> {
        [
            flag("--platform-url", platform.url()),
            flag("--part-issuer-key", self.part_issuer_key().display()),
        ]
        .concat()
    }

    async fn router(self, platform: &Part, inventory: &Part, tunnel_server: &Part) -> Part {
        let flags = [
            self.peer(platform),
            flag("--side", "platform"),
            upstream("platform", platform),
            upstream("inventory", inventory),
            upstream("tunnel-server", tunnel_server),
        ]
        .concat();
        Part::start("request-router", &flags, causeway_request_router::serve).await
    }
}
