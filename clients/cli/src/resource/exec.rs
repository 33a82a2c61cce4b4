//! A command in a container, run as if it were run here: with this terminal or this standard input, until it ends, with its exit code.

mod input;
mod terminal;

use std::io::{self, IsTerminal as _};

use anyhow::bail;
use causeway_proto::{
    ids::RequestId,
    proxy::v1::{self as pb, exec_response::Event},
};
use tonic::Streaming;

use super::location::ResourceLocation;
use crate::{
    connection::Connection,
    failure::Exited,
    output::{self, Format},
};
use input::Input;
use terminal::{Ended, Raw, Signals};

/// Command to run in a container.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct CommandArgs {
    /// Container name; by default the pod's default or first container
    #[arg(short, long, value_name = "NAME")]
    container: Option<String>,
    /// Pass stdin to the command
    #[arg(short = 'i', long)]
    stdin: bool,
    /// Allocate a terminal; ignored if stdin is not a terminal
    #[arg(short = 't', long, requires = "stdin")]
    tty: bool,
    /// Request ID; an ID that was used before runs nothing
    #[arg(long, value_name = "UUID")]
    request_id: Option<RequestId>,
    /// Program and arguments, after --; its exit code is returned
    #[arg(value_name = "COMMAND", last = true, required = true)]
    command: Vec<String>,
}

/// A session on this side.
struct Session {
    stream: Streaming<pb::ExecResponse>,
    signals: Signals,
    format: Format,
    /// True if the command gets this terminal while it runs.
    takes_terminal: bool,
    raw: Option<Raw>,
    end: Option<pb::ExecEnd>,
}

impl CommandArgs {
    /// Converts to a request for a location.
    pub(crate) fn to_request(&self, location: ResourceLocation) -> pb::ExecRequest {
        let id = self.request_id.unwrap_or_else(RequestId::generate);
        pb::ExecRequest {
            runtime: location.runtime,
            group: location.group,
            kind: location.kind,
            namespace: location.namespace,
            name: location.name,
            container: self.container.clone().unwrap_or_default(),
            request_id: id.to_string(),
            command: self.command.clone(),
            stdin: self.stdin,
            ..pb::ExecRequest::default()
        }
    }

    /// Runs it to its end.
    pub(crate) async fn run(
        &self,
        connection: &Connection,
        mut request: pb::ExecRequest,
        format: Format,
    ) -> anyhow::Result<()> {
        let tty = self.tty && io::stdin().is_terminal();
        if self.tty && !tty {
            output::note("standard input is no terminal: the command gets none");
        }
        request.tty = tty;
        request.size = tty.then(terminal::size).flatten();
        let signals = Signals::listen()?;
        let input = match (self.stdin, tty) {
            (false, _) => Input::none(),
            (true, false) => Input::of_stdin(),
            (true, true) => Input::of_terminal()?,
        };
        let requests = input.after(request);
        let stream = connection.commands().exec(requests).await?.into_inner();
        let session = Session {
            stream,
            signals,
            format,
            takes_terminal: tty && format == Format::Table,
            raw: None,
            end: None,
        };
        session.run().await
    }
}

impl Session {
    async fn run(mut self) -> anyhow::Result<()> {
        loop {
            let response = tokio::select! {
                response = self.stream.message() => response,
                Ended(signal) = self.signals.ended() => {
                    drop(self.raw);
                    bail!("ended by {signal}; the command was left");
                }
            };
            match response {
                Ok(Some(response)) => self.show(response)?,
                // The exit code was received; the status is for the audit.
                Ok(None) | Err(_) if self.end.is_some() => break,
                Ok(None) => bail!("the session ended before the command did"),
                Err(status) => return Err(status.into()),
            }
        }
        drop(self.raw);
        match self.end {
            Some(end) if !end.error.is_empty() => bail!("{}", crate::words::plain(&end.error)),
            Some(pb::ExecEnd { exit_code: 0, .. }) | None => Ok(()),
            Some(end) => Err(Exited::with(end.exit_code).into()),
        }
    }

    fn show(&mut self, response: pb::ExecResponse) -> anyhow::Result<()> {
        if let Some(Event::End(end)) = &response.event {
            self.end = Some(end.clone());
        }
        if self.format != Format::Table {
            return output::stream_document(&response, self.format);
        }
        match response.event {
            Some(Event::Begin(_)) if self.takes_terminal => self.raw = Some(Raw::begin()?),
            Some(Event::Stdout(bytes)) => write(io::stdout().lock(), &bytes)?,
            Some(Event::Stderr(bytes)) => write(io::stderr().lock(), &bytes)?,
            Some(Event::Begin(_) | Event::End(_)) | None => {}
        }
        Ok(())
    }
}

fn write(mut to: impl io::Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes)?;
    to.flush()
}
