//! One part as a process.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use super::{Programs, Setting};
use crate::{Child, binary};

const READY: Duration = Duration::from_secs(180);

/// A part, running or stopped.
pub struct PartProcess {
    /// Side and part, for example `runtime/app-proxy`.
    pub name: &'static str,
    pub child: Child,
    program: PathBuf,
    flags: Vec<String>,
    environment: Vec<(String, String)>,
    /// Host and port; none if it has no listener.
    address: Option<String>,
}

/// Starts parts.
#[derive(Clone, Copy)]
pub(super) struct Serve<'a> {
    pub(super) setting: Setting<'a>,
}

impl Serve<'_> {
    /// Returns the program of a part by the start of its name.
    pub(super) fn program(self, name: &str) -> PathBuf {
        let Programs { platform, runtime } = self.setting.programs;
        let chosen = if name.starts_with("platform/") {
            platform
        } else {
            runtime
        };
        chosen.map_or_else(binary, Path::to_owned)
    }

    pub(super) fn part(
        self,
        name: &'static str,
        flags: impl IntoIterator<Item = String>,
    ) -> PartProcess {
        let own = match name {
            "platform/platform" => self.setting.platform,
            "runtime/app-proxy" => self.setting.app_proxy,
            _ => &[],
        };
        let pairs = self.setting.environment.iter().chain(own);
        let environment: Vec<_> = pairs
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let flags: Vec<_> = flags.into_iter().collect();
        let program = self.program(name);
        let child = Child::start(&mut command((&program, name), &flags, &environment));
        let mut part = PartProcess {
            name,
            child,
            program,
            flags,
            environment,
            address: None,
        };
        part.listen();
        part
    }
}

impl PartProcess {
    /// Returns its URL.
    ///
    /// # Panics
    /// It has no listener.
    pub fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// Returns host and port.
    ///
    /// # Panics
    /// It has no listener.
    pub fn address(&self) -> &str {
        let address = self.address.as_deref();
        address.unwrap_or_else(|| panic!("{} listens to nobody", self.name))
    }

    /// Returns the router's flag for this part.
    pub(super) fn upstream(&self) -> String {
        format!("--upstream={}={}", self.part(), self.url())
    }

    /// Kills it with SIGKILL.
    pub fn kill(&mut self) {
        self.child.kill();
    }

    /// Restarts it at the same address and waits until it listens.
    ///
    /// # Panics
    /// It does not.
    pub fn start_again(&mut self) {
        self.start_again_with(&[]);
    }

    /// Restarts it with additional flags.
    pub(super) fn start_again_with(&mut self, flags: &[String]) {
        self.flags.extend_from_slice(flags);
        let listen = self.address.as_ref().map(|it| format!("--listen={it}"));
        let flags: Vec<_> = self.flags.iter().cloned().chain(listen).collect();
        let named = (self.program.as_path(), self.name);
        self.child = Child::start(&mut command(named, &flags, &self.environment));
        self.listen();
    }

    fn part(&self) -> &'static str {
        part_of(self.name)
    }

    fn listen(&mut self) {
        // The tunnel client has no listener; the tunnel server has two, with its own accept loop.
        let said = match self.part() {
            "tunnel-client" => return,
            "tunnel-server" => "listening",
            _ => "listens",
        };
        let address = self.child.wait_for_line(self.name, READY, |line| {
            let rest = line.split("address=").nth(1)?;
            let own = line.contains(said) && !line.contains("admin server");
            own.then(|| rest.split_whitespace().next().map(str::to_owned))?
        });
        self.address = Some(address);
    }
}

fn part_of(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or_default()
}

fn command(
    (program, name): (&Path, &str),
    flags: &[String],
    environment: &[(String, String)],
) -> Command {
    let mut command = Command::new(program);
    command.args(["serve", part_of(name)]).args(flags);
    let environment = environment.iter();
    command.envs(environment.map(|(key, value)| (key, value)));
    command
}
