//! grpc-gateway: its generator and its library from their Go modules, made into a program for the same RPC.

use std::{
    ffi::OsStr,
    fs,
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, bail};

/// The program, built.
pub(super) struct Program(PathBuf);

/// A running one. Its drop ends it.
pub(super) struct Gateway {
    child: Child,
    address: SocketAddr,
}

/// Builds it where it is not built, in the folder of its source; none where go or buf is missing, which is said.
#[expect(clippy::print_stderr, reason = "what is left out must be seen")]
pub(super) fn build() -> anyhow::Result<Option<Program>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("gateway");
    let root = folder.join("../../..");
    let buf = [
        ".ci/tools/node_modules/@bufbuild/buf-linux-x64/bin/buf",
        ".ci/tools/node_modules/.bin/buf",
    ];
    let buf = buf
        .iter()
        .map(|place| root.join(place))
        .find(|buf| buf.exists());
    let go = Command::new("go").arg("version").output();
    let (Some(buf), Ok(_)) = (buf, go) else {
        eprintln!("left out: grpc-gateway, since buf or go is not there; .ci/install installs buf");
        return Ok(None);
    };
    fs::create_dir_all(folder.join("bin"))?;
    let mut tools = Command::new("go");
    tools
        .args(["install", "tool"])
        .env("GOBIN", folder.join("bin"));
    done(tools.current_dir(&folder))?;
    let mut generate = Command::new(buf);
    generate
        .arg("generate")
        .arg(&root)
        .args(["--template", "buf.gen.yaml"]);
    for file in [
        "proxy/v1/application_action_service.proto",
        "access/v1/access.proto",
    ] {
        generate
            .arg("--path")
            .arg(root.join("proto/causeway").join(file));
    }
    done(generate.current_dir(&folder))?;
    let mut program = Command::new("go");
    done(
        program
            .args(["build", "-o", "gateway", "."])
            .current_dir(&folder),
    )?;
    Ok(Some(Program(folder.join("gateway"))))
}

fn done(command: &mut Command) -> anyhow::Result<()> {
    let output = command.stdin(Stdio::null()).output();
    let name = command.get_program().to_owned();
    let output = output.with_context(|| format!("start {}", name.display()))?;
    if !output.status.success() {
        let arguments: Vec<_> = command.get_args().map(OsStr::to_string_lossy).collect();
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{} {}: {said}", name.display(), arguments.join(" "));
    }
    Ok(())
}

impl Gateway {
    pub(super) fn start(program: &Program, part: SocketAddr) -> anyhow::Result<Self> {
        let mut command = Command::new(&program.0);
        command.arg("-upstream").arg(part.to_string());
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let said = child.stdout.take().context("the gateway's output")?;
        let mut line = String::new();
        BufReader::new(said).read_line(&mut line)?;
        let address = line.trim().parse();
        let address = address.with_context(|| format!("the gateway says '{line}'"))?;
        Ok(Self { child, address })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // One that has ended by itself needs no end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
