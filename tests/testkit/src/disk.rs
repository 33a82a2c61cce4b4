//! A disk that fills up: a file system of a few megabytes that a program and its children alone see, in a mount namespace of their
//! own. It is gone with them.
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

/// Size, folder, and then the program.
const MOUNT: &str = r#"mount -t tmpfs -o "size=$1,mode=1777" tmpfs "$2" && shift 2 && exec "$@""#;
const CHUNKS: [usize; 2] = [64 << 10, 1 << 10];

/// Such a disk, from outside of its namespace.
#[derive(Debug)]
pub struct Disk {
    folder: PathBuf,
}

impl Disk {
    /// What begins a command so that there is a disk of this size, as `mount` says it: a folder follows, and then the command.
    /// Nothing, said in a line, where there are no namespaces for who runs this.
    pub fn starter(size: &str) -> Option<Vec<String>> {
        let root = ["unshare", "--mount"].as_slice();
        let anyone = ["unshare", "--user", "--map-root-user", "--mount"].as_slice();
        let ways = [root, anyone];
        let Some(way) = ways.into_iter().find(|way| works(way)) else {
            left_out();
            return None;
        };
        let mount = ["sh", "-c", MOUNT, "disk", size];
        let words = way.iter().chain(&mount);
        Some(words.map(|&word| word.to_owned()).collect())
    }

    /// A command that needs root to become another user, on a disk.
    pub(crate) fn under(command: &Command, size: &str, folder: &Path) -> Option<Command> {
        if !works(&["unshare", "--mount"]) {
            left_out();
            return None;
        }
        let mut under = Command::new("unshare");
        under.args(["--mount", "sh", "-c", MOUNT, "disk", size]);
        under.arg(folder).arg(command.get_program());
        under.args(command.get_args());
        Some(under)
    }

    /// The disk of a process that such a command has become.
    ///
    /// # Panics
    /// When the folder is not named from the root.
    pub fn of(process: u32, folder: &Path) -> Self {
        let root = PathBuf::from(format!("/proc/{process}/root"));
        let within = folder.strip_prefix("/").unwrap();
        Self {
            folder: root.join(within),
        }
    }

    /// Takes all room that is left.
    ///
    /// # Panics
    /// When it cannot be written to at all.
    pub fn fill(&self) {
        let mut file = File::create(self.filler()).unwrap();
        for size in CHUNKS {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
    }

    /// Gives the room back.
    ///
    /// # Panics
    /// When it was not taken.
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

fn left_out() {
    #[expect(clippy::print_stderr, reason = "a check that is left out must be seen")]
    {
        eprintln!("SKIPPED: a test of a full disk: no mount namespace can be had");
    }
}

#[test]
fn a_disk_that_was_filled_takes_nothing_until_there_is_room() {
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
