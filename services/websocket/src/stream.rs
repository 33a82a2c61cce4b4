//! The byte stream itself: bytes in binary messages, everything else is an end with a code.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use futures::{Sink, Stream};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::close::{Close, CloseCode, Closer};

/// Read at once from the transport; an idle stream holds no more than this.
const READ_BUFFER_BYTES: usize = 4 * 1024;
/// The largest message that is sent or accepted.
const MESSAGE_BYTES: usize = 64 * 1024;
/// Above this a write waits for the transport.
const HIGH_WATER_BYTES: usize = 256 * 1024;
/// Pings, pongs and empty messages in a row that a peer may send without one byte of data.
const EMPTY_FRAMES: u32 = 64;
/// How long a closing end waits for the close frame of its peer.
const CLOSE_WAIT: Duration = Duration::from_secs(1);

/// What a WebSocket runs on: TLS in the product, a pipe in tests.
pub(crate) trait Transport: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Transport for T {}

/// Bytes both ways over one WebSocket. A message boundary means nothing.
///
/// The end of the peer without a close frame is an error, never a clean end. Memory: 4 KiB to
/// read, and what the transport does not take, at most 256 KiB.
pub struct ByteStream {
    socket: WebSocketStream<Box<dyn Transport>>,
    unread: Bytes,
    outgoing: BytesMut,
    closer: Closer,
    empty_frames: u32,
    phase: Phase,
}

enum Phase {
    Open,
    Closing(Pin<Box<Sleep>>),
    Ended,
}

impl ByteStream {
    /// `early` are the bytes that came behind the upgrade head.
    pub(crate) async fn new(transport: Box<dyn Transport>, role: Role, early: Vec<u8>) -> Self {
        let socket = WebSocketStream::from_partially_read(transport, early, role, Some(config()));
        Self::over(socket.await)
    }

    pub(crate) fn over(socket: WebSocketStream<Box<dyn Transport>>) -> Self {
        Self {
            socket,
            unread: Bytes::new(),
            outgoing: BytesMut::new(),
            closer: Closer::default(),
            empty_frames: 0,
            phase: Phase::Open,
        }
    }

    /// The handle that closes this stream from outside, to be taken before an HTTP/2 connection
    /// owns it.
    #[must_use]
    pub fn closer(&self) -> Closer {
        self.closer.clone()
    }

    fn poll_data(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.unread.is_empty() {
            let message = match ready!(Pin::new(&mut self.socket).poll_next(context)) {
                Some(Ok(message)) => message,
                Some(Err(error)) => return Poll::Ready(Err(self.fail(context, &error))),
                None => return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into())),
            };
            match message {
                Message::Binary(bytes) => self.unread = bytes,
                Message::Close(frame) => {
                    self.closed_by_peer(context, frame);
                    return Poll::Ready(Ok(()));
                }
                Message::Text(_) => {
                    let close =
                        Close::new(CloseCode::Unsupported, "only binary messages are spoken");
                    return Poll::Ready(Err(self.refuse(context, &close)));
                }
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
            self.empty_frames += 1;
            if self.empty_frames > EMPTY_FRAMES && self.unread.is_empty() {
                let close = Close::new(CloseCode::Policy, "too many frames without data");
                return Poll::Ready(Err(self.refuse(context, &close)));
            }
        }
        self.empty_frames = 0;
        Poll::Ready(Ok(()))
    }

    fn closed_by_peer(&mut self, context: &mut Context<'_>, frame: Option<CloseFrame>) {
        let close = frame.map_or_else(
            || Close::new(CloseCode::Normal, ""),
            |frame| Close::new(u16::from(frame.code).into(), frame.reason.as_str()),
        );
        self.closer.record(close);
        // One attempt to answer: the peer does not wait longer than a second for it.
        let _ = Pin::new(&mut self.socket).poll_flush(context);
        self.phase = Phase::Ended;
    }

    fn fail(&mut self, context: &mut Context<'_>, error: &Error) -> io::Error {
        let (code, kind) = verdict(error);
        match code {
            Some(code) => self.refuse(context, &Close::new(code, &error.to_string())),
            None => {
                self.phase = Phase::Ended;
                io::Error::new(kind, error.to_string())
            }
        }
    }

    /// Sends a close frame for what the peer did wrong, without waiting for an answer.
    fn refuse(&mut self, context: &mut Context<'_>, close: &Close) -> io::Error {
        self.send_close(close);
        let _ = Pin::new(&mut self.socket).poll_flush(context);
        self.phase = Phase::Ended;
        io::Error::new(io::ErrorKind::InvalidData, close.reason().to_owned())
    }

    fn send_close(&mut self, close: &Close) {
        let frame = CloseFrame {
            code: u16::from(close.code()).into(),
            reason: close.reason().to_owned().into(),
        };
        // A stream that takes no frame any more is closed already.
        let _ = Pin::new(&mut self.socket).start_send(Message::Close(Some(frame)));
    }

    fn begin_close(&mut self, close: &Close) {
        self.send_close(close);
        self.phase = Phase::Closing(Box::pin(sleep(CLOSE_WAIT)));
    }

    /// Ready when the peer answered the close frame, vanished, or took too long.
    fn poll_closing(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Phase::Closing(deadline) = &mut self.phase else {
            return Poll::Ready(());
        };
        if deadline.as_mut().poll(context).is_pending() {
            let flushed = Pin::new(&mut self.socket).poll_flush(context).is_ready();
            if !flushed || !self.peer_closed(context) {
                return Poll::Pending;
            }
        }
        self.phase = Phase::Ended;
        Poll::Ready(())
    }

    fn peer_closed(&mut self, context: &mut Context<'_>) -> bool {
        loop {
            match Pin::new(&mut self.socket).poll_next(context) {
                Poll::Ready(Some(Ok(Message::Close(frame)))) => {
                    self.closed_by_peer(context, frame);
                    return true;
                }
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(_) => return true,
                Poll::Pending => return false,
            }
        }
    }

    fn poll_room(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !matches!(self.phase, Phase::Open) {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        Pin::new(&mut self.socket)
            .poll_ready(context)
            .map_err(to_io)
    }

    fn send(&mut self) -> io::Result<usize> {
        let message = self.outgoing.split().freeze();
        let length = message.len();
        Pin::new(&mut self.socket)
            .start_send(Message::Binary(message))
            .map_err(to_io)?;
        Ok(length)
    }
}

impl AsyncRead for ByteStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Phase::Open = this.phase
            && let Some(close) = this.closer.requested(context.waker())
        {
            this.begin_close(&close);
        }
        match this.phase {
            Phase::Open => ready!(this.poll_data(context))?,
            Phase::Closing(_) => {
                ready!(this.poll_closing(context));
                return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
            }
            Phase::Ended => return Poll::Ready(Ok(())),
        }
        let length = this.unread.len().min(buffer.remaining());
        buffer.put_slice(&this.unread[..length]);
        this.unread.advance(length);
        if this.unread.is_empty() {
            this.unread = Bytes::new();
        }
        Poll::Ready(Ok(()))
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
        let mut room = MESSAGE_BYTES;
        for slice in slices {
            let length = slice.len().min(room);
            this.outgoing.extend_from_slice(&slice[..length]);
            room -= length;
        }
        if this.outgoing.is_empty() {
            return Poll::Ready(Ok(0));
        }
        Poll::Ready(this.send())
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        Pin::new(&mut this.socket)
            .poll_flush(context)
            .map_err(to_io)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Phase::Open = this.phase {
            let close = this.closer.requested(context.waker());
            this.begin_close(&close.unwrap_or_else(|| Close::new(CloseCode::Normal, "")));
        }
        ready!(this.poll_closing(context));
        Pin::new(this.socket.get_mut()).poll_shutdown(context)
    }
}

pub(crate) fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(MESSAGE_BYTES)
        .max_write_buffer_size(HIGH_WATER_BYTES)
        .max_message_size(Some(MESSAGE_BYTES))
        .max_frame_size(Some(MESSAGE_BYTES))
        .accept_unmasked_frames(false)
}

/// The code to send for an error of the reading side; none where the peer cannot hear it.
fn verdict(error: &Error) -> (Option<CloseCode>, io::ErrorKind) {
    if let Error::Io(error) = error {
        return (None, error.kind());
    }
    if let Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) = error {
        return (None, io::ErrorKind::UnexpectedEof);
    }
    let code = if matches!(error, Error::Capacity(_)) {
        CloseCode::TooBig
    } else if matches!(error, Error::Utf8(_)) {
        CloseCode::Unsupported
    } else {
        CloseCode::Protocol
    };
    (Some(code), io::ErrorKind::InvalidData)
}

fn to_io(error: Error) -> io::Error {
    if let Error::Io(error) = error {
        return error;
    }
    io::Error::other(error.to_string())
}

#[cfg(test)]
mod tests;
