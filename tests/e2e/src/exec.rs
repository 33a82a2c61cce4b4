//! Commands in containers, as people and scripts run them.

use std::process::Command;

use causeway_testkit::{Finished, binary, run, run_with_input, which_or_skip};

use crate::program::Up;

fn up() -> Up {
    let up = Up::start();
    up.wait_for_health("guestbook", "HEALTHY");
    up
}

fn exec(up: &Up, flags: &[&str], command: &[&str]) -> Finished {
    let arguments = [&["app", "exec", "guestbook"], flags, &["--"], command].concat();
    up.cli(&arguments)
}

#[test]
fn exec_behaves_like_a_local_command() {
    let up = up();
    let hello = exec(&up, &[], &["echo", "hello", "there"]);
    assert_eq!(hello.expect_success(), "hello there\n");
    let script = ["sh", "-c", "echo out; echo err >&2; exit 42"];
    let failed = exec(&up, &[], &script);
    assert_eq!(
        (failed.status.code(), &*failed.stdout, &*failed.stderr),
        (Some(42), "out\n", "err\n")
    );
    let absent = exec(&up, &[], &["no-such-program"]);
    assert_eq!(absent.status.code(), Some(1));
    assert!(absent.stderr.contains("not found"), "{}", absent.stderr);
    let input = "line\n".repeat(100_000);
    let cat = ["app", "exec", "guestbook", "-i", "--", "cat"];
    let echoed = run_with_input(&mut up.cli_command(&cat), &input);
    assert_eq!(echoed.status.code(), Some(0), "{}", echoed.stderr);
    assert!(echoed.stdout == input, "{} bytes", echoed.stdout.len());
    // A script has no terminal to give.
    let cat = ["app", "exec", "guestbook", "-it", "--", "cat"];
    let piped = run_with_input(&mut up.cli_command(&cat), "piped\n");
    assert_eq!(piped.stdout, "piped\n");
    assert!(piped.stderr.contains("no terminal"), "{}", piped.stderr);

    let deployment = up.application("guestbook").unwrap()["status"]["resources"]
        .as_array()
        .and_then(|all| all.iter().find(|it| it["kind"] == "Deployment"))
        .and_then(|it| {
            Some((
                it["namespace"].as_str()?.to_owned(),
                it["name"].as_str()?.to_owned(),
            ))
        });
    let (namespace, name) = deployment.unwrap();
    let workload = format!("deploy/{name}");
    let by_resource = [
        "resource", "exec", &workload, "-n", &namespace, "--", "hostname",
    ];
    let host = up.cli(&by_resource).expect_success();
    assert!(host.starts_with(&name), "{host}");
    let by_pod = exec(&up, &["--pod", host.trim()], &["hostname"]);
    assert_eq!(by_pod.expect_success(), host);
    let never = exec(&up, &["--pod", "never"], &["hostname"]);
    assert_eq!(never.status.code(), Some(4), "{}", never.stderr);
    let container = exec(&up, &["-c", "never"], &["hostname"]);
    assert_eq!(container.status.code(), Some(4), "{}", container.stderr);
    assert_eq!(up.cli(&["app", "exec", "guestbook"]).status.code(), Some(2));

    let id = "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a0e1";
    let with_id = || exec(&up, &["--request-id", id], &["true"]);
    with_id().expect_success();
    let again = with_id();
    assert_eq!(again.status.code(), Some(1));
    assert!(
        again.stderr.contains("none is run twice"),
        "{}",
        again.stderr
    );
    let audit = up.cli(&["audit", "list"]).expect_success();
    assert!(audit.contains("exec/echo hello there"), "{audit}");
}

#[test]
fn exec_uses_the_local_terminal() {
    let Some(script) = which_or_skip("script") else {
        return;
    };
    let up = up();
    let words = "app exec guestbook -it --";
    let sized = format!(
        "stty rows 33 cols 111; {} {words} stty size",
        binary().display()
    );
    let mut command = Command::new(script);
    command.args(["-qec", &sized, "/dev/null"]);
    command.env("CAUSEWAY_CONFIG", up.contexts());
    let finished = run(&mut command);
    assert!(
        finished.stdout.contains("33 111"),
        "{}{}",
        finished.stdout,
        finished.stderr
    );
}
