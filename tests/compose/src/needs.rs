//! What a machine must have for images to be built and started on it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use causeway_testkit::skip;

const PROGRAMS: [&str; 11] = [
    "aardvark-dns",
    "buildah",
    "conmon",
    "crun",
    "debootstrap",
    "ip",
    "iptables",
    "netavark",
    "nsenter",
    "podman",
    "unshare",
];
/// Where Debian has what podman starts by itself.
const PLACES: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/podman";

/// Whether the tests on real images can run here. Where not, the test is skipped.
pub(crate) fn are_met() -> bool {
    let Some(missing) = missing() else {
        return true;
    };
    skip(&missing);
    false
}

fn missing() -> Option<String> {
    if !rustix::process::geteuid().is_root() {
        return Some("it takes root".to_owned());
    }
    // The binary that is put into the image was built here.
    let system = fs::read_to_string("/etc/os-release").unwrap_or_default();
    if !system.contains("VERSION_CODENAME=bookworm") {
        return Some("this machine is no Debian 12, for which the image's binary is".to_owned());
    }
    let absent: Vec<_> = PROGRAMS.iter().filter(|name| !is_there(name)).collect();
    if !absent.is_empty() {
        return Some(format!("{absent:?} missing, which .ci/install installs"));
    }
    if podman_compose().is_none() {
        return Some("podman-compose is missing, which .ci/install installs".to_owned());
    }
    if postgresql().is_none() {
        return Some("PostgreSQL is missing, which .ci/install installs".to_owned());
    }
    let boxes = Command::new("unshare")
        .args(["--mount", "--pid", "--net", "--fork", "true"])
        .status();
    if boxes.is_ok_and(|status| status.success()) {
        None
    } else {
        Some("no namespaces can be had".to_owned())
    }
}

fn is_there(program: &str) -> bool {
    PLACES
        .split(':')
        .any(|folder| Path::new(folder).join(program).exists())
}

/// Where `podman-compose` is.
pub(crate) fn podman_compose() -> Option<PathBuf> {
    let own = crate::file::root().join(".ci/tools/python/bin/podman-compose");
    let installed = PathBuf::from("/usr/local/bin/podman-compose");
    [own, installed].into_iter().find(|file| file.exists())
}

/// The folder `/usr/lib/postgresql/VERSION` of this machine's PostgreSQL.
pub(crate) fn postgresql() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.filter_map(|entry| Some(entry.ok()?.path()));
    folders
        .filter(|folder| folder.join("bin/postgres").exists())
        .max()
}
