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
    /// The first message, without its prefix.
    pub message: Bytes,
    /// The whole stream, from its first byte on.
    pub body: Body,
}

/// Reason why the first message cannot be read.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum FirstMessageError {
    #[error("the first message of a session is sent uncompressed")]
    Compressed,
    #[error("the first message is larger than 4 MiB")]
    TooLarge,
    #[error("the stream has ended without a first message, which says what is wanted")]
    None,
    #[error("the request was cut short")]
    Cut,
}

impl FirstMessage {
    /// Waits for the first message, of at most `limit` bytes.
    ///
    /// # Errors
    /// See [`FirstMessageError`].
    pub async fn read(mut body: Body, limit: usize) -> Result<Self, FirstMessageError> {
        let mut held = BytesMut::new();
        loop {
            if let Some(end) = end_of_first(&held, limit)? {
                let held = held.freeze();
                let message = held.slice(PREFIX..end);
                let body = Body::new(Begun {
                    held: Some(held),
                    rest: body,
                });
                return Ok(Self { message, body });
            }
            match body.frame().await {
                Some(Ok(frame)) => {
                    let data = frame.into_data().map_err(|_| FirstMessageError::None)?;
                    held.extend_from_slice(&data);
                }
                Some(Err(_)) => return Err(FirstMessageError::Cut),
                None if held.is_empty() => return Err(FirstMessageError::None),
                None => return Err(FirstMessageError::Cut),
            }
        }
    }
}

/// Where the first message ends, if all of it is there.
fn end_of_first(held: &[u8], limit: usize) -> Result<Option<usize>, FirstMessageError> {
    let Some(([compressed, length @ ..], _)) = held.split_first_chunk::<PREFIX>() else {
        return Ok(None);
    };
    if *compressed != 0 {
        return Err(FirstMessageError::Compressed);
    }
    let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
    if length > limit {
        return Err(FirstMessageError::TooLarge);
    }
    let end = PREFIX + length;
    Ok((held.len() >= end).then_some(end))
}

/// Body that replays the buffered bytes first.
struct Begun {
    held: Option<Bytes>,
    rest: Body,
}

impl HttpBody for Begun {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        match self.held.take() {
            Some(held) => Poll::Ready(Some(Ok(Frame::data(held)))),
            None => Pin::new(&mut self.rest).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.held.is_none() && self.rest.is_end_stream()
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
    async fn the_first_message_is_read_and_nothing_of_the_stream_is_lost() {
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
    async fn a_stream_without_a_whole_first_message_is_none() {
        assert_eq!(first(&[]).await, Err(FirstMessageError::None));
        assert_eq!(first(&[b"\0\0\0\0"]).await, Err(FirstMessageError::Cut));
        assert_eq!(
            first(&[b"\0\0\0\0\x02a"]).await,
            Err(FirstMessageError::Cut)
        );
        assert_eq!(
            first(&[b"\x01\0\0\0\x02ab"]).await,
            Err(FirstMessageError::Compressed)
        );
        assert_eq!(
            first(&[b"\0\xff\xff\xff\xff"]).await,
            Err(FirstMessageError::TooLarge)
        );
    }
}
