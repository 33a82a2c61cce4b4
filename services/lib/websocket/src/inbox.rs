//! The reading half: takes the WebSocket out of the bytes that came, in place, and keeps what the
//! peer wants beside data.

use crate::close::{Close, CloseCode};
use crate::frame::{Head, HeadBytes, MESSAGE_BYTES, Opcode, Role, broken, read_close, too_big};

/// Frames without data in a row that a peer may send.
pub(crate) const EMPTY_FRAMES: u32 = 64;

/// Why nothing more is read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The peer closed.
    Closed(Close),
    /// The peer is refused, with this.
    Refused(Close),
}

/// Holds no data: what is whole is handed out, what is not is counted.
pub(crate) struct Inbox {
    role: Role,
    head: HeadBytes,
    frame: Option<Frame>,
    /// Bytes so far of a message that goes on in another frame.
    unfinished: Option<usize>,
    control: Vec<u8>,
    ping: Option<Vec<u8>>,
    empty_frames: u32,
    end: Option<End>,
}

/// A frame whose payload has not come whole.
struct Frame {
    head: Head,
    missing: usize,
}

impl Inbox {
    pub(crate) fn new(role: Role) -> Self {
        Self {
            role,
            head: HeadBytes::default(),
            frame: None,
            unfinished: None,
            control: Vec::new(),
            ping: None,
            empty_frames: 0,
            end: None,
        }
    }

    /// The payload of the newest ping that was not answered.
    pub(crate) fn take_ping(&mut self) -> Option<Vec<u8>> {
        self.ping.take()
    }

    pub(crate) fn take_end(&mut self) -> Option<End> {
        self.end.take()
    }

    /// Replaces the bytes that came by the data in them, at the front of `buffer`; gives its
    /// length. Behind an end nothing is read.
    pub(crate) fn decode(&mut self, buffer: &mut [u8]) -> usize {
        let (mut from, mut kept) = (0, 0);
        while from < buffer.len() && self.end.is_none() {
            let Some(frame) = &mut self.frame else {
                from += self.read_head(&buffer[from..]);
                continue;
            };
            let length = frame.missing.min(buffer.len() - from);
            let part = from..from + length;
            frame.missing -= length;
            if let Some(mask) = &mut frame.head.mask {
                mask.apply(&mut buffer[part.clone()]);
            }
            if frame.head.opcode.is_control() {
                self.control.extend_from_slice(&buffer[part]);
            } else {
                buffer.copy_within(part, kept);
                kept += length;
            }
            from += length;
            self.finish_frame();
        }
        kept
    }

    fn read_head(&mut self, input: &[u8]) -> usize {
        match self.head.take(input, self.role) {
            Ok((taken, None)) => taken,
            Ok((taken, Some(head))) => {
                if let Err(close) = self.begin_frame(head) {
                    self.end = Some(End::Refused(close));
                }
                taken
            }
            Err(close) => {
                self.end = Some(End::Refused(close));
                input.len()
            }
        }
    }

    fn begin_frame(&mut self, head: Head) -> Result<(), Close> {
        if !head.opcode.is_control() {
            self.count(head)?;
        }
        if head.length == 0 || head.opcode.is_control() {
            self.empty_frames += 1;
        } else {
            self.empty_frames = 0;
        }
        if self.empty_frames > EMPTY_FRAMES {
            let text = "too many frames without data";
            return Err(Close::new(CloseCode::Policy, text));
        }
        self.frame = Some(Frame {
            head,
            missing: head.length,
        });
        self.finish_frame();
        Ok(())
    }

    /// Keeps the books of a message in several frames.
    fn count(&mut self, head: Head) -> Result<(), Close> {
        let before = match (head.opcode, self.unfinished) {
            (Opcode::Continuation, None) => return Err(broken("a continuation of nothing")),
            (Opcode::Continuation, Some(before)) => before,
            (_, Some(_)) => return Err(broken("a message inside another")),
            (_, None) => 0,
        };
        let message = before + head.length;
        if message > MESSAGE_BYTES {
            return Err(too_big());
        }
        self.unfinished = (!head.last).then_some(message);
        Ok(())
    }

    fn finish_frame(&mut self) {
        let Some(frame) = self.frame.take_if(|frame| frame.missing == 0) else {
            return;
        };
        let payload = std::mem::take(&mut self.control);
        match frame.head.opcode {
            Opcode::Ping => self.ping = Some(payload),
            Opcode::Close => {
                self.end = Some(match read_close(&payload) {
                    Ok(close) => End::Closed(close),
                    Err(close) => End::Refused(close),
                });
            }
            Opcode::Pong | Opcode::Binary | Opcode::Continuation => {}
        }
    }
}

#[cfg(test)]
mod tests;
