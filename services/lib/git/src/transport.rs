//! The caged `git` program: fetch and push, with none of the host's configuration.

use std::{
    net::IpAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    GitError, Remote,
    process::{self, Bounds, Output},
};
use gix::ObjectId;

/// What all calls have in common.
#[derive(Debug, Clone)]
pub(crate) struct Cage {
    pub(crate) program: PathBuf,
    /// An empty folder.
    pub(crate) home: PathBuf,
    pub(crate) time: Duration,
    /// How large one clone may become.
    pub(crate) max_bytes: u64,
    #[cfg(test)]
    pub(crate) twin: crate::tests::twin::Twin,
}

/// The end of a push that reached the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pushed {
    Done,
    /// The branch moved, or the server was busy with it.
    Raced,
    Refused(String),
}

/// One repository folder and the server behind it.
pub(crate) struct Transport<'a> {
    pub(crate) cage: &'a Cage,
    pub(crate) remote: &'a Remote,
    pub(crate) folder: &'a Path,
}

impl Transport<'_> {
    /// Fetches the tip of a branch with its recent history, without blobs.
    pub(crate) async fn fetch_branch(&self, branch: &str, depth: u32) -> Result<(), GitError> {
        let depth = format!("--depth={depth}");
        let refspec = format!("+refs/heads/{branch}:{}", tracking_ref(branch));
        let mut arguments = vec![
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
        ];
        arguments.extend(["--recurse-submodules=no", "--filter=blob:none", &depth]);
        arguments.extend(["--end-of-options", "origin", &refspec]);
        let output = self.git(&arguments, Vec::new()).await?;
        self.succeed(&output, branch)
    }

    /// Asks for the branch that the server's HEAD names.
    pub(crate) async fn default_branch(&self) -> Result<String, GitError> {
        let arguments = [
            "ls-remote",
            "--symref",
            "--end-of-options",
            "origin",
            "HEAD",
        ];
        let output = self.git(&arguments, Vec::new()).await?;
        self.succeed(&output, "HEAD")?;
        let named = output.stdout.lines().find_map(|line| {
            let (name, head) = line.strip_prefix("ref: refs/heads/")?.split_once('\t')?;
            (head == "HEAD").then(|| name.to_owned())
        });
        named.ok_or_else(|| GitError::BranchNotFound {
            branch: "HEAD".to_owned(),
        })
    }

    /// Fetches blobs in one request. A server without filters sends more, never less.
    pub(crate) async fn fetch_blobs(&self, ids: &[ObjectId]) -> Result<(), GitError> {
        let mut arguments = vec![
            "-c",
            "fetch.negotiationAlgorithm=noop",
            "fetch",
            "--quiet",
            "--no-tags",
        ];
        arguments.extend([
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--recurse-submodules=no",
        ]);
        arguments.extend([
            "--filter=blob:none",
            "--stdin",
            "--end-of-options",
            "origin",
        ]);
        let input: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let output = self.git(&arguments, input.into_bytes()).await?;
        self.succeed(&output, "")
    }

    /// Moves a branch from one commit to another, and only from that one; from none it is created.
    pub(crate) async fn push(
        &self,
        branch: &str,
        from: Option<ObjectId>,
        to: ObjectId,
    ) -> Result<Pushed, GitError> {
        let from = from.map(|id| id.to_string()).unwrap_or_default();
        let lease = format!("--force-with-lease=refs/heads/{branch}:{from}");
        #[cfg(test)]
        let lease = self.cage.twin.lease(lease);
        let refspec = format!("{to}:refs/heads/{branch}");
        let mut arguments = vec![
            "push",
            "--porcelain",
            "--no-verify",
            "--no-thin",
            "--recurse-submodules=no",
        ];
        arguments.push(&lease);
        arguments.extend(["--end-of-options", "origin", &refspec]);
        let output = self.git(&arguments, Vec::new()).await?;
        match pushed(&output.stdout) {
            Some(pushed) => Ok(pushed),
            None => self.succeed(&output, branch).map(|()| Pushed::Done),
        }
    }

    /// Whether the credential may read the repository.
    pub(crate) async fn check_read(&self) -> Result<(), GitError> {
        let arguments = ["ls-remote", "--quiet", "--end-of-options", "origin", "HEAD"];
        let output = self.git(&arguments, Vec::new()).await?;
        self.succeed(&output, "")
    }

    /// Whether the server accepts pushes with the credential. This one has nothing to push.
    pub(crate) async fn check_push(&self) -> Result<(), GitError> {
        let mut arguments = vec!["push", "--dry-run", "--porcelain", "--no-verify"];
        arguments.extend(["--end-of-options", "origin", "refs/none/*:refs/none/*"]);
        let output = self.git(&arguments, Vec::new()).await?;
        self.succeed(&output, "")
    }

    async fn git(&self, arguments: &[&str], input: Vec<u8>) -> Result<Output, GitError> {
        let handover = self.remote.credential.hand_over(&self.remote.url)?;
        let mut command = process::command(&self.cage.program);
        command.envs([
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_ASKPASS", "/bin/false"),
            ("LC_ALL", "C"),
        ]);
        command.env("HOME", &self.cage.home);
        command.env("GIT_ALLOW_PROTOCOL", self.remote.url.scheme().to_string());
        command.env(
            "GIT_CONFIG_GLOBAL",
            handover.config.as_deref().unwrap_or("/dev/null"),
        );
        if let Some(ssh) = &handover.ssh_command {
            command.env("GIT_SSH_COMMAND", ssh);
        }
        command
            .arg("--no-pager")
            .args(settings(self.remote))
            .args(arguments);
        command.current_dir(self.folder);
        let packs = self.folder.join("objects/pack");
        let bounds = Bounds {
            time: self.cage.time,
            folder: (&packs, self.cage.max_bytes),
        };
        process::run(command, input, bounds).await
    }

    fn succeed(&self, output: &Output, branch: &str) -> Result<(), GitError> {
        if output.is_success {
            return Ok(());
        }
        let text = self.remote.credential.scrub(&output.stderr);
        Err(error(&text, branch))
    }
}

/// Where the tip of a branch is kept in a clone.
pub(crate) fn tracking_ref(branch: &str) -> String {
    format!("refs/remotes/origin/{branch}")
}

fn settings(remote: &Remote) -> Vec<String> {
    const SETTINGS: [&str; 16] = [
        // What is received stays one pack, whose size is bounded.
        "fetch.unpackLimit=1",
        "core.hooksPath=/dev/null",
        "core.fsmonitor=false",
        "core.askPass=/bin/false",
        "credential.helper=",
        "protocol.allow=never",
        "gc.auto=0",
        "maintenance.auto=false",
        "submodule.recurse=false",
        "transfer.fsckObjects=false",
        "http.followRedirects=false",
        "http.lowSpeedLimit=1000",
        "http.lowSpeedTime=20",
        "http.emptyAuth=false",
        "push.gpgSign=false",
        "fetch.writeCommitGraph=false",
    ];
    let scheme = remote.url.scheme();
    let mut settings: Vec<String> = SETTINGS.map(str::to_owned).to_vec();
    settings.push(format!("protocol.{scheme}.allow=always"));
    settings.extend(remote.address.map(|address| resolve(remote, address)));
    settings
        .into_iter()
        .flat_map(|setting| ["-c".to_owned(), setting])
        .collect()
}

/// Pins the address that was checked, so that a second look-up cannot lead elsewhere.
fn resolve(remote: &Remote, address: IpAddr) -> String {
    let (host, port) = remote.url.host_and_port();
    let address = match address {
        IpAddr::V4(it) => it.to_string(),
        IpAddr::V6(it) => format!("[{it}]"),
    };
    format!("http.curloptResolve={host}:{port}:{address}")
}

/// Reads the one line about the branch in the answer to a push.
fn pushed(porcelain: &str) -> Option<Pushed> {
    let line = porcelain
        .lines()
        .find(|line| line.contains(":refs/heads/"))?;
    match line.chars().next()? {
        ' ' | '=' | '*' | '+' => Some(Pushed::Done),
        '!' => Some(refused(line)),
        _ => None,
    }
}

fn refused(line: &str) -> Pushed {
    const RACES: [&str; 7] = [
        "stale info",
        "non-fast-forward",
        "fetch first",
        "cannot lock ref",
        "incorrect old value provided",
        "failed to update ref",
        "failed to lock",
    ];
    let is_race = RACES.iter().any(|race| line.contains(race));
    let reason = line
        .rsplit_once(" (")
        .map_or(line, |(_, reason)| reason.trim_end_matches(')'));
    if is_race {
        Pushed::Raced
    } else {
        Pushed::Refused(shorten(reason))
    }
}

fn error(stderr: &str, branch: &str) -> GitError {
    const UNAUTHORIZED: [&str; 6] = [
        "could not read Username",
        "could not read Password",
        "Authentication failed",
        "returned error: 401",
        "returned error: 403",
        "Permission denied (publickey",
    ];
    const MISSING: [&str; 5] = [
        // A page of something else answers under that URL.
        "not valid: is this a git repository",
        "not found",
        "does not exist",
        "does not appear to be a git repository",
        "returned error: 404",
    ];
    let has = |words: &[&str]| words.iter().any(|word| stderr.contains(word));
    if stderr.contains("couldn't find remote ref") {
        return GitError::BranchNotFound {
            branch: branch.to_owned(),
        };
    }
    if has(&UNAUTHORIZED) {
        return GitError::Unauthorized;
    }
    if has(&MISSING) {
        return GitError::RepositoryNotFound;
    }
    GitError::Unavailable(last_line(stderr))
}

fn last_line(stderr: &str) -> String {
    let mut lines = stderr.lines().filter(|line| !line.trim().is_empty());
    let named = lines
        .clone()
        .find(|line| line.starts_with("fatal:") || line.starts_with("error:"));
    shorten(named.or_else(|| lines.next_back()).unwrap_or("no message"))
}

fn shorten(text: &str) -> String {
    let visible = text.chars().filter(|c| !c.is_control());
    visible.take(300).collect::<String>().trim().to_owned()
}

/// Whether the server may have carried out a push that failed here.
pub(crate) fn is_uncertain(error: &GitError) -> bool {
    matches!(
        error,
        GitError::Unavailable(_) | GitError::Timeout { .. } | GitError::TooLarge { .. }
    )
}
