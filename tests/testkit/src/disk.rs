//! Disk that can be filled: a small file system in a private mount namespace of a program and its children, which ends with them.
#![expect(
    clippy::unwrap_used,
    reason = "only tests call this, and it documents its panics"
)]

use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
};

use crate::skip;

/// Arguments: size, folder, program.
const MOUNT: &str = r#"mount -t tmpfs -o "size=$1,mode=1777" tmpfs "$2" && shift 2 && exec "$@""#;
const CHUNKS: [usize; 2] = [64 << 10, 1 << 10];

const NO_NAMESPACE: &str = "a full disk needs a mount namespace, which this user cannot have";

/// The disk, seen from outside its namespace.
#[derive(Debug)]
pub struct Disk {
    folder: PathBuf,
}

impl Disk {
    /// Returns the command prefix that mounts a disk of this size (in the notation of `mount`), to be followed by a folder and
    /// the command. Where namespaces are unavailable the test is skipped.
    pub fn starter(size: &str) -> Option<Vec<String>> {
        let root = ["unshare", "--mount"].as_slice();
        let anyone = ["unshare", "--user", "--map-root-user", "--mount"].as_slice();
        let ways = [root, anyone];
        let Some(way) = ways.into_iter().find(|way| works(way)) else {
            skip(NO_NAMESPACE);
            return None;
        };
        let mount = ["sh", "-c", MOUNT, "disk", size];
        let words = way.iter().chain(&mount);
        Some(words.map(|&word| word.to_owned()).collect())
    }

    /// Wraps a command that needs root to switch its user.
    pub(crate) fn under(command: &Command, size: &str, folder: &Path) -> Option<Command> {
        if !works(&["unshare", "--mount"]) {
            skip(NO_NAMESPACE);
            return None;
        }
        let mut under = Command::new("unshare");
        under.args(["--mount", "sh", "-c", MOUNT, "disk", size]);
        under.arg(folder).arg(command.get_program());
        under.args(command.get_args());
        Some(under)
    }

    /// Returns the disk of a process started with the prefix.
    ///
    /// # Panics
    /// The folder is not absolute.
    pub fn of(process: u32, folder: &Path) -> Self {
        let root = PathBuf::from(format!("/proc/{process}/root"));
        let within = folder.strip_prefix("/").unwrap();
        Self {
            folder: root.join(within),
        }
    }

    /// Fills the remaining space.
    ///
    /// # Panics
    /// The disk cannot be written at all.
    pub fn fill(&self) {
        let mut file = File::create(self.filler()).unwrap();
        for size in CHUNKS {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
    }

    /// Frees the filled space.
    ///
    /// # Panics
    /// It was not filled.
    pub fn make_room(&self) {
        fs::remove_file(self.filler()).unwrap();
    }

    fn filler(&self) -> PathBuf {
        self.folder.join("filler")
    }
}

fn works(way: &[&str]) -> bool {
    let mut command = Command::new(way[0]);
    command.args(&way[1..]);
    command.args(["sh", "-c", "mount -t tmpfs tmpfs /mnt"]);
    command.output().is_ok_and(|done| done.status.success())
}

#[test]
fn full_disk_rejects_writes_until_space_is_freed() {
    let Some(starter) = Disk::starter("1m") else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let mut command = Command::new(&starter[0]);
    command.args(&starter[1..]).arg(place.path());
    command.args(["sh", "-c", "echo ready; read -r end"]);
    command.stdin(std::process::Stdio::piped());
    command.stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut said = [0; 6];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut said).unwrap();
    let disk = Disk::of(child.id(), place.path());
    disk.fill();
    let another = disk.folder.join("another");
    assert!(fs::write(&another, [0; 4096]).is_err());
    disk.make_room();
    fs::write(&another, [0; 4096]).unwrap();
    assert!(fs::read_dir(place.path()).unwrap().next().is_none());
    drop(child.stdin.take());
    child.wait().unwrap();
}
