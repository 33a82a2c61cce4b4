//! HTTP/2 frames as bytes, for who sends what no library would.

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub kind: u8,
    pub flags: u8,
    /// 0 for the connection.
    pub stream: u32,
    pub payload: Vec<u8>,
}

impl Frame {
    pub const DATA: u8 = 0;
    pub const HEADERS: u8 = 1;
    pub const RST_STREAM: u8 = 3;
    pub const SETTINGS: u8 = 4;
    pub const PUSH_PROMISE: u8 = 5;
    pub const PING: u8 = 6;
    pub const GOAWAY: u8 = 7;
    pub const WINDOW_UPDATE: u8 = 8;
    pub const CONTINUATION: u8 = 9;
    /// Also the flag of an acknowledged SETTINGS or PING.
    pub const END_STREAM: u8 = 1;
    pub const END_HEADERS: u8 = 4;
    /// What a client says first.
    pub const PREFACE: &'static [u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    /// The code of a GOAWAY without a reproach.
    pub const NO_ERROR: u32 = 0;

    #[must_use]
    pub fn new(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Self {
        Self {
            kind,
            flags,
            stream,
            payload: payload.to_vec(),
        }
    }

    /// A request's head without a body, as literals that fill no table.
    ///
    /// # Panics
    /// When a text has more than 126 bytes.
    #[must_use]
    pub fn request(flags: u8, stream: u32, path: &str) -> Self {
        let mut block = vec![0x83, 0x86];
        for (name, value) in [(":path", path), (":authority", "x")] {
            block.push(0);
            for text in [name, value] {
                assert!(text.len() < 127, "{text}");
                block.push(u8::try_from(text.len()).unwrap_or_default());
                block.extend(text.as_bytes());
            }
        }
        Self::new(Self::HEADERS, flags, stream, &block)
    }

    /// As it goes over the wire.
    ///
    /// # Panics
    /// When its payload has 16 MiB or more.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let length = u32::try_from(self.payload.len()).unwrap_or(u32::MAX);
        assert!(length < 1 << 24, "no frame has {length} bytes");
        let mut bytes = length.to_be_bytes()[1..].to_vec();
        bytes.extend([self.kind, self.flags]);
        bytes.extend(self.stream.to_be_bytes());
        bytes.extend(&self.payload);
        bytes
    }

    /// The next frame; none where the connection has ended.
    pub async fn read(from: &mut (impl AsyncRead + Unpin)) -> Option<Self> {
        let mut head = [0; 9];
        from.read_exact(&mut head).await.ok()?;
        let [a, b, c, kind, flags, stream @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        from.read_exact(&mut payload).await.ok()?;
        Some(Self {
            kind,
            flags,
            stream: u32::from_be_bytes(stream) & (u32::MAX >> 1),
            payload,
        })
    }

    /// The code of a GOAWAY.
    #[must_use]
    pub fn farewell(&self) -> Option<u32> {
        let code = self.payload.get(4..8)?.try_into().ok()?;
        (self.kind == Self::GOAWAY).then(|| u32::from_be_bytes(code))
    }
}
