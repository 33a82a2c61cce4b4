//! What a message of the cluster's exec says: its first byte is the channel. Pure.

use bytes::Bytes;
use serde::Deserialize;

pub(super) const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const STATUS: u8 = 3;
pub(super) const RESIZE: u8 = 4;
/// Says that a channel has ended, where the cluster knows it.
pub(super) const CLOSE: u8 = 255;

/// Output or exit of the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CommandEvent {
    Stdout(Bytes),
    Stderr(Bytes),
    Exit(Exit),
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Exit {
    Code(i32),
    /// It was not run, or did not end by itself.
    Failed(String),
}

/// `metav1.Status`, as far as it tells of a command.
#[derive(Debug, Deserialize)]
#[serde(default)]
struct Status {
    status: String,
    reason: String,
    message: String,
    details: Option<Details>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Details {
    causes: Vec<Cause>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Cause {
    reason: String,
    message: String,
}

impl Default for Status {
    fn default() -> Self {
        Self {
            status: String::new(),
            reason: String::new(),
            message: "the cluster did not say how it ended".to_owned(),
            details: None,
        }
    }
}

/// What a message says; nothing where that is of no interest.
pub(super) fn read(mut message: Bytes) -> Option<CommandEvent> {
    if message.len() < 2 {
        // Each channel is opened by an empty message.
        return None;
    }
    let content = message.split_off(1);
    match message[0] {
        STDOUT => Some(CommandEvent::Stdout(content)),
        STDERR => Some(CommandEvent::Stderr(content)),
        STATUS => Some(CommandEvent::Exit(exit(&content))),
        _ => None,
    }
}

fn exit(content: &[u8]) -> Exit {
    let status: Status = serde_json::from_slice(content).unwrap_or_default();
    if status.status == "Success" {
        return Exit::Code(0);
    }
    let mut causes = status.details.iter().flat_map(|details| &details.causes);
    let code = causes.find(|cause| cause.reason == "ExitCode");
    let code = code.and_then(|cause| cause.message.parse().ok());
    match code.filter(|_| status.reason == "NonZeroExitCode") {
        Some(code) => Exit::Code(code),
        None => Exit::Failed(status.message),
    }
}

/// A message on a channel.
pub(super) fn written(channel: u8, content: &[u8]) -> Bytes {
    let mut message = Vec::with_capacity(1 + content.len());
    message.push(channel);
    message.extend_from_slice(content);
    message.into()
}

#[cfg(test)]
mod tests;
