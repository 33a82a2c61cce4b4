//! Sending side of a request or response body.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use h2::{Reason, SendStream};
use http_body::Body;

/// Sends a body under the peer's flow control. Ends without an error: a reset carries the cause.
pub(crate) struct BodySender<B> {
    body: B,
    stream: SendStream<Bytes>,
    /// Reset code for a body that failed for a reason outside HTTP/2.
    broken: Reason,
    /// Waits for capacity of the stream window.
    chunk: Option<Chunk>,
}

struct Chunk {
    data: Bytes,
    last: bool,
}

impl<B> BodySender<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    pub(crate) fn new(body: B, stream: SendStream<Bytes>, broken: Reason) -> Self {
        Self {
            body,
            stream,
            broken,
            chunk: None,
        }
    }

    /// True while a chunk waits for capacity. The body is not polled meanwhile.
    pub(crate) fn is_waiting_for_capacity(&self) -> bool {
        self.chunk.is_some()
    }

    fn poll_sent(&mut self, context: &mut Context<'_>) -> Poll<Result<(), h2::Error>> {
        loop {
            if self.chunk.is_some() {
                ready!(self.poll_capacity(context))?;
            }
            if let Some(Chunk { data, last }) = self.chunk.take() {
                self.stream.send_data(data, last)?;
                if last {
                    return Poll::Ready(Ok(()));
                }
            }
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.buffer(data),
                    Err(frame) => {
                        let trailers = frame.into_trailers().unwrap_or_default();
                        return Poll::Ready(self.stream.send_trailers(trailers));
                    }
                },
                Some(Err(error)) => {
                    let reason = reason(error.into().as_ref()).unwrap_or(self.broken);
                    self.stream.send_reset(reason);
                    return Poll::Ready(Ok(()));
                }
                None => return Poll::Ready(self.stream.send_data(Bytes::new(), true)),
            }
        }
    }

    /// Reserves one byte: h2 takes the whole chunk and sends it as the window allows.
    fn buffer(&mut self, data: Bytes) {
        let last = self.body.is_end_stream();
        if !data.is_empty() {
            self.stream.reserve_capacity(1);
        }
        self.chunk = Some(Chunk { data, last });
    }

    fn poll_capacity(&mut self, context: &mut Context<'_>) -> Poll<Result<(), h2::Error>> {
        let empty = self
            .chunk
            .as_ref()
            .is_none_or(|chunk| chunk.data.is_empty());
        while !empty && self.stream.capacity() == 0 {
            match ready!(self.stream.poll_capacity(context)) {
                Some(Ok(_)) => {}
                Some(Err(error)) => return Poll::Ready(Err(error)),
                None => return Poll::Ready(Err(Reason::STREAM_CLOSED.into())),
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<B> Future for BodySender<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        if this.poll_sent(context).is_ready() {
            return Poll::Ready(());
        }
        // A peer that reset the stream never grants capacity: waiting for it would leak the call.
        this.stream.poll_reset(context).map(|_reset| ())
    }
}

/// Finds the reset code among the causes of an error.
fn reason(error: &(dyn Error + 'static)) -> Option<Reason> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(reason) = error.downcast_ref().and_then(h2::Error::reason) {
            return Some(reason);
        }
        cause = error.source();
    }
    None
}
