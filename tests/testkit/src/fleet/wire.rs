//! A way to the platform that counts what goes over it.

use std::{
    io,
    net::Ipv4Addr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

const BUFFER: usize = 32 << 10;

/// A listener in front of the platform. Its drop cuts all connections.
pub(super) struct Wire {
    url: String,
    bytes: Arc<AtomicU64>,
    _carrying: JoinSet<()>,
}

impl Wire {
    pub(super) async fn start(platform: &str) -> Self {
        let address = platform.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let bytes = Arc::new(AtomicU64::new(0));
        let mut carrying = JoinSet::new();
        carrying.spawn(serve(listener, address, Arc::clone(&bytes)));
        Self {
            url,
            bytes,
            _carrying: carrying,
        }
    }

    pub(super) fn url(&self) -> String {
        self.url.clone()
    }

    /// Both ways.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

async fn serve(listener: TcpListener, address: String, bytes: Arc<AtomicU64>) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let (address, bytes) = (address.clone(), Arc::clone(&bytes));
        connections.spawn(async move {
            // one that breaks is opened again by whoever needs it
            let _ = carry(client, &address, &bytes).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn carry(client: TcpStream, address: &str, bytes: &AtomicU64) -> io::Result<()> {
    let platform = TcpStream::connect(address).await?;
    client.set_nodelay(true)?;
    platform.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_platform, to_platform) = platform.into_split();
    tokio::try_join!(
        copy(from_client, to_platform, bytes),
        copy(from_platform, to_client, bytes),
    )?;
    Ok(())
}

async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    bytes: &AtomicU64,
) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER];
    loop {
        let read = from.read(&mut buffer).await?;
        if read == 0 {
            return to.shutdown().await;
        }
        to.write_all(&buffer[..read]).await?;
        bytes.fetch_add(read as u64, Ordering::Relaxed);
    }
}
