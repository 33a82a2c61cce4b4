//! The network between a tunnel client and a tunnel server, which can be cut.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

pub(crate) struct Wire {
    pub(crate) address: SocketAddr,
    target: Arc<Mutex<SocketAddr>>,
    cut: watch::Sender<u32>,
    _tasks: JoinSet<()>,
}

impl Wire {
    pub(crate) async fn start(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let target = Arc::new(Mutex::new(target));
        let cut = watch::Sender::new(0);
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, Arc::clone(&target), cut.clone()));
        Self {
            address,
            target,
            cut,
            _tasks: tasks,
        }
    }

    /// Drops every connection; new ones are carried again.
    pub(crate) fn cut(&self) {
        self.cut.send_modify(|cuts| *cuts += 1);
    }

    /// New connections go elsewhere.
    pub(crate) fn lead_to(&self, target: SocketAddr) {
        *self.target.lock().unwrap() = target;
    }
}

async fn accept(listener: TcpListener, target: Arc<Mutex<SocketAddr>>, cut: watch::Sender<u32>) {
    let mut connections = JoinSet::new();
    while let Ok((mut near, _peer)) = listener.accept().await {
        let target = *target.lock().unwrap();
        let mut cut = cut.subscribe();
        connections.spawn(async move {
            let Ok(mut far) = TcpStream::connect(target).await else {
                return;
            };
            near.set_nodelay(true).unwrap();
            far.set_nodelay(true).unwrap();
            tokio::select! {
                _ended = copy_bidirectional(&mut near, &mut far) => {}
                _cut = cut.changed() => {}
            }
        });
    }
}
