//! Reads the body of a request as a whole: little of it before the credential is verified.

use bytes::{Bytes, BytesMut};
use causeway_shell::ByteBudget;
use futures::future::BoxFuture;
use http_body::Body as _;
use http_body_util::BodyExt as _;
use tonic::{Status, body::Body};

use crate::refusal;

/// What is read of a request whose credential has not been verified.
pub(crate) const LARGEST_UNVERIFIED: usize = 64 << 10;

/// Reads at most `limit` bytes. Beyond 64 KiB it calls `verify` first, and reads no more if that fails.
pub(crate) async fn read<'v>(
    body: &mut Body,
    limit: usize,
    budget: &ByteBudget,
    verify: impl FnOnce() -> BoxFuture<'v, Result<(), Status>>,
) -> Result<Bytes, Status> {
    let mut verify = Some(verify);
    let mut reservation = budget.reserve();
    let mut buffer = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| refusal::cut_request())?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        let length = buffer.len() + data.len();
        if length > LARGEST_UNVERIFIED
            && let Some(verify) = verify.take()
        {
            verify().await?;
        }
        if length > limit {
            return Err(refusal::too_large());
        }
        let reserved = reservation.grow_to(length).await;
        reserved.map_err(refusal::no_memory)?;
        if buffer.is_empty() && body.is_end_stream() {
            return Ok(reservation.attach(data));
        }
        buffer.extend_from_slice(&data);
    }
    Ok(reservation.attach(buffer.freeze()))
}

#[cfg(test)]
mod tests {
    use std::{
        convert::Infallible,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
    };

    use futures::{FutureExt as _, StreamExt as _, stream};
    use http_body::Frame;
    use http_body_util::StreamBody;

    use super::*;

    /// A body of pieces of 16 KiB, and the number of those that were read.
    fn body(pieces: usize) -> (Body, Arc<AtomicUsize>) {
        let pulled = Arc::new(AtomicUsize::new(0));
        let count = pulled.clone();
        let pieces = stream::iter(0..pieces).map(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            Ok::<_, Infallible>(Frame::data(Bytes::from(vec![7; 16 << 10])))
        });
        (Body::new(StreamBody::new(pieces)), pulled)
    }

    fn budget() -> ByteBudget {
        ByteBudget::new(8 << 20)
    }

    fn accept() -> BoxFuture<'static, Result<(), Status>> {
        async { Ok(()) }.boxed()
    }

    fn refuse() -> BoxFuture<'static, Result<(), Status>> {
        async { Err(Status::unauthenticated("unknown")) }.boxed()
    }

    #[tokio::test]
    async fn a_small_body_is_read_without_a_look_at_the_credential() {
        let whole = read(&mut body(4).0, 1 << 20, &budget(), refuse)
            .await
            .unwrap();
        assert_eq!(whole.len(), 64 << 10);
    }

    #[tokio::test]
    async fn no_byte_beyond_64_kib_is_read_for_a_credential_that_fails() {
        let (mut body, pulled) = body(256);
        let refused = read(&mut body, 4 << 20, &budget(), refuse)
            .await
            .unwrap_err();
        assert_eq!(refused.code(), tonic::Code::Unauthenticated);
        assert_eq!(pulled.load(Ordering::Relaxed), 5);
    }

    #[tokio::test]
    async fn a_large_body_of_a_verified_caller_is_read_up_to_the_limit() {
        let whole = read(&mut body(256).0, 4 << 20, &budget(), accept)
            .await
            .unwrap();
        assert_eq!(whole.len(), 4 << 20);
        let small = ByteBudget::new(1 << 20);
        let refused = read(&mut body(256).0, 4 << 20, &small, accept).await;
        assert_eq!(refused.unwrap_err().code(), tonic::Code::Unavailable);
        let refused = read(&mut body(257).0, 4 << 20, &budget(), accept)
            .await
            .unwrap_err();
        assert_eq!(refused.code(), tonic::Code::ResourceExhausted);
    }
}
