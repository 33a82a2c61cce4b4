//! The byte stream itself: bytes in binary messages, everything else is an end with a code.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::close::{Close, CloseCode, Closer};
use crate::frame::{Opcode, Role, close_payload};
use crate::inbox::{End, Inbox};
use crate::outbox::Outbox;

/// Written bytes are given to the transport from here on, also without a flush.
const GATHER_BYTES: usize = 16 * 1024;
/// Above this a write waits for the transport.
const HIGH_WATER_BYTES: usize = 128 * 1024;
/// How long a closing end waits for the close frame of its peer.
const CLOSE_WAIT: Duration = Duration::from_secs(1);
/// What a closing end reads at once, to find that close frame.
const SCRATCH_BYTES: usize = 1024;

/// What a WebSocket runs on: TLS in the product, a pipe in tests.
pub(crate) trait Transport: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Transport for T {}

/// Bytes both ways over one WebSocket. A message boundary means nothing.
///
/// What is read is decoded in the reader's own buffer. What is written is gathered up to 16 KiB,
/// or until a flush. The end of the peer without a close frame is an error, never a clean end.
/// Memory: what the transport does not take, at most 128 KiB; nothing when idle.
pub struct ByteStream {
    transport: Box<dyn Transport>,
    /// What came behind the upgrade head.
    early: Bytes,
    inbox: Inbox,
    outbox: Outbox,
    closer: Closer,
    phase: Phase,
    /// Whether the transport has nothing left of what it took.
    flushed: bool,
}

enum Phase {
    Open,
    Closing(Pin<Box<Sleep>>),
    Ended,
}

impl ByteStream {
    /// `early` are the bytes that came behind the upgrade head.
    pub(crate) fn new(transport: Box<dyn Transport>, role: Role, early: Bytes) -> Self {
        Self {
            transport,
            early,
            inbox: Inbox::new(role),
            outbox: Outbox::new(role),
            closer: Closer::default(),
            phase: Phase::Open,
            flushed: true,
        }
    }

    /// The handle that closes this stream from outside, to be taken before an HTTP/2 connection
    /// owns it.
    #[must_use]
    pub fn closer(&self) -> Closer {
        self.closer.clone()
    }

    /// Ready with data in `buffer`, with an error, or with neither when the peer has closed.
    fn poll_data(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        loop {
            match self.inbox.take_end() {
                Some(End::Closed(close)) => {
                    self.answer_close(context, &close);
                    return Poll::Ready(Ok(()));
                }
                Some(End::Refused(close)) => return Poll::Ready(Err(self.refuse(context, &close))),
                None => {}
            }
            ready!(self.poll_bytes(context, buffer))?;
            let bytes = &mut buffer.filled_mut()[before..];
            if bytes.is_empty() {
                self.phase = Phase::Ended;
                return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
            }
            let length = self.inbox.decode(bytes);
            buffer.set_filled(before + length);
            if let Some(ping) = self.inbox.take_ping() {
                self.outbox.push_control(Opcode::Pong, &ping);
                self.send_now(context);
            }
            if length > 0 {
                return Poll::Ready(Ok(()));
            }
        }
    }

    fn poll_bytes(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.early.is_empty() {
            return Pin::new(&mut self.transport).poll_read(context, buffer);
        }
        let length = self.early.len().min(buffer.remaining());
        buffer.put_slice(&self.early[..length]);
        self.early.advance(length);
        if self.early.is_empty() {
            self.early = Bytes::new();
        }
        Poll::Ready(Ok(()))
    }

    /// One attempt: the peer does not wait longer than a second for it.
    fn answer_close(&mut self, context: &mut Context<'_>, close: &Close) {
        self.closer.record(close.clone());
        if let Phase::Open = self.phase {
            self.outbox
                .push_control(Opcode::Close, &close_payload(&Close::new(close.code(), "")));
            self.send_now(context);
        }
        self.phase = Phase::Ended;
    }

    /// Sends a close frame for what the peer did wrong, without waiting for an answer.
    fn refuse(&mut self, context: &mut Context<'_>, close: &Close) -> io::Error {
        self.outbox
            .push_control(Opcode::Close, &close_payload(close));
        self.send_now(context);
        self.phase = Phase::Ended;
        io::Error::new(io::ErrorKind::InvalidData, close.reason().to_owned())
    }

    fn begin_close(&mut self, close: &Close) {
        self.outbox
            .push_control(Opcode::Close, &close_payload(close));
        self.phase = Phase::Closing(Box::pin(sleep(CLOSE_WAIT)));
    }

    /// Ready when the peer answered the close frame, vanished, or took too long.
    fn poll_closing(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Phase::Closing(deadline) = &mut self.phase else {
            return Poll::Ready(());
        };
        if deadline.as_mut().poll(context).is_pending() {
            let flushed = self.poll_sent(context).is_ready();
            if !flushed || !self.peer_closed(context) {
                return Poll::Pending;
            }
        }
        self.phase = Phase::Ended;
        Poll::Ready(())
    }

    /// Reads away what still comes.
    fn peer_closed(&mut self, context: &mut Context<'_>) -> bool {
        let mut scratch = [0; SCRATCH_BYTES];
        loop {
            match self.poll_data(context, &mut ReadBuf::new(&mut scratch)) {
                Poll::Ready(Ok(())) if matches!(self.phase, Phase::Closing(_)) => {}
                Poll::Ready(_) => return true,
                Poll::Pending => return false,
            }
        }
    }

    /// Gives the transport what it takes; the rest goes with the next write or flush.
    fn send_now(&mut self, context: &mut Context<'_>) {
        // An error of the transport shows in the next read or write.
        let _ = self.poll_sent(context);
    }

    fn poll_sent(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.outbox.len() == 0 && self.flushed {
            return Poll::Ready(Ok(()));
        }
        self.flushed = false;
        ready!(self.poll_taken(context))?;
        ready!(Pin::new(&mut self.transport).poll_flush(context))?;
        self.flushed = true;
        Poll::Ready(Ok(()))
    }

    /// Ready when the transport has taken everything.
    fn poll_taken(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            let bytes = self.outbox.sealed();
            if bytes.is_empty() {
                return Poll::Ready(Ok(()));
            }
            let length = ready!(Pin::new(&mut self.transport).poll_write(context, bytes))?;
            if length == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.outbox.advance(length);
        }
    }

    fn poll_room(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !matches!(self.phase, Phase::Open) {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        if self.outbox.len() < GATHER_BYTES {
            return Poll::Ready(Ok(()));
        }
        self.flushed = false;
        let taken = self.poll_taken(context);
        if taken.is_pending() && self.outbox.len() < HIGH_WATER_BYTES {
            return Poll::Ready(Ok(()));
        }
        taken
    }
}

impl AsyncRead for ByteStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if buffer.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        if let Phase::Open = this.phase
            && let Some(close) = this.closer.requested(context.waker())
        {
            this.begin_close(&close);
        }
        match this.phase {
            Phase::Open => this.poll_data(context, buffer),
            Phase::Closing(_) => {
                ready!(this.poll_closing(context));
                Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()))
            }
            Phase::Ended => Poll::Ready(Ok(())),
        }
    }
}

impl AsyncWrite for ByteStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_room(context))?;
        let mut room = HIGH_WATER_BYTES.saturating_sub(this.outbox.len());
        let mut written = 0;
        for slice in slices.iter().filter(|slice| !slice.is_empty()) {
            let length = this.outbox.push(&slice[..slice.len().min(room)]);
            written += length;
            room -= length;
            if length < slice.len() || room == 0 {
                break;
            }
        }
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().poll_sent(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Phase::Open = this.phase {
            let close = this.closer.requested(context.waker());
            this.begin_close(&close.unwrap_or_else(|| Close::new(CloseCode::Normal, "")));
        }
        ready!(this.poll_closing(context));
        Pin::new(&mut this.transport).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests;
