//! The router of a runtime as a process of its own.

use std::{
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::Context as _;

/// Its drop ends it.
pub(super) struct Router {
    child: Child,
    address: SocketAddr,
}

impl Router {
    pub(super) fn start(binary: &Path, part: SocketAddr) -> anyhow::Result<Self> {
        let mut command = Command::new(binary);
        command.args(["serve", "request-router", "--side", "runtime"]);
        command.args(["--listen", "127.0.0.1:0"]);
        command
            .arg("--upstream")
            .arg(format!("app-proxy=http://{part}"));
        command.args(["--log", "info"]).stdin(Stdio::null());
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let said = child.stderr.take().context("the router's log")?;
        let mut lines = BufReader::new(said).lines();
        let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let rest = Some(line).filter(|line| line.contains("listens"))?;
            let rest = rest.split_once("part=request-router")?.1.to_owned();
            let address = rest.split_once("address=")?.1;
            address.split_whitespace().next()?.parse().ok()
        });
        let address = address.context("the router does not say where it listens");
        // What nobody reads would hold it up.
        std::thread::spawn(move || lines.for_each(drop));
        match address {
            Ok(address) => Ok(Self { child, address }),
            Err(error) => {
                child.kill()?;
                child.wait()?;
                Err(error)
            }
        }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        // One that has ended by itself needs no end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
