//! Runs a command to its end: with the platform's connection and the output format, and with its exit code.

use std::process::ExitCode;

use causeway_shell::OtlpArgs;

use crate::{
    connection::Connection,
    context::{ContextArgs, Target},
    failure, flags,
    output::{self, Format, OutputArgs},
    transport,
};

/// The name of the command line in traces.
pub(crate) const SERVICE: &str = "causeway-cli";

/// A group of commands, and what all of them take.
#[derive(clap::Args, Debug)]
pub(crate) struct UserArgs<C: clap::Subcommand> {
    #[command(flatten)]
    pub(crate) platform: PlatformArgs,
    #[command(subcommand)]
    pub(crate) command: C,
}

/// One command, and the platform that it talks to.
#[derive(clap::Args, Debug)]
pub(crate) struct With<A: clap::Args> {
    #[command(flatten)]
    pub(crate) platform: PlatformArgs,
    #[command(flatten)]
    pub(crate) args: A,
}

/// Flags of the platform and of the output.
#[derive(clap::Args, Debug)]
pub(crate) struct PlatformArgs {
    #[command(flatten)]
    pub(crate) context: ContextArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) otlp: OtlpArgs,
}

impl<C: clap::Subcommand> UserArgs<C> {
    pub(crate) fn run(
        self,
        run: impl AsyncFnOnce(C, &Connection, Format) -> anyhow::Result<()>,
    ) -> ExitCode {
        with_platform(&self.platform, async |connection, format| {
            run(self.command, &connection, format).await
        })
    }
}

impl<A: clap::Args> With<A> {
    pub(crate) fn run(
        self,
        run: impl AsyncFnOnce(A, &Connection, Format) -> anyhow::Result<()>,
    ) -> ExitCode {
        with_platform(&self.platform, async |connection, format| {
            run(self.args, &connection, format).await
        })
    }

    /// Runs a command that changes the context itself.
    pub(crate) fn run_with_target(
        self,
        run: impl AsyncFnOnce(A, Target, Format) -> anyhow::Result<()>,
    ) -> ExitCode {
        with_target(&self.platform, async |target, format| {
            run(self.args, target, format).await
        })
    }
}

pub(crate) fn with_platform(
    args: &PlatformArgs,
    work: impl AsyncFnOnce(Connection, Format) -> anyhow::Result<()>,
) -> ExitCode {
    let format = args.output.begin(flags::arrangement());
    let entry = match args.context.resolve() {
        Ok(entry) => entry,
        Err(error) => return failed(&error, ""),
    };
    let work = async { work(Connection::open(&entry)?, format).await };
    run_to_end(&entry.address, &args.otlp, work)
}

/// For commands that change the context itself.
pub(crate) fn with_target(
    args: &PlatformArgs,
    work: impl AsyncFnOnce(Target, Format) -> anyhow::Result<()>,
) -> ExitCode {
    let format = args.output.begin(flags::arrangement());
    match args.context.target() {
        Ok(target) => {
            let address = target.entry.address.clone();
            let work = async { work(target, format).await };
            run_to_end(&address, &args.otlp, work)
        }
        Err(error) => failed(&error, ""),
    }
}

pub(crate) fn run_to_end(
    address: &str,
    otlp: &OtlpArgs,
    work: impl Future<Output = anyhow::Result<()>>,
) -> ExitCode {
    let words = std::env::args()
        .skip(1)
        .take_while(|word| !word.starts_with('-'));
    let name = words.take(2).collect::<Vec<_>>().join(" ");
    let work = async {
        match flags::with_deadline(work).await {
            Err(error) if !address.is_empty() => Err(transport::explain(error, address).await),
            end => end,
        }
    };
    ended(
        causeway_shell::run_command(SERVICE, &name, otlp, work),
        address,
    )
}

pub(crate) fn ended(result: anyhow::Result<()>, address: &str) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error, address),
    }
}

pub(crate) fn failed(error: &anyhow::Error, address: &str) -> ExitCode {
    // A reader that closed the pipe, as head does, is no failure.
    let closed = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    if closed
        .map(std::io::Error::kind)
        .any(|kind| kind == std::io::ErrorKind::BrokenPipe)
    {
        return ExitCode::SUCCESS;
    }
    if !failure::is_reported(error) {
        output::note(format!("error: {}", failure::line(error, address)));
    }
    failure::exit_code(error)
}
