//! Standard streams of a program: channels of a WebSocket, optionally with a terminal.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::{Bytes, BytesMut};
use futures::{Sink, SinkExt as _, Stream, StreamExt as _};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::ExecRequest;

const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const STATUS: u8 = 3;
const RESIZE: u8 = 4;
const CLOSE: u8 = 255;
const INTERRUPT: u8 = 3;
const END_OF_INPUT: u8 = 4;
const BACKSPACE: u8 = 0x7f;

/// Both ways of a connection.
pub(super) trait Socket:
    Stream<Item = Result<Message, Error>> + Sink<Message, Error = Error> + Send
{
}
impl<S> Socket for S where
    S: Stream<Item = Result<Message, Error>> + Sink<Message, Error = Error> + Send
{
}

/// The client has disconnected.
#[derive(Debug)]
pub(super) struct Disconnected;

/// A line of input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Text(String),
    /// Ctrl-C.
    Interrupted,
    /// End of input.
    End,
}

pub(super) struct Console {
    socket: Pin<Box<dyn Socket>>,
    pub(super) is_terminal: bool,
    size: Option<Size>,
    input: BytesMut,
    has_ended: bool,
    written: Arc<AtomicU64>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Size {
    width: u16,
    height: u16,
}

impl Console {
    pub(super) fn new(
        socket: Pin<Box<dyn Socket>>,
        question: &ExecRequest,
        written: Arc<AtomicU64>,
    ) -> Self {
        Self {
            socket,
            is_terminal: question.tty,
            size: None,
            input: BytesMut::new(),
            has_ended: !question.stdin,
            written,
        }
    }

    pub(super) async fn print(&mut self, text: impl AsRef<[u8]>) -> Result<(), Disconnected> {
        self.write(STDOUT, text.as_ref()).await
    }

    pub(super) async fn complain(&mut self, text: impl AsRef<[u8]>) -> Result<(), Disconnected> {
        let channel = if self.is_terminal { STDOUT } else { STDERR };
        self.write(channel, text.as_ref()).await
    }

    /// Sends the exit status and closes the session.
    pub(super) async fn end(mut self, code: u8) -> Result<(), Disconnected> {
        let status = match code {
            0 => json!({"metadata": {}, "status": "Success"}),
            code => json!({
                "metadata": {}, "status": "Failure", "reason": "NonZeroExitCode",
                "message": format!("command terminated with non-zero exit code: exit status {code}"),
                "details": {"causes": [{"reason": "ExitCode", "message": code.to_string()}]},
            }),
        };
        self.status(&status).await
    }

    /// Reports that the program could not start.
    pub(super) async fn fail(mut self, why: &str) -> Result<(), Disconnected> {
        let message =
            format!("Internal error occurred: error executing command in container: {why}");
        let status = json!({
            "metadata": {}, "status": "Failure", "reason": "InternalError", "code": 500,
            "message": message, "details": {"causes": [{"message": why}]},
        });
        self.status(&status).await
    }

    async fn status(&mut self, status: &Value) -> Result<(), Disconnected> {
        self.send(STATUS, status.to_string().as_bytes()).await?;
        self.socket.close().await.map_err(|_| Disconnected)
    }

    async fn write(&mut self, channel: u8, text: &[u8]) -> Result<(), Disconnected> {
        if !self.is_terminal {
            return self.send(channel, text).await;
        }
        let mut lines = Vec::with_capacity(text.len());
        for byte in text {
            if *byte == b'\n' {
                lines.push(b'\r');
            }
            lines.push(*byte);
        }
        self.send(channel, &lines).await
    }

    async fn send(&mut self, channel: u8, content: &[u8]) -> Result<(), Disconnected> {
        let mut message = Vec::with_capacity(1 + content.len());
        message.push(channel);
        message.extend_from_slice(content);
        let sent = self.socket.send(Message::Binary(message.into())).await;
        sent.map_err(|_| Disconnected)?;
        self.written
            .fetch_add(content.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Returns columns and rows, once the client has sent them.
    pub(super) async fn size(&mut self) -> Result<(u16, u16), Disconnected> {
        loop {
            if let Some(Size { width, height }) = self.size {
                return Ok((width, height));
            }
            self.receive().await?;
        }
    }

    /// Some input; nothing once it has ended.
    pub(super) async fn read(&mut self) -> Result<Option<Bytes>, Disconnected> {
        loop {
            if !self.input.is_empty() {
                return Ok(Some(self.input.split().freeze()));
            }
            if self.has_ended {
                return Ok(None);
            }
            self.receive().await?;
        }
    }

    /// The next line. On a terminal it is shown as it is typed.
    pub(super) async fn line(&mut self) -> Result<Line, Disconnected> {
        let mut line = Vec::new();
        loop {
            let Some(byte) = self.byte().await? else {
                return Ok(if line.is_empty() {
                    Line::End
                } else {
                    Line::Text(String::from_utf8_lossy(&line).into_owned())
                });
            };
            match byte {
                b'\r' | b'\n' => {
                    self.echo(b"\n").await?;
                    return Ok(Line::Text(String::from_utf8_lossy(&line).into_owned()));
                }
                INTERRUPT if self.is_terminal => {
                    self.echo(b"^C\n").await?;
                    return Ok(Line::Interrupted);
                }
                END_OF_INPUT if self.is_terminal && line.is_empty() => return Ok(Line::End),
                END_OF_INPUT if self.is_terminal => {}
                BACKSPACE if self.is_terminal => {
                    if line.pop().is_some() {
                        self.echo(b"\x08 \x08").await?;
                    }
                }
                byte => {
                    line.push(byte);
                    self.echo(&[byte]).await?;
                }
            }
        }
    }

    async fn byte(&mut self) -> Result<Option<u8>, Disconnected> {
        while self.input.is_empty() {
            if self.has_ended {
                return Ok(None);
            }
            self.receive().await?;
        }
        Ok(self.input.split_to(1).first().copied())
    }

    async fn echo(&mut self, text: &[u8]) -> Result<(), Disconnected> {
        if self.is_terminal {
            self.print(text).await
        } else {
            Ok(())
        }
    }

    /// Receives the next message.
    async fn receive(&mut self) -> Result<(), Disconnected> {
        let Some(Ok(message)) = self.socket.next().await else {
            return Err(Disconnected);
        };
        match message {
            Message::Binary(message) => self.take(&message),
            Message::Close(_) => return Err(Disconnected),
            Message::Text(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
        }
        Ok(())
    }

    fn take(&mut self, message: &[u8]) {
        match message {
            [STDIN, content @ ..] => self.input.extend_from_slice(content),
            [RESIZE, content @ ..] => self.size = serde_json::from_slice(content).ok(),
            [CLOSE, STDIN] => self.has_ended = true,
            _ => {}
        }
    }

    /// Receives messages until the client disconnects.
    pub(super) async fn disconnected(&mut self) -> Disconnected {
        loop {
            if let Err(error) = self.receive().await {
                return error;
            }
        }
    }
}
