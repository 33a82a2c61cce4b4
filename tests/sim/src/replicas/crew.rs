//! Reporters, and how they reach whichever replica is there.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};

use causeway_client::{Credential, Peer, PeerUrl};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, sync::watch, task::JoinSet};
use tonic::transport::Uri;
use tower::service_fn;

use crate::runtime::{self, Watcher};

/// Where the replicas are that there are.
pub(super) type Addresses = Arc<Mutex<Vec<SocketAddr>>>;

/// The inventory as a balancer shows it: another replica for each number, and the next one where that is not there.
pub(super) fn inventory(addresses: &Addresses, number: usize) -> Peer {
    let url = PeerUrl::parse("http://inventory.example:80", None).unwrap();
    let addresses = addresses.clone();
    let connector = service_fn(move |_: Uri| {
        let known = addresses.lock().unwrap_or_else(PoisonError::into_inner);
        let mut turned = known.clone();
        let first = number % turned.len();
        turned.rotate_left(first);
        async move {
            let mut refused = std::io::Error::other("there is no replica");
            for address in turned {
                match TcpStream::connect(address).await {
                    Ok(stream) => return Ok(TokioIo::new(stream)),
                    Err(error) => refused = error,
                }
            }
            Err(refused)
        }
    });
    let channel = url.endpoint().connect_with_connector_lazy(connector);
    Peer::from_channel(channel, Credential::None)
}

/// One reporter. It ends with this, as a kill would end it.
pub(super) struct Member {
    pub(super) instance: String,
    paused: watch::Sender<bool>,
    _task: JoinSet<()>,
}

impl Member {
    pub(super) fn start(watcher: Watcher, instance: String, inventory: Peer) -> Self {
        let (paused, pause) = watch::channel(false);
        let mut task = JoinSet::new();
        let reporting = Box::pin(runtime::report_as(watcher, instance.clone(), inventory));
        task.spawn(async move {
            unless_paused(reporting, pause).await.unwrap();
        });
        Self {
            instance,
            paused,
            _task: task,
        }
    }

    /// It does nothing more; its connections stay open.
    pub(super) fn pause(&self) {
        self.paused.send_replace(true);
    }

    pub(super) fn go_on(&self) {
        self.paused.send_replace(false);
    }

    pub(super) fn is_paused(&self) -> bool {
        *self.paused.borrow()
    }
}

async fn unless_paused<T>(what: impl Future<Output = T>, mut paused: watch::Receiver<bool>) -> T {
    tokio::pin!(what);
    loop {
        if *paused.borrow_and_update() {
            let _ = paused.changed().await;
            continue;
        }
        tokio::select! {
            biased;
            Ok(()) = paused.changed() => {}
            done = &mut what => return done,
        }
    }
}
