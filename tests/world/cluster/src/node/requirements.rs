//! Requirements of a node, checked before anything is created.

use std::{fs, path::Path, process::Command};

use super::NodeError;

const PROGRAMS: [&str; 11] = [
    "bash",
    "containerd",
    "containerd-shim-runc-v2",
    "ctr",
    "find",
    "flock",
    "ip",
    "nft",
    "nsenter",
    "runc",
    "unshare",
];
const PLUGINS: [&str; 4] = ["bridge", "host-local", "loopback", "portmap"];
/// Those that kubelet and runc use of cgroup version 1.
const CONTROLLERS: [&str; 7] = [
    "blkio", "cpu", "cpuacct", "cpuset", "devices", "memory", "pids",
];
/// The box has its own at these places, so a folder below them would not be seen in it.
const HIDDEN: [&str; 5] = ["/proc", "/run", "/sys", "/var/lib", "/var/log"];

/// Takes the folder below which the cluster's own will be.
///
/// Errors: the missing requirement and how to meet it.
pub(super) fn check(folder: &Path) -> Result<(), NodeError> {
    if !rustix::process::geteuid().is_root() {
        return Err(NodeError::NotRoot);
    }
    let missing = missing(&PROGRAMS, &PLUGINS);
    if !missing.is_empty() {
        return Err(NodeError::Missing {
            what: missing.join(", "),
        });
    }
    let joined = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let absent = absent_controllers(&joined);
    if !absent.is_empty() {
        return Err(NodeError::NoControllers {
            which: absent.join(", "),
        });
    }
    if HIDDEN.iter().any(|hidden| folder.starts_with(hidden)) {
        Err(NodeError::Hidden {
            folder: folder.to_owned(),
        })
    } else {
        Ok(())
    }
}

fn missing(programs: &[&str], plugins: &[&str]) -> Vec<String> {
    let absent = programs.iter().filter(|program| {
        let looked = Command::new("sh")
            .args(["-c", "command -v \"$0\" >/dev/null", program])
            .status();
        !looked.is_ok_and(|status| status.success())
    });
    let plugins = plugins
        .iter()
        .map(|plugin| format!("/usr/lib/cni/{plugin}"));
    let plugins = plugins.filter(|plugin| !Path::new(plugin).exists());
    absent
        .map(|&program| program.to_owned())
        .chain(plugins)
        .collect()
}

/// Reads `/proc/self/cgroup`: lines of `NUMBER:CONTROLLER,…:PATH`.
fn absent_controllers(joined: &str) -> Vec<&'static str> {
    let lines = joined.lines().filter_map(|line| line.split(':').nth(1));
    let present: Vec<&str> = lines.flat_map(|names| names.split(',')).collect();
    let absent = CONTROLLERS.iter().filter(|name| !present.contains(name));
    absent.copied().collect()
}

#[cfg(test)]
mod tests;
