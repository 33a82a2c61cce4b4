//! Byte stream over the binary messages of one WebSocket.

use std::{
    io::{self, ErrorKind, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Buf, Bytes, BytesMut};
use futures::{Sink, Stream};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Error, Message,
        error::ProtocolError,
        protocol::{CloseFrame, Role, WebSocketConfig},
    },
};

use crate::close::{Close, CloseCode, Closer};

/// Maximum size of a received frame, and of a message of several frames, in bytes.
const MESSAGE_BYTES: usize = 64 * 1024;
/// Size from which written bytes become a message without a flush.
const GATHER_BYTES: usize = 16 * 1024;
/// Maximum size of a sent message: an HTTP/2 frame of 16 KiB with its head fits.
const SENT_BYTES: usize = GATHER_BYTES + 1024;
const READ_BUFFER_BYTES: usize = 4 * 1024;
/// Bounds what the transport did not take yet: one message and control frames.
const WRITE_BUFFER_BYTES: usize = 128 * 1024;
/// Maximum number of messages in a row without data.
const EMPTY_MESSAGES: u32 = 64;
/// Maximum wait for the close frame of the peer.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Transport below the WebSocket: TLS in the product, a pipe in tests.
pub(crate) trait Transport: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Transport for T {}

type Socket = WebSocketStream<Box<dyn Transport>>;

/// Limits of frames, messages and buffers.
pub(crate) fn limits() -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER_BYTES)
        // Written bytes are gathered here already, so the library sends each message at once.
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER_BYTES)
        .max_message_size(Some(MESSAGE_BYTES))
        .max_frame_size(Some(MESSAGE_BYTES))
}

/// Bytes in both directions over one WebSocket; message boundaries carry no meaning.
///
/// Gathers written bytes up to 16 KiB or until a flush, so that small writes share a frame.
/// Reports an end without a close frame as an error, never as a clean end.
pub struct ByteStream {
    socket: Socket,
    /// Rest of the last received message.
    received: Bytes,
    /// Written bytes that are not in a message yet.
    gathered: BytesMut,
    closer: Closer,
    phase: Phase,
    /// True when the transport has taken and flushed everything.
    flushed: bool,
    /// Messages in a row without data.
    empty_messages: u32,
}

enum Phase {
    Open,
    Closing {
        /// Close frame that waits behind the gathered bytes.
        unsent: Option<Close>,
        deadline: Pin<Box<Sleep>>,
    },
    Ended,
}

impl ByteStream {
    /// Wraps a transport after the handshake; `early` are the bytes behind the request head.
    pub(crate) async fn new(transport: Box<dyn Transport>, role: Role, early: Bytes) -> Self {
        let socket =
            WebSocketStream::from_partially_read(transport, early.into(), role, Some(limits()));
        Self::from_socket(socket.await)
    }

    pub(crate) fn from_socket(socket: Socket) -> Self {
        Self {
            socket,
            received: Bytes::new(),
            gathered: BytesMut::new(),
            closer: Closer::default(),
            phase: Phase::Open,
            flushed: true,
            empty_messages: 0,
        }
    }

    /// Returns the handle that closes this stream from outside.
    #[must_use]
    pub fn closer(&self) -> Closer {
        self.closer.clone()
    }

    /// Receives until `received` has data; `Ok(false)` when the peer has closed.
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<bool>> {
        while self.received.is_empty() {
            let Some(message) = ready!(Pin::new(&mut self.socket).poll_next(context)) else {
                self.phase = Phase::Ended;
                return Poll::Ready(Ok(false));
            };
            match message {
                Ok(Message::Binary(data)) if !data.is_empty() => {
                    self.received = data;
                    self.empty_messages = 0;
                }
                Ok(Message::Close(frame)) => {
                    self.closer.record(to_close(frame));
                    // The library has queued the answer; the reader does not wait for it.
                    let _ = Pin::new(&mut self.socket).poll_flush(context);
                    self.phase = Phase::Ended;
                    return Poll::Ready(Ok(false));
                }
                Ok(Message::Text(_)) => {
                    let close = Close::new(CloseCode::Unsupported, "only binary messages");
                    return Poll::Ready(Err(self.reject(context, &close)));
                }
                // Pings are answered by the library; a flood of them must not keep us busy.
                Ok(_) if self.empty_messages == EMPTY_MESSAGES => {
                    let close = Close::new(CloseCode::Policy, "too many frames without data");
                    return Poll::Ready(Err(self.reject(context, &close)));
                }
                Ok(_) => self.empty_messages += 1,
                Err(error) => return Poll::Ready(Err(self.fail(context, error))),
            }
        }
        Poll::Ready(Ok(true))
    }

    /// Ends the stream after a failed read; tells the peer when it broke the protocol.
    fn fail(&mut self, context: &mut Context<'_>, error: Error) -> io::Error {
        self.phase = Phase::Ended;
        if let Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) = error {
            return ErrorKind::UnexpectedEof.into();
        }
        let code = if let Error::Io(error) = error {
            return error;
        } else if let Error::Capacity(_) = error {
            CloseCode::TooBig
        } else if let Error::Utf8(_) = error {
            CloseCode::Other(1007)
        } else {
            CloseCode::Protocol
        };
        self.reject(context, &Close::new(code, &error.to_string()))
    }

    /// Sends a close frame without waiting for the answer.
    fn reject(&mut self, context: &mut Context<'_>, close: &Close) -> io::Error {
        // A transport that cannot take the frame fails the stream anyway.
        let _ = Pin::new(&mut self.socket).start_send(to_message(close));
        let _ = Pin::new(&mut self.socket).poll_flush(context);
        self.phase = Phase::Ended;
        io::Error::new(ErrorKind::InvalidData, close.reason().to_owned())
    }

    fn begin_close(&mut self, close: Close) {
        self.phase = Phase::Closing {
            unsent: Some(close),
            deadline: Box::pin(sleep(CLOSE_TIMEOUT)),
        };
    }

    /// Ready when the peer has answered the close frame, is gone, or took too long.
    fn poll_closing(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Phase::Closing { deadline, .. } = &mut self.phase else {
            return Poll::Ready(());
        };
        if deadline.as_mut().poll(context).is_pending()
            && ready!(self.poll_send_close(context)).is_ok()
        {
            ready!(self.poll_discard(context));
        }
        self.phase = Phase::Ended;
        Poll::Ready(())
    }

    /// Sends the gathered bytes, then the close frame.
    fn poll_send_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send_gathered(context))?;
        if let Phase::Closing { unsent, .. } = &mut self.phase
            && let Some(close) = unsent.take()
        {
            let sent = Pin::new(&mut self.socket).start_send(to_message(&close));
            sent.map_err(to_io)?;
            self.flushed = false;
        }
        self.poll_flush_socket(context)
    }

    /// Ready when the peer has closed; drops what it still sends.
    fn poll_discard(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while matches!(self.phase, Phase::Closing { .. }) {
            if ready!(self.poll_receive(context)).is_err() {
                return Poll::Ready(());
            }
            self.received = Bytes::new();
        }
        Poll::Ready(())
    }

    /// Hands the gathered bytes to the library as one message.
    fn poll_send_gathered(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.gathered.is_empty() {
            return Poll::Ready(Ok(()));
        }
        // Pending while an earlier message is not taken: this bounds the write buffer.
        ready!(Pin::new(&mut self.socket).poll_ready(context)).map_err(to_io)?;
        // The buffer goes with the message, so that an idle stream holds none.
        let message = Message::Binary(std::mem::take(&mut self.gathered).freeze());
        let sent = Pin::new(&mut self.socket).start_send(message);
        self.flushed = false;
        Poll::Ready(sent.map_err(to_io))
    }

    fn poll_flush_socket(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.flushed {
            ready!(Pin::new(&mut self.socket).poll_flush(context)).map_err(to_io)?;
            self.flushed = true;
        }
        Poll::Ready(Ok(()))
    }
}

fn to_message(close: &Close) -> Message {
    Message::Close(Some(CloseFrame {
        code: u16::from(close.code()).into(),
        reason: close.reason().into(),
    }))
}

fn to_close(frame: Option<CloseFrame>) -> Close {
    frame.map_or_else(
        || Close::new(CloseCode::Normal, ""),
        |frame| Close::new(u16::from(frame.code).into(), &frame.reason),
    )
}

fn to_io(error: Error) -> io::Error {
    if let Error::Io(error) = error {
        return error;
    }
    if matches!(error, Error::ConnectionClosed | Error::AlreadyClosed) {
        return ErrorKind::BrokenPipe.into();
    }
    io::Error::other(error)
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
            this.begin_close(close);
        }
        match this.phase {
            Phase::Open => {
                if ready!(this.poll_receive(context))? {
                    let length = this.received.len().min(buffer.remaining());
                    buffer.put_slice(&this.received[..length]);
                    this.received.advance(length);
                }
                Poll::Ready(Ok(()))
            }
            Phase::Closing { .. } => {
                ready!(this.poll_closing(context));
                Poll::Ready(Err(ErrorKind::ConnectionAborted.into()))
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
        if !matches!(this.phase, Phase::Open) {
            return Poll::Ready(Err(ErrorKind::BrokenPipe.into()));
        }
        if this.gathered.len() >= GATHER_BYTES {
            ready!(this.poll_send_gathered(context))?;
        }
        let mut written = 0;
        for slice in slices {
            let room = SENT_BYTES - this.gathered.len();
            let taken = &slice[..slice.len().min(room)];
            this.gathered.extend_from_slice(taken);
            written += taken.len();
        }
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_send_gathered(context))?;
        this.poll_flush_socket(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Phase::Open = this.phase {
            let close = this.closer.requested(context.waker());
            this.begin_close(close.unwrap_or_else(|| Close::new(CloseCode::Normal, "")));
        }
        ready!(this.poll_closing(context));
        Pin::new(this.socket.get_mut()).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests;
