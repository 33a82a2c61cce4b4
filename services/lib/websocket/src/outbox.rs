//! The writing half: gathers what is written until it is flushed, so that many small writes make
//! one frame, one TLS record, and one system call.

use bytes::{Buf, BytesMut};

use crate::frame::{Head, Mask, Opcode, Role};

/// The longest payload whose head fits in the room that is kept for it.
const FRAME_BYTES: usize = u16::MAX as usize;
/// A head with a length of two bytes.
const LONG_HEAD_BYTES: usize = 4;
/// What a head with a short length leaves of that room.
const SHORTER_BYTES: usize = 2;
const SHORT_FRAME_BYTES: usize = 125;
const MASK_BYTES: usize = 4;

/// Bytes on their way to the transport. Holds no memory when there are none.
pub(crate) struct Outbox {
    role: Role,
    bytes: BytesMut,
    /// Where the frame begins that still grows; room for its head is kept there.
    open: Option<usize>,
}

impl Outbox {
    pub(crate) fn new(role: Role) -> Self {
        Self {
            role,
            bytes: BytesMut::new(),
            open: None,
        }
    }

    /// Bytes that the transport has not taken.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Adds data to the frame that grows; gives how much of it found room there.
    pub(crate) fn push(&mut self, data: &[u8]) -> usize {
        let room_of_head = self.room_of_head();
        let start = *self.open.get_or_insert_with(|| {
            let start = self.bytes.len();
            self.bytes.reserve(room_of_head + data.len());
            self.bytes.resize(start + room_of_head, 0);
            start
        });
        let payload = self.bytes.len() - start - room_of_head;
        let length = data.len().min(FRAME_BYTES - payload);
        self.bytes.extend_from_slice(&data[..length]);
        if payload + length == FRAME_BYTES {
            self.seal();
        }
        length
    }

    /// Adds a control frame behind everything that was written.
    pub(crate) fn push_control(&mut self, opcode: Opcode, payload: &[u8]) {
        self.seal();
        let mut mask = self.mask();
        let head = Head {
            last: true,
            opcode,
            length: payload.len(),
            mask,
        };
        self.bytes.extend_from_slice(head.encode().as_ref());
        let start = self.bytes.len();
        self.bytes.extend_from_slice(payload);
        if let Some(mask) = &mut mask {
            mask.apply(&mut self.bytes[start..]);
        }
    }

    /// Everything that was written, as whole frames.
    pub(crate) fn sealed(&mut self) -> &[u8] {
        self.seal();
        &self.bytes
    }

    /// The transport has taken so many of the sealed bytes.
    pub(crate) fn advance(&mut self, length: usize) {
        self.bytes.advance(length);
        if self.bytes.is_empty() {
            self.bytes = BytesMut::new();
        }
    }

    fn seal(&mut self) {
        let Some(start) = self.open.take() else {
            return;
        };
        let mut payload = start + self.room_of_head();
        let length = self.bytes.len() - payload;
        if length <= SHORT_FRAME_BYTES {
            self.bytes.copy_within(payload.., payload - SHORTER_BYTES);
            self.bytes.truncate(self.bytes.len() - SHORTER_BYTES);
            payload -= SHORTER_BYTES;
        }
        let mut mask = self.mask();
        let head = Head {
            last: true,
            opcode: Opcode::Binary,
            length,
            mask,
        };
        self.bytes[start..payload].copy_from_slice(head.encode().as_ref());
        if let Some(mask) = &mut mask {
            mask.apply(&mut self.bytes[payload..]);
        }
    }

    fn room_of_head(&self) -> usize {
        match self.role {
            Role::Accepting => LONG_HEAD_BYTES,
            Role::Dialling => LONG_HEAD_BYTES + MASK_BYTES,
        }
    }

    fn mask(&self) -> Option<Mask> {
        match self.role {
            Role::Accepting => None,
            Role::Dialling => Some(Mask::random()),
        }
    }
}

#[cfg(test)]
mod tests;
