//! Ends a stream of requests together with its response, so that a cut-off caller cannot go on sending.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures::FutureExt as _;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::oneshot;
use tonic::{Status, body::Body};

/// Cuts off the requests when dropped, and with them the call at the upstream.
pub(crate) struct RequestGuard {
    _held: oneshot::Sender<()>,
}

struct GuardedRequests {
    requests: Body,
    /// `None` once it has resolved.
    answer: Option<oneshot::Receiver<()>>,
}

/// Wraps requests so that they end when the guard is dropped.
pub(crate) fn guard_requests(requests: Body) -> (RequestGuard, Body) {
    let (held, answer) = oneshot::channel();
    let guarded = GuardedRequests {
        requests,
        answer: Some(answer),
    };
    (RequestGuard { _held: held }, Body::new(guarded))
}

impl HttpBody for GuardedRequests {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let Some(answer) = &mut self.answer else {
            return Poll::Ready(None);
        };
        if answer.poll_unpin(context).is_ready() {
            self.answer = None;
            return Poll::Ready(Some(Err(Status::cancelled("the answer has ended"))));
        }
        Pin::new(&mut self.requests).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.requests.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.requests.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use futures::stream;
    use http_body_util::{BodyExt as _, StreamBody};

    use super::*;

    #[tokio::test]
    async fn requests_go_on_until_the_answer_has_ended() {
        let frame = Ok::<_, Status>(Frame::data(Bytes::from_static(b"a")));
        let open = futures::StreamExt::chain(stream::iter([frame]), stream::pending());
        let (guard, mut body) = guard_requests(Body::new(StreamBody::new(open)));
        let first = body.frame().await.unwrap().unwrap();
        assert_eq!(first.into_data().unwrap(), "a");
        assert!(body.frame().now_or_never().is_none());
        drop(guard);
        assert!(body.frame().await.unwrap().is_err());
        assert!(body.frame().await.is_none());
    }
}
