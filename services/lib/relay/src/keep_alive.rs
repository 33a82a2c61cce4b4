//! Detects a peer that no longer responds.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use h2::{Ping, PingPong};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, sleep, timeout};

use crate::read_turn::ReadTurn;

/// Times of the HTTP/2 keepalive.
#[derive(Debug, Clone, Copy)]
pub struct KeepAlive {
    /// Silence after which a ping is sent.
    pub every: Duration,
    /// Wait for any byte after the ping.
    pub wait: Duration,
}

impl KeepAlive {
    /// Resolves when the peer missed the timeout. Any byte counts as alive, since a pong queues
    /// behind data.
    pub(crate) async fn wait_for_silence(self, mut pings: PingPong, last_read: Arc<LastRead>) {
        loop {
            let silent = last_read.idle_time();
            if silent < self.every {
                sleep(self.every - silent).await;
                continue;
            }
            let mut pong = std::pin::pin!(pings.ping(Ping::opaque()));
            loop {
                match timeout(self.wait, &mut pong).await {
                    Ok(Ok(_pong)) => break,
                    // The connection ends on its own: its driver reports the cause.
                    Ok(Err(_ended)) => return std::future::pending().await,
                    Err(_elapsed) if last_read.idle_time() < self.wait => {}
                    Err(_elapsed) => return,
                }
            }
        }
    }
}

/// Time of the last byte received.
#[derive(Debug)]
pub(crate) struct LastRead {
    begin: Instant,
    after_ms: AtomicU64,
}

impl LastRead {
    fn idle_time(&self) -> Duration {
        let last = Duration::from_millis(self.after_ms.load(Ordering::Relaxed));
        self.begin.elapsed().saturating_sub(last)
    }

    fn touch(&self) {
        let after = u64::try_from(self.begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.after_ms.store(after, Ordering::Relaxed);
    }
}

/// Transport that records the time of the last byte and limits reads to one turn.
pub(crate) struct MonitoredIo<T> {
    io: T,
    last_read: Arc<LastRead>,
    turn: ReadTurn,
}

impl<T> MonitoredIo<T> {
    pub(crate) fn new(io: T) -> Self {
        let last_read = LastRead {
            begin: Instant::now(),
            after_ms: AtomicU64::new(0),
        };
        Self {
            io,
            last_read: Arc::new(last_read),
            turn: ReadTurn::default(),
        }
    }

    pub(crate) fn turn(&self) -> ReadTurn {
        self.turn.clone()
    }

    pub(crate) fn last_read(&self) -> Arc<LastRead> {
        Arc::clone(&self.last_read)
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for MonitoredIo<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.turn.is_waiting() {
            return Poll::Pending;
        }
        let read = Pin::new(&mut self.io).poll_read(context, buffer);
        match read {
            Poll::Ready(_) => self.last_read.touch(),
            Poll::Pending => self.turn.wait(),
        }
        read
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for MonitoredIo<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}
