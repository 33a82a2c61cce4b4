//! The programs that a simulated container has.

use std::time::Duration;

use tokio::time::sleep;

use super::{
    console::{Console, Disconnected, Line},
    words::{self, Command},
};

const NOT_FOUND: u8 = 127;
const WRONG_USE: u8 = 2;
const YES_BYTES: usize = 8 << 10;
const PROGRAMS: [&str; 13] = [
    "cat", "echo", "env", "exit", "false", "hostname", "ls", "pwd", "sh", "sleep", "stty", "true",
    "yes",
];

/// Exit code of a program, and whether its shell exits with it.
struct ProgramExit {
    code: u8,
    leaves: bool,
}

impl From<u8> for ProgramExit {
    fn from(code: u8) -> Self {
        Self {
            code,
            leaves: false,
        }
    }
}

/// Runs a command to its end; a disconnected client gets no status.
pub(super) async fn run(mut console: Console, command: Vec<String>, pod: String) {
    let program = command.first().map(String::as_str).unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or_default();
    if !PROGRAMS.contains(&name) || name == "exit" {
        let why = format!(
            "failed to exec in container: exec: \"{program}\": executable file not found in $PATH"
        );
        drop(console.fail(&why).await);
        return;
    }
    if let Ok(end) = execute(&mut console, &command, &pod).await {
        drop(console.end(end.code).await);
    }
}

/// Runs a program or the shell.
async fn execute(
    console: &mut Console,
    command: &[String],
    pod: &str,
) -> Result<ProgramExit, Disconnected> {
    let name = command[0].rsplit('/').next().unwrap_or_default();
    match (name, &command[1..]) {
        ("sh", []) => shell(console, pod).await,
        ("sh", [flag, script, ..]) if flag == "-c" => script_of(console, script, pod).await,
        (_, rest) => single(console, (name, rest), pod).await,
    }
}

/// A program that runs no others.
async fn single(
    console: &mut Console,
    (name, rest): (&str, &[String]),
    pod: &str,
) -> Result<ProgramExit, Disconnected> {
    let code = match (name, rest) {
        ("true", _) => 0,
        ("false", _) => 1,
        ("exit", []) => return Ok(leaving(0)),
        ("exit", [code, ..]) => return Ok(leaving(code.parse().unwrap_or(WRONG_USE))),
        ("echo", [flag, rest @ ..]) if flag == "-n" => {
            console.print(rest.join(" ")).await?;
            0
        }
        ("echo", rest) => {
            console.print(rest.join(" ") + "\n").await?;
            0
        }
        ("pwd", _) => {
            console.print("/\n").await?;
            0
        }
        ("ls", _) => {
            console.print("bin  etc  proc  usr\n").await?;
            0
        }
        ("hostname", _) => {
            console.print(format!("{pod}\n")).await?;
            0
        }
        ("env", _) => {
            let path = "PATH=/usr/local/bin:/usr/bin:/bin";
            console.print(format!("{path}\nHOSTNAME={pod}\n")).await?;
            0
        }
        ("cat", _) => cat(console).await?,
        ("stty", [size, ..]) if size == "size" => stty(console).await?,
        ("sleep", [seconds, ..]) => pause(console, seconds.parse().unwrap_or(0)).await?,
        ("yes", rest) => return yes(console, rest).await,
        (name, _) => {
            console.complain(format!("{name}: wrong use\n")).await?;
            WRONG_USE
        }
    };
    Ok(code.into())
}

fn leaving(code: u8) -> ProgramExit {
    ProgramExit { code, leaves: true }
}

async fn cat(console: &mut Console) -> Result<u8, Disconnected> {
    if !console.is_terminal {
        while let Some(bytes) = console.read().await? {
            console.print(bytes).await?;
        }
        return Ok(0);
    }
    loop {
        match console.line().await? {
            Line::Text(line) => console.print(line + "\n").await?,
            Line::Interrupted => return Ok(130),
            Line::End => return Ok(0),
        }
    }
}

async fn stty(console: &mut Console) -> Result<u8, Disconnected> {
    if !console.is_terminal {
        let why = "stty: 'standard input': Inappropriate ioctl for device\n";
        console.complain(why).await?;
        return Ok(1);
    }
    let (columns, rows) = console.size().await?;
    console.print(format!("{rows} {columns}\n")).await?;
    Ok(0)
}

async fn pause(console: &mut Console, seconds: u64) -> Result<u8, Disconnected> {
    tokio::select! {
        () = sleep(Duration::from_secs(seconds)) => Ok(0),
        error = console.disconnected() => Err(error),
    }
}

/// Writes until the client disconnects.
async fn yes(console: &mut Console, rest: &[String]) -> Result<ProgramExit, Disconnected> {
    let word = match rest {
        [] => "y".to_owned(),
        words => words.join(" "),
    };
    let line = word + "\n";
    let lines = line.repeat(1 + YES_BYTES / line.len());
    loop {
        console.print(&lines).await?;
    }
}

async fn shell(console: &mut Console, pod: &str) -> Result<ProgramExit, Disconnected> {
    let mut last = ProgramExit::from(0);
    loop {
        if console.is_terminal {
            console.print("$ ").await?;
        }
        let line = match console.line().await? {
            Line::Text(line) => line,
            Line::Interrupted => continue,
            Line::End => return Ok(last),
        };
        last = Box::pin(script_of(console, &line, pod)).await?;
        if last.leaves {
            return Ok(last);
        }
    }
}

/// Commands one after the other.
async fn script_of(
    console: &mut Console,
    script: &str,
    pod: &str,
) -> Result<ProgramExit, Disconnected> {
    let mut last = ProgramExit::from(0);
    for Command { words, to_errors } in words::read(script) {
        let name = words[0].rsplit('/').next().unwrap_or_default();
        if !PROGRAMS.contains(&name) {
            console.complain(format!("sh: {name}: not found\n")).await?;
            last = NOT_FOUND.into();
            continue;
        }
        last = match (name, to_errors) {
            ("echo", true) => {
                console.complain(words[1..].join(" ") + "\n").await?;
                0.into()
            }
            _ => Box::pin(execute(console, &words, pod)).await?,
        };
        if last.leaves {
            break;
        }
    }
    Ok(last)
}
