//! A command of a container over the WebSocket of the cluster's API.

use std::{pin::Pin, time::Duration};

use bytes::Bytes;
use futures::{Sink, SinkExt as _, StreamExt as _, stream::BoxStream};
use k8s_openapi::api::core::v1::Pod;
use kube::{Resource as _, api::AttachParams, core::Request};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::{
    ContainerId, ExecOrder, Size, Stdin, Terminal,
    frame::{self, CommandEvent},
};
use crate::subject::{Resources, SubjectError};

const OPENED_WITHIN: Duration = Duration::from_secs(30);
/// As much input as goes in one message.
const PIECE: usize = 32 << 10;

/// What goes to a command.
pub(super) struct Sender {
    sink: Pin<Box<dyn Sink<Message, Error = Error> + Send>>,
    /// True if the cluster understands that input has ended.
    tells_end: bool,
}

/// What comes from a command.
pub(super) struct Receiver(BoxStream<'static, Result<Message, Error>>);

/// The connection is closed; the reader learns the exit status of the command.
#[derive(Debug)]
pub(super) struct ConnectionClosed;

/// The cluster cannot send this signal.
#[derive(Debug)]
pub(super) struct Unsupported;

/// Begins a command.
pub(super) async fn open(
    resources: &Resources,
    place: &ContainerId,
    order: &ExecOrder,
) -> Result<(Sender, Receiver), SubjectError> {
    let tty = order.terminal == Terminal::Given;
    let params = AttachParams {
        container: Some(place.container.clone()),
        stdin: order.stdin == Stdin::Open,
        stdout: true,
        stderr: !tty,
        tty,
        ..AttachParams::default()
    };
    let request = Request::new(Pod::url_path(&(), Some(&place.namespace)));
    let request = request.exec(&place.pod, &order.command, &params);
    let request = request.map_err(|error| SubjectError::Invalid(error.to_string()))?;
    let client = resources.client();
    let connection = timeout(OPENED_WITHIN, client.connect(request)).await;
    let connection = connection.map_err(|_| SubjectError::Late)?;
    let connection = connection.map_err(|error| resources.explain(&error))?;
    let tells_end = connection.supports_stream_close();
    let (sink, stream) = connection.into_stream().split();
    let sender = Sender {
        sink: Box::pin(sink),
        tells_end,
    };
    Ok((sender, Receiver(stream.boxed())))
}

impl Sender {
    /// Waits until the cluster has room for it.
    pub(super) async fn input(&mut self, bytes: &Bytes) -> Result<(), ConnectionClosed> {
        for piece in bytes.chunks(PIECE) {
            self.send(frame::written(frame::STDIN, piece)).await?;
        }
        Ok(())
    }

    pub(super) async fn resize(&mut self, size: Size) -> Result<(), ConnectionClosed> {
        let size = serde_json::to_vec(&size).map_err(|_| ConnectionClosed)?;
        self.send(frame::written(frame::RESIZE, &size)).await
    }

    pub(super) async fn end_input(&mut self) -> Result<Result<(), ConnectionClosed>, Unsupported> {
        if !self.tells_end {
            return Err(Unsupported);
        }
        Ok(self
            .send(frame::written(frame::CLOSE, &[frame::STDIN]))
            .await)
    }

    /// Keeps what is between from taking a still connection for a dead one.
    pub(super) async fn ping(&mut self) -> Result<(), ConnectionClosed> {
        let sent = self.sink.send(Message::Ping(Bytes::new())).await;
        sent.map_err(|_| ConnectionClosed)
    }

    async fn send(&mut self, message: Bytes) -> Result<(), ConnectionClosed> {
        let sent = self.sink.send(Message::Binary(message)).await;
        sent.map_err(|_| ConnectionClosed)
    }
}

impl Receiver {
    /// What comes next; nothing once the connection has ended.
    pub(super) async fn next(&mut self) -> Option<CommandEvent> {
        loop {
            match self.0.next().await? {
                Ok(Message::Binary(message)) => {
                    if let Some(told) = frame::read(message) {
                        return Some(told);
                    }
                }
                Ok(_) => {}
                Err(error) => {
                    tracing::debug!(%error, "the session of a command broke");
                    return None;
                }
            }
        }
    }
}
