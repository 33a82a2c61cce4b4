//! compose.yaml as people start it: every service in a container, the platform reached by the port that is open.

use std::{fs, time::Duration};

use causeway_testkit::{Finished, run, wait_until_blocking};
use serde_json::Value;

use crate::{
    base,
    file::{compose, root},
    image, needs, others, watched,
    workplace::Workplace,
};

const SOON: Duration = Duration::from_secs(300);
/// What is said to Compose beside the file, in the box's folder.
const BESIDE: &str = "beside.json";

struct Stack {
    workplace: Workplace,
    beside: Value,
}

impl Stack {
    fn open() -> Self {
        let workplace = Workplace::open();
        base::import(&workplace);
        image::build(&workplace, image::NAME);
        let beside = others::build(&workplace);
        fs::write(workplace.folder().join(BESIDE), beside.to_string()).unwrap();
        Self { workplace, beside }
    }

    #[track_caller]
    fn compose(&self, words: &[&str]) -> String {
        let program = needs::podman_compose().unwrap();
        let mut command = self.workplace.apart(&program.display().to_string());
        let files = [
            root().join("compose/compose.yaml"),
            self.workplace.folder().join(BESIDE),
        ];
        for file in files {
            command.arg("--file").arg(file);
        }
        run(command.args(words)).expect_success()
    }

    /// The command line, beside the containers and by the port that is open to who has the machine.
    fn cli(&self, words: &[&str]) -> Finished {
        let key = self.workplace.folder().join("admin.key");
        let program = self.workplace.folder().join("context/causeway");
        let mut command = self.workplace.apart(&program.display().to_string());
        command
            .args(words)
            .args(["--address", "http://127.0.0.1:7400"]);
        run(command.arg("--api-key-file").arg(key))
    }

    /// Takes the admin's key as the README says.
    fn take_key(&self) {
        let key = wait_until_blocking("the admin's key", SOON, || {
            let read = [
                "exec",
                "causeway_platform_1",
                "cat",
                "/var/lib/causeway/admin/admin.key",
            ];
            let read = self.workplace.try_podman(&read);
            if read.status.success() {
                Ok(read.stdout)
            } else {
                Err(format!("{}\n{}", read.stderr, self.logs()))
            }
        });
        fs::write(self.workplace.folder().join("admin.key"), key).unwrap();
    }

    #[track_caller]
    fn until(&self, what: &str, words: &[&str], wanted: impl Fn(&Finished) -> bool) -> String {
        wait_until_blocking(what, SOON, || {
            let done = self.cli(words);
            if wanted(&done) {
                Ok(done.stdout)
            } else {
                Err(format!("{done:?}\n{}", self.logs()))
            }
        })
    }

    /// The names of the containers, in the order in which they were made.
    fn containers(&self) -> Vec<String> {
        let listed =
            self.workplace
                .podman(&["ps", "--all", "--sort", "created", "--format", "{{.Names}}"]);
        listed.lines().map(str::to_owned).collect()
    }

    /// The last that each container has said, for a test that fails.
    fn logs(&self) -> String {
        let last = |name: &String| {
            let said = self.workplace.try_podman(&["logs", "--tail", "4", name]);
            format!("{name}: {}{}", said.stdout, said.stderr)
        };
        self.containers().iter().map(last).collect()
    }

    /// Through the tunnel, until the end of the operation was reported.
    #[track_caller]
    fn acts(&self) {
        let synced = self.until("a sync", &["app", "sync", "guestbook"], |synced| {
            synced.status.success()
        });
        assert!(synced.contains("Succeeded"), "{synced}");
    }

    /// And the key that makes the keys of the platform's parts is another one after that.
    fn survives_the_end_of_everything_at_once(&self) {
        let key = "/var/lib/causeway/platform/keys/parts.pem";
        let podman = |words: &[&str]| self.workplace.podman(words);
        podman(&["exec", "causeway_platform_1", "rm", key]);
        // One that is told nothing of restarts ends too, and stays so.
        let once = ["run", "--detach", "--name", "once", "--network", "none"];
        podman(
            &[
                &once[..],
                &["--entrypoint", "sleep", image::NAME, "infinity"],
            ]
            .concat(),
        );
        let running = podman(&["ps", "--format", "{{.Pid}}"]);
        let mut kill = self.workplace.apart("kill");
        run(kill.arg("-9").args(running.lines())).expect_success();
        self.acts();
        let state = podman(&["inspect", "--format", "{{.State.Status}}", "once"]);
        assert_eq!(state, "exited");
        podman(&["rm", "once"]);
    }

    /// What it does is seen, by those who came with it.
    fn is_watched(&self) {
        if !others::is_watched(&self.beside) {
            return;
        }
        let compose = compose();
        let until = |what: &str, seen: &dyn Fn() -> Result<(), String>| {
            wait_until_blocking(what, SOON, seen);
        };
        until("one trace of the sync in Jaeger", &|| {
            watched::one_trace(&self.workplace)
        });
        until("all parts up in Prometheus", &|| {
            watched::every_part_is_up(&self.workplace, &compose)
        });
        until("all alerts in Prometheus", &|| {
            watched::every_alert_is_there(&self.workplace)
        });
    }

    #[track_caller]
    fn shows_its_applications(&self) {
        let all = self.until("the applications", &["app", "list"], |listed| {
            let names = ["guestbook", "apps", "broken"];
            names.iter().all(|name| listed.stdout.contains(name))
        });
        assert!(all.contains("local"), "{all}");
    }
}

#[test]
fn stack_starts_in_any_order_acts_and_leaves_nothing_behind() {
    if !needs::are_met() {
        return;
    }
    let stack = Stack::open();
    stack.compose(&["up", "--no-start"]);
    // As unlucky as it can be: what others wait for comes last.
    let mut names = stack.containers();
    names.reverse();
    for name in &names {
        stack.workplace.podman(&["start", name]);
    }
    stack.take_key();
    stack.shows_its_applications();
    stack.acts();
    let status = stack.until("twelve healthy parts", &["status"], |status| {
        status.status.success()
    });
    assert_eq!(status.lines().count(), 13, "{status}");
    stack.is_watched();

    stack.survives_the_end_of_everything_at_once();

    // What was made stays, and there is a command line in a container too.
    stack.compose(&["down"]);
    stack.compose(&["up", "--detach"]);
    stack.shows_its_applications();
    let listed = stack.compose(&[
        "--profile",
        "cli",
        "run",
        "--rm",
        "-T",
        "cli",
        "app",
        "list",
    ]);
    assert!(listed.contains("guestbook"), "{listed}");

    stack.compose(&["down", "--volumes"]);
    assert_eq!(stack.containers(), Vec::<String>::new());
    let volumes = stack.workplace.podman(&["volume", "ls", "--quiet"]);
    assert_eq!(volumes, "");
    let networks = stack.workplace.podman(&["network", "ls", "--quiet"]);
    assert_eq!(networks, "podman");
}
