//! Standard input and the size of the terminal, as messages of a session. It is read by a thread of its own, since nothing ends a
//! read of a terminal but a key; the end of the process ends it.

use std::{
    io::{self, Read as _},
    thread,
};

use causeway_proto::proxy::v1 as pb;
use futures::{Stream, StreamExt as _, stream};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::mpsc,
};

use super::terminal;

const PIECE: usize = 32 << 10;

/// Where messages come from after the first one.
pub(super) struct Input {
    bytes: Option<mpsc::Receiver<Vec<u8>>>,
    resized: Option<Signal>,
}

impl Input {
    pub(super) fn none() -> Self {
        Self {
            bytes: None,
            resized: None,
        }
    }

    pub(super) fn of_stdin() -> Self {
        Self {
            bytes: Some(read()),
            resized: None,
        }
    }

    pub(super) fn of_terminal() -> anyhow::Result<Self> {
        Ok(Self {
            bytes: Some(read()),
            resized: Some(signal(SignalKind::window_change())?),
        })
    }

    /// All messages of a session.
    pub(super) fn after(
        self,
        first: pb::ExecRequest,
    ) -> impl Stream<Item = pb::ExecRequest> + Send + 'static {
        let rest = stream::unfold(self, |mut input| async {
            let message = input.next().await?;
            Some((message, input))
        });
        stream::iter([first]).chain(rest)
    }

    /// The next message; none once the input has ended.
    async fn next(&mut self) -> Option<pb::ExecRequest> {
        let bytes = self.bytes.as_mut()?;
        let resized = async {
            match &mut self.resized {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            bytes = bytes.recv() => Some(pb::ExecRequest {
                input: bytes?.into(),
                ..pb::ExecRequest::default()
            }),
            _ = resized => Some(pb::ExecRequest {
                size: terminal::size(),
                ..pb::ExecRequest::default()
            }),
        }
    }
}

fn read() -> mpsc::Receiver<Vec<u8>> {
    // A buffer of one piece: read no faster than the command does.
    let (pieces, taken) = mpsc::channel(1);
    thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        let mut buffer = vec![0; PIECE];
        while let Ok(length @ 1..) = stdin.read(&mut buffer) {
            if pieces.blocking_send(buffer[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    taken
}
