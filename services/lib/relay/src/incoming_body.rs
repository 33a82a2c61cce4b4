//! Receiving side of a request or response body.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use h2::{Reason, RecvStream};
use http_body::{Body, Frame, SizeHint};

use crate::client::ResponseGuard;

/// Body that a peer sends on a stream. Dropping it cancels the stream; dropping a response body
/// also cancels the rest of its request.
pub struct IncomingBody {
    frames: RecvStream,
    data_ended: bool,
    _guard: Option<ResponseGuard>,
}

impl IncomingBody {
    pub(crate) fn request(frames: RecvStream) -> Self {
        Self {
            frames,
            data_ended: false,
            _guard: None,
        }
    }

    pub(crate) fn response(frames: RecvStream, rest: ResponseGuard) -> Self {
        Self {
            _guard: Some(rest),
            ..Self::request(frames)
        }
    }
}

impl Body for IncomingBody {
    type Data = Bytes;
    type Error = h2::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
        let this = self.get_mut();
        if !this.data_ended {
            match ready!(this.frames.poll_data(context)) {
                Some(Ok(bytes)) => {
                    let _ = this.frames.flow_control().release_capacity(bytes.len());
                    return Poll::Ready(Some(Ok(Frame::data(bytes))));
                }
                // NO_ERROR ends the body early, but it is no failure: RFC 9113, section 8.1.
                Some(Err(error)) if error.reason() == Some(Reason::NO_ERROR) => {
                    return Poll::Ready(None);
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => this.data_ended = true,
            }
        }
        let trailers = ready!(this.frames.poll_trailers(context));
        Poll::Ready(match trailers {
            Ok(trailers) => trailers.map(|trailers| Ok(Frame::trailers(trailers))),
            Err(error) if error.reason() == Some(Reason::NO_ERROR) => None,
            Err(error) => Some(Err(error)),
        })
    }

    fn is_end_stream(&self) -> bool {
        self.frames.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
