//! One command while it runs: its input and its output are carried beside each other, so that neither waits for the other.

use std::{
    convert::Infallible,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use tokio::{
    sync::mpsc::{self, error::SendTimeoutError},
    time::{Instant, sleep, timeout},
};

use super::{
    ContainerId, Ended, ExecError, ExecEvent, ExecOrder, Input, Stdin, Terminal,
    frame::CommandEvent,
    kube::{ConnectionClosed, Receiver, Sender, Unsupported},
};
use crate::{
    policy::Action,
    scope::Requester,
    subject::{ResourceName, SubjectError, Subjects},
};

/// How much output goes on at once.
const PIECE: usize = 64 << 10;
/// How long output may not be taken.
const STUCK: Duration = Duration::from_secs(600);
/// A session in which nothing comes or goes is looked at so often, and ended after so many times.
const LOOKED_AT: Duration = Duration::from_secs(60);
const STILL: u64 = 30;
const PING_EVERY: Duration = Duration::from_secs(30);
/// Interval of the check that the user may still run commands in the container.
const RECHECK_EVERY: Duration = Duration::from_secs(10);
const RECHECK_TIMEOUT: Duration = Duration::from_secs(10);
/// Checks in a row that may fail.
const MOST_UNSURE: u32 = 3;

/// Reason why a session ended before its command.
#[derive(Debug)]
pub(super) enum EarlyEnd {
    /// Whoever ran it has left.
    Left,
    Failed(ExecError),
}

/// A command that runs.
pub(super) struct Session {
    subjects: Subjects,
    requester: Requester,
    place: ContainerId,
    said: mpsc::Sender<ExecEvent>,
    /// Bytes.
    came: AtomicU64,
    went: AtomicU64,
}

impl Session {
    pub(super) fn new(
        subjects: Subjects,
        requester: Requester,
        place: ContainerId,
        said: mpsc::Sender<ExecEvent>,
    ) -> Self {
        Self {
            subjects,
            requester,
            place,
            said,
            came: AtomicU64::new(0),
            went: AtomicU64::new(0),
        }
    }

    /// Carries all until the command has ended.
    pub(super) async fn run(
        &self,
        order: &ExecOrder,
        (sender, receiver): (Sender, Receiver),
        input: impl Stream<Item = Result<Input, ExecError>> + Send + Unpin,
    ) -> Result<(), EarlyEnd> {
        self.put(ExecEvent::Begin(self.place.clone())).await?;
        let failed = tokio::select! {
            end = self.output(receiver) => return end,
            failed = self.input(order, sender, input) => failed,
            failed = self.still() => failed,
            failed = self.lost_right() => failed,
            () = self.said.closed() => return Err(EarlyEnd::Left),
        };
        Err(EarlyEnd::Failed(failed))
    }

    async fn output(&self, mut receiver: Receiver) -> Result<(), EarlyEnd> {
        while let Some(told) = receiver.next().await {
            match told {
                CommandEvent::Stdout(bytes) => self.pieces(bytes, ExecEvent::Stdout).await?,
                CommandEvent::Stderr(bytes) => self.pieces(bytes, ExecEvent::Stderr).await?,
                CommandEvent::Exit(exit) => {
                    let ended = self.redacted(exit.into());
                    let record = self.to_record(&ended);
                    return self.put(ExecEvent::End(ended, record)).await;
                }
            }
        }
        Err(EarlyEnd::Failed(ExecError::Lost))
    }

    async fn pieces(&self, mut bytes: Bytes, said: fn(Bytes) -> ExecEvent) -> Result<(), EarlyEnd> {
        while !bytes.is_empty() {
            let piece = bytes.split_to(bytes.len().min(PIECE));
            let length = piece.len() as u64;
            self.put(said(piece)).await?;
            self.went.fetch_add(length, Ordering::Relaxed);
        }
        Ok(())
    }

    async fn put(&self, said: ExecEvent) -> Result<(), EarlyEnd> {
        let sent = self.said.send_timeout(said, STUCK).await;
        sent.map_err(|error| match error {
            SendTimeoutError::Closed(_) => EarlyEnd::Left,
            SendTimeoutError::Timeout(_) => {
                EarlyEnd::Failed(ExecError::Stuck(STUCK.as_secs() / 60))
            }
        })
    }

    /// What the cluster says of a command that did not end by itself may quote it.
    fn redacted(&self, ended: Ended) -> Ended {
        match ended {
            Ended::Code(code) => Ended::Code(code),
            Ended::Error(said) => Ended::Error(self.subjects.setup.redactor.message(&said)),
        }
    }

    /// The session in one line.
    fn to_record(&self, ended: &Ended) -> String {
        let ContainerId {
            namespace,
            pod,
            container,
            ..
        } = &self.place;
        let (came, went) = (&self.came, &self.went);
        let (came, went) = (came.load(Ordering::Relaxed), went.load(Ordering::Relaxed));
        let how = match ended {
            Ended::Code(code) => format!("exit code {code}"),
            Ended::Error(error) => error.clone(),
        };
        format!("{how}; in {namespace}/{pod}/{container}, {came} bytes in, {went} bytes out")
    }

    /// Forwards input. Ends only on bad input: the reader of the output detects a lost connection.
    async fn input(
        &self,
        order: &ExecOrder,
        mut sender: Sender,
        input: impl Stream<Item = Result<Input, ExecError>> + Send + Unpin,
    ) -> ExecError {
        match self.feed(order, &mut sender, input).await {
            Ok(Err(ConnectionClosed)) => std::future::pending().await,
            Ok(Ok(never)) => match never {},
            Err(error) => error,
        }
    }

    async fn feed(
        &self,
        order: &ExecOrder,
        sender: &mut Sender,
        mut input: impl Stream<Item = Result<Input, ExecError>> + Send + Unpin,
    ) -> Result<Result<Infallible, ConnectionClosed>, ExecError> {
        if let Err(closed) = self.give(order, sender, &order.input).await? {
            return Ok(Err(closed));
        }
        let mut open = true;
        loop {
            let next = tokio::select! {
                next = input.next(), if open => next,
                () = sleep(PING_EVERY) => {
                    if let Err(closed) = sender.ping().await {
                        return Ok(Err(closed));
                    }
                    continue;
                }
            };
            let sent = match next {
                Some(next) => self.give(order, sender, &next?).await?,
                None => {
                    open = false;
                    end_input(order, sender).await?
                }
            };
            if let Err(closed) = sent {
                return Ok(Err(closed));
            }
        }
    }

    async fn give(
        &self,
        order: &ExecOrder,
        sender: &mut Sender,
        input: &Input,
    ) -> Result<Result<(), ConnectionClosed>, ExecError> {
        if input.size.is_some() && order.terminal == Terminal::None {
            return Err(ExecError::Input("size is only for a command with tty"));
        }
        if !input.bytes.is_empty() && order.stdin == Stdin::Empty {
            return Err(ExecError::Input("input is only for a command with stdin"));
        }
        if let Some(size) = input.size
            && let Err(closed) = sender.resize(size).await
        {
            return Ok(Err(closed));
        }
        let sent = sender.input(&input.bytes).await;
        let length = input.bytes.len() as u64;
        self.came.fetch_add(length, Ordering::Relaxed);
        Ok(sent)
    }

    /// Resolves when nothing came or went for long.
    async fn still(&self) -> ExecError {
        let moved = || self.came.load(Ordering::Relaxed) + self.went.load(Ordering::Relaxed);
        let (mut seen, mut still) = (moved(), 0);
        while still < STILL {
            sleep(LOOKED_AT).await;
            still = if moved() == seen { still + 1 } else { 0 };
            seen = moved();
        }
        ExecError::Idle(STILL * LOOKED_AT.as_secs() / 60)
    }

    /// Resolves when the user may not run commands in this pod any more, or when that can no longer be told.
    async fn lost_right(&self) -> ExecError {
        let name = ResourceName {
            group: String::new(),
            kind: "Pod".to_owned(),
            namespace: self.place.namespace.clone(),
            name: self.place.pod.clone(),
            uid: Some(self.place.uid.clone()),
        };
        let mut unsure = 0;
        loop {
            tokio::time::sleep_until(Instant::now() + RECHECK_EVERY).await;
            let found = self.subjects.find(&name, Action::Exec, &self.requester);
            match timeout(RECHECK_TIMEOUT, found).await {
                Ok(Ok(_)) => unsure = 0,
                Ok(Err(error @ (SubjectError::Unknown(_) | SubjectError::NotAllowed(_)))) => {
                    return error.into();
                }
                Ok(Err(_)) | Err(_) if unsure + 1 < MOST_UNSURE => unsure += 1,
                Ok(Err(error)) => return error.into(),
                Err(_) => return SubjectError::Late.into(),
            }
        }
    }
}

async fn end_input(
    order: &ExecOrder,
    sender: &mut Sender,
) -> Result<Result<(), ConnectionClosed>, ExecError> {
    if order.stdin == Stdin::Empty {
        return Ok(Ok(()));
    }
    match (sender.end_input().await, order.terminal) {
        (Ok(sent), _) => Ok(sent),
        // A terminal has a character for it.
        (Err(Unsupported), Terminal::Given) => Ok(Ok(())),
        (Err(Unsupported), Terminal::None) => Err(ExecError::NoEnd),
    }
}
