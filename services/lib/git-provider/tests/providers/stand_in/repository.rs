//! A bare repository with what a provider keeps beside it.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use tempfile::TempDir;

use crate::suite::SEED;

/// Reads of a new pull request until its mergeability is computed.
const COMPUTES: u32 = 4;

pub(crate) struct Repository {
    folder: TempDir,
    pub(crate) pulls: Vec<Pull>,
    /// Commit, context, state, description and URL, the newest last.
    pub(crate) statuses: Vec<[String; 5]>,
    pub(crate) hooks: Vec<Hook>,
    next_hook: u64,
    is_protected: bool,
}

pub(crate) struct Pull {
    pub(crate) number: u64,
    pub(crate) title: String,
    pub(crate) author: String,
    pub(crate) head: String,
    pub(crate) base: String,
    pub(crate) state: &'static str,
    pub(crate) merged: Option<String>,
    /// User and commit.
    pub(crate) approvals: Vec<(String, String)>,
    pub(crate) comments: Vec<(String, String)>,
    pub(crate) is_scheduled: bool,
    last_head: String,
    reads: u32,
}

pub(crate) struct Hook {
    pub(crate) id: u64,
    pub(crate) body: serde_json::Value,
    pub(crate) deliveries: u64,
}

/// What a merge finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readiness {
    Computing,
    Ready,
    Conflicts,
    RulesNotMet,
}

impl Pull {
    /// An empty name stands for each branch.
    pub(crate) fn is_between(&self, (head, base): (&str, &str)) -> bool {
        let is_named = |name: &str, wanted: &str| wanted.is_empty() || name == wanted;
        is_named(&self.head, head) && is_named(&self.base, base)
    }

    /// True if a list filtered by this state contains it; "open" has another word at each provider.
    pub(crate) fn is_in(&self, open: &str, wanted: &str) -> bool {
        wanted != open || self.state == "open"
    }
}

impl Repository {
    pub(crate) fn new() -> Self {
        let repository = Self {
            folder: TempDir::new().unwrap(),
            pulls: Vec::new(),
            statuses: Vec::new(),
            hooks: Vec::new(),
            next_hook: 1,
            is_protected: false,
        };
        repository.git(&["init", "--quiet", "--bare", "--initial-branch=main"], "");
        for (path, text) in SEED {
            repository.commit("main", path, text);
        }
        repository
    }

    /// Runs Git; absent where it fails.
    fn try_git(&self, arguments: &[&str], input: &str) -> Option<String> {
        let mut child = Command::new("git")
            .args(arguments)
            .current_dir(self.folder.path())
            .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("LC_ALL", "C")])
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Seed")))
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "s@example.com")))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        output.status.success().then_some(text)
    }

    fn git(&self, arguments: &[&str], input: &str) -> String {
        let output = self.try_git(arguments, input);
        output.unwrap_or_else(|| panic!("git {arguments:?}"))
    }

    pub(crate) fn commit(&self, branch: &str, path: &str, text: &str) -> String {
        let parent = self.head(branch).or_else(|| self.head("main"));
        let from = parent.map_or_else(String::new, |parent| format!("from {parent}\n"));
        let length = text.len();
        let stream = format!(
            "commit refs/heads/{branch}\ncommitter Seed <s@example.com> 1700000000 +0000\ndata 4\nseed\n{from}M 100644 inline {path}\ndata {length}\n{text}\n"
        );
        self.git(&["fast-import", "--quiet", "--force"], &stream);
        self.head(branch).unwrap()
    }

    pub(crate) fn head(&self, branch: &str) -> Option<String> {
        let reference = format!("refs/heads/{branch}");
        let found = self.try_git(&["rev-parse", "--verify", "--quiet", &reference], "")?;
        Some(found.trim().to_owned())
    }

    pub(crate) fn protect(&mut self, _branch: &str) {
        self.is_protected = true;
    }

    pub(crate) fn branches(&self) -> Vec<(String, String)> {
        let format = "--format=%(refname:lstrip=2) %(objectname)";
        let found = self.git(&["for-each-ref", format, "refs/heads"], "");
        let pair = |line: &str| {
            line.split_once(' ')
                .map(|(a, b)| (a.to_owned(), b.to_owned()))
        };
        found.lines().filter_map(pair).collect()
    }

    /// Kind and path of the entries of a folder.
    pub(crate) fn entries(&self, at: &str, folder: &str) -> Vec<(String, String)> {
        let folder = (!folder.is_empty()).then(|| format!("{folder}/"));
        let mut list = vec!["ls-tree", at];
        list.extend(folder.as_deref());
        let found = self.git(&list, "");
        let row = |line: &str| {
            let (mode, path) = line.split_once('\t')?;
            Some((mode.split(' ').nth(1)?.to_owned(), path.to_owned()))
        };
        found.lines().filter_map(row).collect()
    }

    pub(crate) fn file(&self, at: &str, path: &str) -> Option<String> {
        self.try_git(&["show", &format!("{at}:{path}")], "")
    }

    /// Commits with the files of each.
    pub(crate) fn compare(&self, base: &str, head: &str) -> Vec<(String, Vec<String>)> {
        let range = format!("{base}..{head}");
        let commits = self.git(&["rev-list", "--reverse", &range], "");
        let files = |commit: &str| {
            let show = ["show", "--name-only", "--format=", commit];
            self.git(&show, "").lines().map(str::to_owned).collect()
        };
        commits
            .lines()
            .map(|commit| (commit.to_owned(), files(commit)))
            .collect()
    }

    pub(crate) fn open(
        &mut self,
        author: &str,
        title: &str,
        (head, base): (&str, &str),
    ) -> Option<u64> {
        let is_same = |pull: &Pull| pull.state == "open" && pull.head == head && pull.base == base;
        if self.pulls.iter().any(is_same) {
            return None;
        }
        let number = self.pulls.len() as u64 + 1;
        self.pulls.push(Pull {
            number,
            title: title.to_owned(),
            author: author.to_owned(),
            head: head.to_owned(),
            base: base.to_owned(),
            state: "open",
            merged: None,
            approvals: Vec::new(),
            comments: Vec::new(),
            is_scheduled: false,
            last_head: String::new(),
            reads: 0,
        });
        Some(number)
    }

    pub(crate) fn pull(&mut self, number: &str) -> Option<&mut Pull> {
        let number: u64 = number.parse().ok()?;
        self.pulls.iter_mut().find(|pull| pull.number == number)
    }

    /// Counts a read, which is what a computation takes here.
    pub(crate) fn read(&mut self, number: &str) -> u32 {
        self.pull(number).map_or(0, |pull| {
            pull.reads += 1;
            pull.reads
        })
    }

    /// The whole id of a commit or branch.
    pub(crate) fn resolve(&self, commit: &str) -> Option<String> {
        let found = self.try_git(&["rev-parse", "--verify", "--quiet", commit], "")?;
        Some(found.trim().to_owned())
    }

    pub(crate) fn pull_head(&self, pull: &Pull) -> String {
        let closed = pull.last_head.clone();
        let open = (pull.state == "open")
            .then(|| self.head(&pull.head))
            .flatten();
        open.unwrap_or(closed)
    }

    pub(crate) fn readiness(&self, pull: &Pull) -> Readiness {
        if pull.reads < COMPUTES {
            return Readiness::Computing;
        }
        let merge = ["merge-tree", "--write-tree", pull.base.as_str(), &pull.head];
        if self.try_git(&merge, "").is_none() {
            return Readiness::Conflicts;
        }
        let head = self.pull_head(pull);
        let latest = self.statuses.iter().rev();
        let mut latest = latest.filter(|status| status[0] == head && status[1] == "ci");
        let is_green = latest.next().is_some_and(|status| status[2] == "success");
        if self.is_protected && (!is_green || pull.approvals.is_empty()) {
            return Readiness::RulesNotMet;
        }
        Readiness::Ready
    }

    /// Merges by Git itself.
    pub(crate) fn merge(&mut self, number: &str, message: &str) -> Option<String> {
        let pull = self
            .pulls
            .iter()
            .find(|pull| pull.number.to_string() == number)?;
        let (base, head) = (self.head(&pull.base)?, self.head(&pull.head)?);
        let tree = self.try_git(&["merge-tree", "--write-tree", &base, &head], "")?;
        let parents = ["commit-tree", tree.trim(), "-p", &base, "-p", &head];
        let commit = self.git(&parents, message).trim().to_owned();
        let reference = format!("refs/heads/{}", pull.base);
        self.git(&["update-ref", &reference, &commit, &base], "");
        let pull = self.pull(number)?;
        pull.state = "merged";
        pull.last_head = head;
        pull.merged = Some(commit.clone());
        Some(commit)
    }

    pub(crate) fn close(&mut self, number: &str) {
        let heads = self.branches();
        let Some(pull) = self.pull(number) else {
            return;
        };
        let head = heads.into_iter().find(|(name, _)| *name == pull.head);
        pull.last_head = head.map(|(_, commit)| commit).unwrap_or_default();
        pull.state = "closed";
    }

    /// Does what was scheduled and has become possible.
    pub(crate) fn run_scheduled(&mut self) {
        let is_due = |pull: &&Pull| pull.is_scheduled && pull.state == "open";
        let due: Vec<_> = self
            .pulls
            .iter()
            .filter(is_due)
            .map(|pull| pull.number)
            .collect();
        for number in due {
            let pull = self
                .pulls
                .iter()
                .find(|pull| pull.number == number)
                .unwrap();
            if self.readiness(pull) == Readiness::Ready {
                self.merge(&number.to_string(), "scheduled");
            }
        }
    }

    pub(crate) fn add_hook(&mut self, body: serde_json::Value) -> u64 {
        let id = self.next_hook;
        self.next_hook += 1;
        self.hooks.push(Hook {
            id,
            body,
            deliveries: 1,
        });
        id
    }
}
