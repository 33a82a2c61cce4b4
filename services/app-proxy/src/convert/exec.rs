//! Commands in containers, between the contract and the domain.

use causeway_proto::proxy::v1 as pb;

use super::{FieldError, read_name, resource::read_resource};
use crate::{
    exec::{ContainerId, Ended, ExecError, ExecEvent, ExecOrder, Input, Size, Stdin, Terminal},
    pods::PodTarget,
};

const MOST_WORDS: usize = 256;
const LONGEST_COMMAND: usize = 64 << 10;
const LONGEST_CONTAINER: usize = 63;

pub(crate) fn read_order(request: pb::ExecRequest) -> Result<ExecOrder, FieldError> {
    let request_id = request.request_id.parse()?;
    let size = request.size.map(read_size).transpose()?;
    check_command(&request.command)?;
    let container = read_container(&request.container)?;
    let stdin = if request.stdin {
        Stdin::Open
    } else {
        Stdin::Empty
    };
    let terminal = if request.tty {
        Terminal::Given
    } else {
        Terminal::None
    };
    Ok(ExecOrder {
        request_id,
        container,
        command: request.command.clone(),
        stdin,
        terminal,
        input: Input {
            size,
            bytes: request.input.clone(),
        },
        whose: read_target(request)?,
    })
}

fn read_target(request: pb::ExecRequest) -> Result<PodTarget, FieldError> {
    let application = if request.application.is_empty() {
        None
    } else {
        Some(read_name(
            request.application_namespace,
            request.application,
        )?)
    };
    let resource = match (request.kind.is_empty(), request.name.is_empty()) {
        (true, true) => None,
        (true, false) => return rule("kind", "must be given with a name, for example Pod"),
        (false, _) => Some(read_resource(
            (request.group, request.kind),
            (request.namespace, request.name),
            String::new(),
        )?),
    };
    if application.is_none() && resource.is_none() {
        return rule("application", "must be given, or a kind and a name");
    }
    Ok(PodTarget {
        application,
        resource,
        namespace: String::new(),
    })
}

fn check_command(command: &[String]) -> Result<(), FieldError> {
    let length: usize = command.iter().map(String::len).sum();
    let program = command.first().is_some_and(|program| !program.is_empty());
    let written = command.iter().all(|word| !word.contains('\0'));
    if program && written && command.len() <= MOST_WORDS && length <= LONGEST_COMMAND {
        Ok(())
    } else {
        rule(
            "command",
            "must be a program and its arguments: 1 to 256 texts with at most 64 KiB",
        )
    }
}

fn read_container(name: &str) -> Result<Option<String>, FieldError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    if name.len() > LONGEST_CONTAINER || !name.bytes().all(plain) {
        return rule("container", "must be the name of a container");
    }
    Ok((!name.is_empty()).then(|| name.to_owned()))
}

fn read_size(size: pb::TerminalSize) -> Result<Size, FieldError> {
    let read = |characters: u32| u16::try_from(characters).ok();
    match (read(size.columns), read(size.rows)) {
        (Some(width), Some(height)) => Ok(Size { width, height }),
        _ => rule("size", "must have at most 65,535 columns and rows"),
    }
}

/// A message after the first one.
pub(crate) fn read_input(message: pb::ExecRequest) -> Result<Input, ExecError> {
    let more = pb::ExecRequest {
        size: None,
        input: Default::default(),
        ..message.clone()
    };
    if more != pb::ExecRequest::default() {
        let text = "messages after the first one have input and size, and nothing else";
        return Err(ExecError::Input(text));
    }
    let size = message.size.map(read_size).transpose();
    let text = "size must have at most 65,535 columns and rows";
    Ok(Input {
        size: size.map_err(|_| ExecError::Input(text))?,
        bytes: message.input,
    })
}

fn rule<T>(field: &'static str, rule: &'static str) -> Result<T, FieldError> {
    Err(FieldError::Rule { field, rule })
}

impl From<ExecEvent> for pb::ExecResponse {
    fn from(said: ExecEvent) -> Self {
        use pb::exec_response::Event;
        let event = match said {
            ExecEvent::Begin(place) => Event::Begin(place.into()),
            ExecEvent::Stdout(bytes) => Event::Stdout(bytes),
            ExecEvent::Stderr(bytes) => Event::Stderr(bytes),
            ExecEvent::End(ended, _) => return ended.into(),
        };
        Self { event: Some(event) }
    }
}

impl From<ContainerId> for pb::ExecBegin {
    fn from(place: ContainerId) -> Self {
        Self {
            namespace: place.namespace,
            pod: place.pod,
            container: place.container,
        }
    }
}

impl From<Ended> for pb::ExecResponse {
    fn from(ended: Ended) -> Self {
        let (exit_code, error) = match ended {
            Ended::Code(code) => (code, String::new()),
            Ended::Error(error) => (0, error),
        };
        let end = pb::ExecEnd { exit_code, error };
        let event = pb::exec_response::Event::End(end);
        Self { event: Some(event) }
    }
}

#[cfg(test)]
mod tests;
