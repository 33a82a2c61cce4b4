//! Connections of one address that take places: silent ones, which come back when they are closed, and idle HTTP/2.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    task::JoinSet,
    time::sleep,
};

/// Another address of loopback than the honest client has.
const ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
const BACK_AFTER: Duration = Duration::from_millis(100);
/// The preface of HTTP/2 and empty settings.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// All of them; its drop closes them.
pub(super) struct Crowd {
    open: Arc<AtomicUsize>,
    _connections: JoinSet<()>,
}

impl Crowd {
    pub(super) async fn open(address: &str, silent: usize, idle: usize) -> anyhow::Result<Self> {
        let target: SocketAddr = address.trim_start_matches("http://").parse()?;
        let open = Arc::new(AtomicUsize::new(0));
        let mut connections = JoinSet::new();
        for _ in 0..silent {
            connections.spawn(async move {
                loop {
                    if let Ok(stream) = connect(target).await {
                        until_closed(stream).await;
                    }
                    sleep(BACK_AFTER).await;
                }
            });
        }
        for _ in 0..idle {
            let mut stream = connect(target).await?;
            // A connection that was closed at once is counted as such by its reader.
            let _ = stream.write_all(PREFACE).await;
            let open = open.clone();
            open.fetch_add(1, Ordering::Relaxed);
            connections.spawn(async move {
                until_closed(stream).await;
                open.fetch_sub(1, Ordering::Relaxed);
            });
        }
        Ok(Self {
            open,
            _connections: connections,
        })
    }

    /// Idle ones that have not been closed.
    pub(super) fn idle(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }
}

async fn connect(target: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((ADDRESS, 0).into())?;
    socket.connect(target).await
}

async fn until_closed(mut stream: TcpStream) {
    let mut heard = [0; 1024];
    while matches!(stream.read(&mut heard).await, Ok(1..)) {}
}
