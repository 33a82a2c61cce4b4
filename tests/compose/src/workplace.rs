//! Where images are built and started: a box of namespaces on this machine, with a network of its own and images of its own.
//!
//! Owns: that nothing of it is left, however the test ends: its first process ends with a pipe whose other end is held here, with it
//! go all processes, mounts and networks, and `host.sh`, which stands beside it, removes the folder. Never: knows what runs in it.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
};

use causeway_testkit::{Finished, run};

const FILES: [(&str, &str); 4] = [
    ("host.sh", include_str!("workplace/host.sh")),
    ("box.sh", include_str!("workplace/box.sh")),
    ("containers.conf", include_str!("workplace/containers.conf")),
    ("storage.conf", include_str!("workplace/storage.conf")),
];

/// Its drop ends it and waits until nothing is left.
pub(crate) struct Workplace {
    folder: PathBuf,
    process: u32,
    network: u32,
    host: Child,
    input: Option<ChildStdin>,
}

impl Workplace {
    pub(crate) fn open() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("causeway-compose-")
            .tempdir()
            .unwrap()
            .keep();
        for (name, text) in FILES {
            let text = text.replace("{folder}", &folder.display().to_string());
            fs::write(folder.join(name), text).unwrap();
        }
        fs::create_dir(folder.join("tmp")).unwrap();
        // A group of its own, so that what ends the test by its group does not end the clean-up.
        let mut host = Command::new("bash")
            .arg(folder.join("host.sh"))
            .arg(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut said = BufReader::new(host.stdout.take().unwrap()).lines();
        let mut next = |name: &str| -> u32 {
            let line = said
                .next()
                .unwrap_or_else(|| panic!("the box tells no {name}"));
            let line = line.unwrap();
            let number = line.strip_prefix(name).map(str::trim).map(str::parse);
            number.unwrap_or_else(|| panic!("{line}")).unwrap()
        };
        Self {
            process: next("process"),
            network: next("network"),
            input: host.stdin.take(),
            host,
            folder,
        }
    }

    /// A folder that the box and its tools see, gone with the box.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A path of the box, as this process sees it.
    pub(crate) fn seen(&self, path: &Path) -> PathBuf {
        let within = path.strip_prefix("/").unwrap();
        PathBuf::from(format!("/proc/{}/root", self.process)).join(within)
    }

    /// A command in the box, on the network of the host: where images are built of packages that are fetched.
    pub(crate) fn command(&self, program: &str) -> Command {
        self.enter(&[], program)
    }

    /// A command in the box and on its own network: where images run.
    pub(crate) fn apart(&self, program: &str) -> Command {
        let network = format!("--net=/proc/{}/ns/net", self.network);
        self.enter(&[network], program)
    }

    /// Runs `podman` on the box's own network to its good end, and gives what it printed.
    #[track_caller]
    pub(crate) fn podman(&self, words: &[&str]) -> String {
        self.try_podman(words).expect_success().trim().to_owned()
    }

    pub(crate) fn try_podman(&self, words: &[&str]) -> Finished {
        run(self.apart("podman").args(words))
    }

    fn enter(&self, more: &[String], program: &str) -> Command {
        let mut command = Command::new("nsenter");
        let target = self.process.to_string();
        command.args(["--target", &target, "--mount", "--pid", "--uts", "--ipc"]);
        command.args(more).arg(program);
        command
            .env("CONTAINERS_CONF", self.folder.join("containers.conf"))
            .env("CONTAINERS_STORAGE_CONF", self.folder.join("storage.conf"))
            .env("TMPDIR", self.folder.join("tmp"))
            .env_remove("XDG_RUNTIME_DIR");
        command
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        drop(self.input.take());
        let ended = self.host.wait();
        let clean = ended.is_ok_and(|status| status.success()) && !self.folder.exists();
        assert!(
            clean || std::thread::panicking(),
            "{} is left",
            self.folder.display()
        );
    }
}

#[test]
fn a_box_leaves_no_process_no_mount_and_no_folder() {
    if !crate::needs::are_met() {
        return;
    }
    let workplace = Workplace::open();
    let folder = workplace.folder().to_owned();
    let mounted = run(workplace
        .apart("mount")
        .args(["-t", "tmpfs", "tmpfs", "/mnt"]));
    mounted.expect_success();
    assert!(workplace.seen(Path::new("/mnt")).exists());
    let process = workplace.process;
    drop(workplace);
    assert!(!Path::new(&format!("/proc/{process}")).exists());
    assert!(!folder.exists());
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(!mounts.contains(&folder.display().to_string()), "{mounts}");
}
