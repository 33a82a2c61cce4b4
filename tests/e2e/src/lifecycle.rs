//! Starting again after every kind of end.

use rustix::process::{Pid, Signal, kill_process};

use crate::program::{SOON, Up};

#[test]
fn acknowledged_state_survives_a_kill_and_the_runtime_reconnects() {
    let up = Up::start();
    up.wait_for_health("guestbook", "HEALTHY");
    let sha = up.push(
        "guestbook/deployment.yaml",
        |text| text.replace("replicas: 2", "replicas: 3"),
        "Before the kill",
    );
    let at = |application: &serde_json::Value| {
        application["status"]["sync"]["revisions"][0] == sha.as_str()
    };
    up.wait_for("guestbook", "at the commit", at);
    let key = up.api_key();

    let up = Up::start_in(up.kill(), &[]);
    assert_eq!(up.api_key(), key);
    assert!(
        at(&up.application("guestbook").unwrap()),
        "the state is not there right after the start"
    );
    let synced = up.wait_for_sync("guestbook");
    assert!(synced.contains("Succeeded"), "{synced}");
    let sha = up.push(
        "guestbook/deployment.yaml",
        |text| text.replace("replicas: 3", "replicas: 4"),
        "After the kill",
    );
    up.wait_for("guestbook", "at the next commit", |application| {
        application["status"]["sync"]["revisions"][0] == sha.as_str()
    });
}

#[test]
fn interrupt_drains_despite_an_open_watch() {
    // What holds the drain is cut at its end, with a warning: far off, so that a busy machine is no failure.
    let environment = [("CAUSEWAY_DRAIN_TIMEOUT", "60s")];
    let mut up = Up::start_in(tempfile::tempdir().unwrap(), &environment);
    up.wait_for_health("guestbook", "HEALTHY");
    let mut watch = causeway_testkit::Child::start(&mut up.cli_command(&["app", "watch"]));
    watch.wait_for_line("the watch", SOON, |line| {
        line.contains("guestbook").then_some(())
    });
    let before = up.child.lines().len();
    let pid = Pid::from_raw(i32::try_from(up.child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    let status = up.child.wait(SOON);
    assert!(
        status.success(),
        "{status}\n{}",
        up.child.lines().join("\n")
    );
    let said = up.child.lines().split_off(before);
    let quiet = !said.iter().any(|line| line.contains(" WARN "));
    assert!(quiet, "{}", said.join("\n"));
}

impl Up {
    /// Syncs as soon as the runtime is back.
    fn wait_for_sync(&self, name: &str) -> String {
        causeway_testkit::wait_until_blocking("a sync", SOON, || {
            let synced = self.cli(&["app", "sync", name]);
            if synced.status.success() {
                Ok(synced.stdout)
            } else {
                Err(synced.stderr)
            }
        })
    }
}
