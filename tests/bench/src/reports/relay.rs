//! A TCP relay that counts the bytes of both directions: what a network operator would see.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    task::JoinSet,
};

const CHUNK: usize = 64 << 10;

/// Its drop ends its connections.
pub(super) struct Relay {
    address: SocketAddr,
    bytes: Arc<AtomicU64>,
    upstream: watch::Sender<SocketAddr>,
    _serving: JoinSet<()>,
}

impl Relay {
    /// Listens on any port, and passes on what comes to this address.
    pub(super) async fn start(upstream: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let bytes = Arc::new(AtomicU64::new(0));
        let (upstream, told) = watch::channel(upstream);
        let mut serving = JoinSet::new();
        serving.spawn(serve(listener, told, Arc::clone(&bytes)));
        Ok(Self {
            address,
            bytes,
            upstream,
            _serving: serving,
        })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Connections that are made from now on go here.
    pub(super) fn lead_to(&self, upstream: SocketAddr) {
        self.upstream.send_replace(upstream);
    }

    /// All bytes so far, of both directions.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

async fn serve(
    listener: TcpListener,
    upstream: watch::Receiver<SocketAddr>,
    bytes: Arc<AtomicU64>,
) {
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            Some(_) = open.join_next() => {}
            Ok((socket, _peer)) = listener.accept() => {
                let to = *upstream.borrow();
                open.spawn(pass(socket, to, Arc::clone(&bytes)));
            }
        }
    }
}

async fn pass(socket: TcpStream, to: SocketAddr, bytes: Arc<AtomicU64>) -> io::Result<()> {
    let upstream = TcpStream::connect(to).await?;
    socket.set_nodelay(true)?;
    upstream.set_nodelay(true)?;
    let (from_client, to_client) = socket.into_split();
    let (from_server, to_server) = upstream.into_split();
    // Either side's end is both sides' end.
    tokio::select! {
        ended = carry(from_client, to_server, &bytes) => ended,
        ended = carry(from_server, to_client, &bytes) => ended,
    }
}

async fn carry(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    bytes: &AtomicU64,
) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = from.read(&mut chunk).await?;
        if read == 0 {
            return to.shutdown().await;
        }
        bytes.fetch_add(read as u64, Ordering::Relaxed);
        to.write_all(&chunk[..read]).await?;
    }
}
