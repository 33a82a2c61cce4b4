//! Command line of the launcher.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::{Parser, Subcommand, ValueEnum};

use crate::{
    BuildCache, Program, Programs, ProgramsError,
    display::Display,
    up::{Kind, UpError, up},
};

/// A real Kubernetes and a real Argo CD for trials and tests, without containers.
#[derive(Debug, Parser)]
#[command(name = "causeway-cluster")]
struct Command {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Build the programs that clusters are made of; what is built already is left as it is
    Build {
        /// Only these [default: all]
        programs: Vec<Program>,
        #[command(flatten)]
        build_cache: BuildCache,
    },
    /// Say where programs are; fails where one is not built, and needs no Go
    Find {
        /// Only these [default: all]
        programs: Vec<Program>,
        #[command(flatten)]
        build_cache: BuildCache,
    },
    /// Start a cluster of its own and keep it until Ctrl-C
    Up {
        /// What to start
        kind: Kind,
        /// Build missing programs first; needs Go and takes minutes, once
        #[arg(long)]
        build: bool,
        /// Run this command on the cluster until it ends; the flags of `causeway up` for the cluster are appended
        #[arg(last = true, value_name = "COMMAND")]
        companion: Vec<String>,
    },
}

impl ValueEnum for Program {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(self.name().into())
    }
}

/// Runs the launcher and reports an error in one line.
pub fn main() -> ExitCode {
    let command = Command::parse();
    let done = match command.action {
        Action::Build {
            programs,
            build_cache,
        } => build(&programs, &build_cache).map_err(UpError::from),
        Action::Find {
            programs,
            build_cache,
        } => find(&programs, &build_cache).map_err(UpError::from),
        Action::Up {
            kind,
            build,
            companion,
        } => up(kind, build, companion),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

pub(crate) fn build(programs: &[Program], build_cache: &BuildCache) -> Result<(), ProgramsError> {
    let programs = or_all(programs);
    let mut display = Display::on_standard_error();
    let built = build_cache.build(programs, |progress| display.show(&progress))?;
    list(programs, &built);
    Ok(())
}

fn find(programs: &[Program], build_cache: &BuildCache) -> Result<(), ProgramsError> {
    let programs = or_all(programs);
    list(programs, &build_cache.find(programs)?);
    Ok(())
}

fn or_all(programs: &[Program]) -> &[Program] {
    match programs {
        [] => &Program::ALL,
        some => some,
    }
}

fn list(programs: &[Program], built: &Programs) {
    for program in programs {
        say(&format!("{program:<12}{}", built.path(*program).display()));
    }
}

/// Writes to standard error; standard output is for programs.
pub(crate) fn say(line: &str) {
    // There is nowhere to report that a terminal is gone.
    let _ = writeln!(io::stderr(), "{line}");
}
