//! The image `debian:bookworm-slim` where no registry can be reached: made of Debian's packages, once for all runs.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

use causeway_testkit::run;

use crate::workplace::Workplace;

const SCRIPT: &str = include_str!("base.sh");
/// What FROM names, as tools write it out.
pub(crate) const NAME: &str = "docker.io/library/debian:bookworm-slim";
/// What else belongs to the image.
const CHANGES: [&str; 2] = [
    "CMD [\"bash\"]",
    "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
];

/// Gives a workplace the image that the project's own stands on.
pub(crate) fn import(workplace: &Workplace) {
    let archive = archive();
    let mut import = workplace.command("podman");
    import.arg("import");
    for change in CHANGES {
        import.args(["--change", change]);
    }
    run(import.arg(archive).arg(NAME)).expect_success();
}

/// Makes the archive where it is not there; of several who want it, one makes it and the others wait.
fn archive() -> PathBuf {
    let home = std::env::home_dir().unwrap_or_else(std::env::temp_dir);
    let folder = home.join(".cache/causeway/compose");
    fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let file = folder.join(format!("debian-bookworm-slim-{}.tar", digest()));
    if !file.exists() {
        make(&folder, &file);
    }
    file
}

/// In namespaces of its own, so that what debootstrap mounts goes with it.
fn make(folder: &Path, file: &Path) {
    let script = folder.join("base.sh");
    fs::write(&script, SCRIPT).unwrap();
    let mut make = Command::new("unshare");
    make.args(["--mount", "--pid", "--fork", "--kill-child", "bash"]);
    run(make.arg(script).arg(file)).expect_success();
}

/// So that an archive is made anew when the script has changed.
fn digest() -> String {
    let sum = SCRIPT.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{sum:016x}")
}
