//! The five bytes before each message of a gRPC body: whether it is compressed, and its length.

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use prost::Message;

/// The bytes before a message.
pub(crate) const PREFIX: usize = 5;

/// A message with its prefix, as it travels.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Frame(Bytes);

/// A body that is not what gRPC asks for.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum FrameError {
    #[error("the message is compressed; send it with grpc-encoding: identity")]
    Compressed,
    #[error("the body is not exactly one gRPC message")]
    NotOne,
    #[error("a message is larger than {0} bytes")]
    TooLarge(usize),
    #[error("the stream ended inside a message")]
    Cut,
}

impl Frame {
    /// Puts a message into a frame.
    pub(crate) fn encode(message: &impl Message) -> Self {
        let length = message.encoded_len();
        let mut frame = BytesMut::with_capacity(PREFIX + length);
        frame.put_u8(0);
        frame.put_u32(u32::try_from(length).unwrap_or(u32::MAX));
        message.encode_raw(&mut frame);
        Self(frame.freeze())
    }

    /// Puts an encoded message into a frame.
    pub(crate) fn of(message: &[u8]) -> Self {
        let mut frame = BytesMut::with_capacity(PREFIX + message.len());
        frame.put_u8(0);
        frame.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
        frame.put_slice(message);
        Self(frame.freeze())
    }

    /// Takes the body of a call that has one request.
    pub(crate) fn from_body(body: Bytes) -> Result<Self, FrameError> {
        let (compressed, length) = prefix(&body).ok_or(FrameError::NotOne)?;
        if compressed {
            return Err(FrameError::Compressed);
        }
        if body.len() - PREFIX != length {
            return Err(FrameError::NotOne);
        }
        Ok(Self(body))
    }

    /// The message without its prefix.
    pub(crate) fn message(&self) -> Bytes {
        self.0.slice(PREFIX..)
    }

    /// The whole frame.
    pub(crate) fn into_bytes(self) -> Bytes {
        self.0
    }
}

/// Takes messages out of a body as it arrives.
#[derive(Debug)]
pub(crate) struct Messages {
    buffer: BytesMut,
    limit: usize,
}

impl Messages {
    /// Refuses messages larger than `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            buffer: BytesMut::new(),
            limit,
        }
    }

    /// Takes up a piece of the body.
    pub(crate) fn push(&mut self, piece: Bytes) {
        if self.buffer.is_empty() {
            // Avoids a copy if this is the only reference to the bytes.
            self.buffer = BytesMut::from(piece);
        } else {
            self.buffer.extend_from_slice(&piece);
        }
    }

    /// The next whole message, if it is there.
    pub(crate) fn next(&mut self) -> Result<Option<Bytes>, FrameError> {
        let Some((compressed, length)) = prefix(&self.buffer) else {
            return Ok(None);
        };
        if compressed {
            return Err(FrameError::Compressed);
        }
        if length > self.limit {
            return Err(FrameError::TooLarge(self.limit));
        }
        if self.buffer.len() < PREFIX + length {
            return Ok(None);
        }
        self.buffer.advance(PREFIX);
        Ok(Some(self.buffer.split_to(length).freeze()))
    }

    /// The bytes of a message that is not complete yet.
    pub(crate) fn held(&self) -> usize {
        self.buffer.len()
    }

    /// What the end of the body means.
    pub(crate) fn end(&self) -> Result<(), FrameError> {
        if self.buffer.is_empty() {
            Ok(())
        } else {
            Err(FrameError::Cut)
        }
    }
}

fn prefix(bytes: &[u8]) -> Option<(bool, usize)> {
    let (prefix, _) = bytes.split_first_chunk::<PREFIX>()?;
    let [flag, length @ ..] = *prefix;
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    Some((flag != 0, length))
}

#[cfg(test)]
mod tests;
