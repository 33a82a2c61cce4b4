//! Frames of RFC 6455 as bytes: heads, masks, and what a close frame says. No input, no output.

use crate::close::{Close, CloseCode};

/// The longest head: two bytes, eight of length, four of mask.
const HEAD_BYTES: usize = 14;
/// The largest payload that is accepted, and that a message of several frames may add up to.
pub(crate) const MESSAGE_BYTES: usize = 64 * 1024;
/// The largest payload of a control frame.
pub(crate) const CONTROL_BYTES: usize = 125;

/// Which end of the WebSocket this is: only the dialling one masks, and it must.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Accepting,
    Dialling,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opcode {
    Continuation,
    Binary,
    Close,
    Ping,
    Pong,
}

impl Opcode {
    pub(crate) fn is_control(self) -> bool {
        matches!(self, Self::Close | Self::Ping | Self::Pong)
    }

    fn number(self) -> u8 {
        match self {
            Self::Continuation => 0,
            Self::Binary => 2,
            Self::Close => 8,
            Self::Ping => 9,
            Self::Pong => 10,
        }
    }

    fn of(number: u8) -> Result<Self, Close> {
        match number {
            0 => Ok(Self::Continuation),
            1 => Err(Close::new(
                CloseCode::Unsupported,
                "only binary messages are spoken",
            )),
            2 => Ok(Self::Binary),
            8 => Ok(Self::Close),
            9 => Ok(Self::Ping),
            10 => Ok(Self::Pong),
            _ => Err(broken("a frame of an unknown kind")),
        }
    }
}

/// What stands before a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// Whether no continuation follows.
    pub(crate) last: bool,
    pub(crate) opcode: Opcode,
    pub(crate) length: usize,
    pub(crate) mask: Option<Mask>,
}

impl Head {
    /// The bytes before the payload, in the shortest form, which is the only one allowed.
    pub(crate) fn encode(&self) -> impl AsRef<[u8]> {
        let mut head = HeadBytes::default();
        let masked = if self.mask.is_some() { 0x80 } else { 0 };
        head.put(&[u8::from(self.last) << 7 | self.opcode.number()]);
        match (u8::try_from(self.length), u16::try_from(self.length)) {
            (Ok(short @ 0..=125), _) => head.put(&[masked | short]),
            (_, Ok(middle)) => {
                head.put(&[masked | 126]);
                head.put(&middle.to_be_bytes());
            }
            _ => {
                head.put(&[masked | 127]);
                head.put(&(self.length as u64).to_be_bytes());
            }
        }
        if let Some(Mask(key)) = self.mask {
            head.put(&key);
        }
        head
    }
}

/// A head of which some bytes have come.
#[derive(Debug, Default)]
pub(crate) struct HeadBytes {
    bytes: [u8; HEAD_BYTES],
    filled: usize,
}

impl AsRef<[u8]> for HeadBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }
}

impl HeadBytes {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.filled..][..bytes.len()].copy_from_slice(bytes);
        self.filled += bytes.len();
    }

    /// Takes what it still needs from the front of `input`: how many bytes, and the head once it
    /// is whole. An error is the close frame that the peer has earned, known before any payload.
    pub(crate) fn take(
        &mut self,
        input: &[u8],
        role: Role,
    ) -> Result<(usize, Option<Head>), Close> {
        let mut taken = 0;
        while self.filled < self.needed() && taken < input.len() {
            let length = (self.needed() - self.filled).min(input.len() - taken);
            self.put(&input[taken..][..length]);
            taken += length;
        }
        if self.filled < self.needed() {
            return Ok((taken, None));
        }
        let head = self.judge(role)?;
        self.filled = 0;
        Ok((taken, Some(head)))
    }

    fn needed(&self) -> usize {
        if self.filled < 2 {
            return 2;
        }
        let length = match self.bytes[1] & 0x7f {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        let mask = if self.bytes[1] & 0x80 == 0 { 0 } else { 4 };
        2 + length + mask
    }

    fn judge(&self, role: Role) -> Result<Head, Close> {
        let [first, second, ..] = self.bytes;
        if first & 0x70 != 0 {
            return Err(broken("a reserved bit is set"));
        }
        let opcode = Opcode::of(first & 0x0f)?;
        let last = first & 0x80 != 0;
        let masked = second & 0x80 != 0;
        match (role, masked) {
            (Role::Accepting, false) => return Err(broken("a frame without a mask")),
            (Role::Dialling, true) => return Err(broken("a frame with a mask")),
            (Role::Accepting, true) | (Role::Dialling, false) => {}
        }
        let length = self.length()?;
        if opcode.is_control() && (!last || length > CONTROL_BYTES) {
            return Err(broken("a control frame in pieces or above 125 bytes"));
        }
        Ok(Head {
            last,
            opcode,
            length,
            mask: masked.then(|| self.mask()),
        })
    }

    fn length(&self) -> Result<usize, Close> {
        let [_, _, high, low, ..] = self.bytes;
        let (length, shortest) = match self.bytes[1] & 0x7f {
            126 => (u64::from(u16::from_be_bytes([high, low])), 126),
            127 => {
                let [_, _, a, b, c, d, e, f, g, h, ..] = self.bytes;
                let length = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
                (length, 1 << 16)
            }
            short => (u64::from(short), 0),
        };
        if length < shortest {
            return Err(broken("a length that is not in its shortest form"));
        }
        usize::try_from(length)
            .ok()
            .filter(|length| *length <= MESSAGE_BYTES)
            .ok_or_else(too_big)
    }

    fn mask(&self) -> Mask {
        let mut key = [0; 4];
        key.copy_from_slice(&self.bytes[self.filled - 4..self.filled]);
        Mask(key)
    }
}

/// The key that a payload is combined with, turned to the next byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mask(pub(crate) [u8; 4]);

impl Mask {
    /// RFC 6455 section 5.3: a new key for every frame, from a source that nobody can foresee.
    pub(crate) fn random() -> Self {
        Self(rand::random())
    }

    /// Masks or unmasks `bytes`, and goes on where it stopped at the next call.
    pub(crate) fn apply(&mut self, bytes: &mut [u8]) {
        let key = u64::from(u32::from_ne_bytes(self.0));
        let key = key << 32 | key;
        let (words, rest) = bytes.as_chunks_mut::<8>();
        for word in words {
            *word = (key ^ u64::from_ne_bytes(*word)).to_ne_bytes();
        }
        for (byte, key) in rest.iter_mut().zip(self.0.iter().cycle()) {
            *byte ^= key;
        }
        self.0.rotate_left(bytes.len() % 4);
    }
}

/// The payload of a close frame.
pub(crate) fn close_payload(close: &Close) -> Vec<u8> {
    let code = u16::from(close.code()).to_be_bytes();
    [&code, close.reason().as_bytes()].concat()
}

/// What the peer's close frame says; an error is what to answer instead.
pub(crate) fn read_close(payload: &[u8]) -> Result<Close, Close> {
    let (code, reason) = match payload {
        [] => return Ok(Close::new(CloseCode::Normal, "")),
        [_] => return Err(broken("a close frame with half a code")),
        [high, low, reason @ ..] => (u16::from_be_bytes([*high, *low]), reason),
    };
    if !matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999) {
        return Err(broken("a close code that may not be sent"));
    }
    let reason = std::str::from_utf8(reason)
        .map_err(|_invalid| Close::new(CloseCode::Other(1007), "a reason that is not UTF-8"))?;
    Ok(Close::new(code.into(), reason))
}

/// The answer to a peer that does not keep to the protocol.
pub(crate) fn broken(text: &str) -> Close {
    Close::new(CloseCode::Protocol, text)
}

pub(crate) fn too_big() -> Close {
    Close::new(CloseCode::TooBig, "a message above 64 KiB")
}

#[cfg(test)]
mod tests;
