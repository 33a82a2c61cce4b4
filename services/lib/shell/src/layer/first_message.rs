//! Reads the first message of a request stream for authorization and replays it to the handler. Buffers only the frames that contain
//! that message.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::{Bytes, BytesMut};
use http_body::{Body as HttpBody, Frame};
use http_body_util::BodyExt as _;
use tonic::{Status, body::Body};

const PREFIX: usize = 5;

/// First message and replayable body of a request stream.
pub struct FirstMessage {
    /// The first message, without its gRPC prefix.
    pub message: Bytes,
    /// The whole stream, including the first message.
    pub body: Body,
}

/// Reason why the first message cannot be read.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum FirstMessageError {
    #[error("the first message of a session must be uncompressed")]
    Compressed,
    #[error("the first message is larger than {} KiB", .0 >> 10)]
    TooLarge(usize),
    #[error("the stream ended without a first message, which states the target")]
    Missing,
    #[error("the request ended early")]
    Truncated,
}

impl FirstMessage {
    /// Waits for the first message, of at most `limit` bytes.
    pub async fn read(mut body: Body, limit: usize) -> Result<Self, FirstMessageError> {
        let mut buffer = BytesMut::new();
        loop {
            if let Some(end) = end_of_first(&buffer, limit)? {
                let buffer = buffer.freeze();
                let message = buffer.slice(PREFIX..end);
                let body = Body::new(ReplayBody {
                    buffer: Some(buffer),
                    body,
                });
                return Ok(Self { message, body });
            }
            match body.frame().await {
                Some(Ok(frame)) => {
                    let data = frame.into_data().map_err(|_| FirstMessageError::Missing)?;
                    buffer.extend_from_slice(&data);
                }
                Some(Err(_)) => return Err(FirstMessageError::Truncated),
                None if buffer.is_empty() => return Err(FirstMessageError::Missing),
                None => return Err(FirstMessageError::Truncated),
            }
        }
    }
}

/// Returns the end of the first message; none if it is incomplete.
fn end_of_first(buffer: &[u8], limit: usize) -> Result<Option<usize>, FirstMessageError> {
    let Some(([compressed, length @ ..], _)) = buffer.split_first_chunk::<PREFIX>() else {
        return Ok(None);
    };
    if *compressed != 0 {
        return Err(FirstMessageError::Compressed);
    }
    let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
    if length > limit {
        return Err(FirstMessageError::TooLarge(limit));
    }
    let end = PREFIX + length;
    Ok((buffer.len() >= end).then_some(end))
}

/// Body that replays the buffered bytes first.
struct ReplayBody {
    buffer: Option<Bytes>,
    body: Body,
}

impl HttpBody for ReplayBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        match self.buffer.take() {
            Some(buffer) => Poll::Ready(Some(Ok(Frame::data(buffer)))),
            None => Pin::new(&mut self.body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.buffer.is_none() && self.body.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    use futures::stream;
    use http_body_util::StreamBody;

    use super::*;

    fn body(pieces: &[&[u8]]) -> Body {
        let frames: Vec<_> = pieces
            .iter()
            .map(|piece| Ok::<_, Status>(Frame::data(Bytes::copy_from_slice(piece))))
            .collect();
        Body::new(StreamBody::new(stream::iter(frames)))
    }

    async fn first(pieces: &[&[u8]]) -> Result<(Bytes, Bytes), FirstMessageError> {
        let opening = FirstMessage::read(body(pieces), 8).await?;
        let whole = opening.body.collect().await.unwrap().to_bytes();
        Ok((opening.message, whole))
    }

    #[tokio::test]
    async fn first_message_is_read_and_the_stream_is_replayed_completely() {
        let stream = b"\0\0\0\0\x02ab\0\0\0\0\x01c";
        for cut in 0..=stream.len() {
            let (left, right) = stream.split_at(cut);
            let (message, whole) = first(&[left, right]).await.unwrap();
            assert_eq!((&*message, &*whole), (&b"ab"[..], &stream[..]), "{cut}");
        }
        let (message, _) = first(&[b"\0\0\0\0\0"]).await.unwrap();
        assert!(message.is_empty());
    }

    #[tokio::test]
    async fn incomplete_first_message_is_an_error() {
        assert_eq!(first(&[]).await, Err(FirstMessageError::Missing));
        assert_eq!(
            first(&[b"\0\0\0\0"]).await,
            Err(FirstMessageError::Truncated)
        );
        assert_eq!(
            first(&[b"\0\0\0\0\x02a"]).await,
            Err(FirstMessageError::Truncated)
        );
        assert_eq!(
            first(&[b"\x01\0\0\0\x02ab"]).await,
            Err(FirstMessageError::Compressed)
        );
        assert_eq!(
            first(&[b"\0\xff\xff\xff\xff"]).await,
            Err(FirstMessageError::TooLarge(8))
        );
    }
}
