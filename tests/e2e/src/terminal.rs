//! What the program prints: in every shape, narrowed and ordered, in colours and through a pager where somebody looks; and what it says
//! of what is wrong.

mod watches;
mod whole;

use std::process::Command;

use causeway_testkit::{Child, Finished, binary, run, wait_until_blocking, which};
use serde_json::Value;

use crate::program::{SOON, Up};

fn up() -> Up {
    let up = Up::start();
    up.wait_for_health("guestbook", "HEALTHY");
    wait_until_blocking("all three in the list", SOON, || {
        let names = up.cli(&["app", "list", "-o", "name"]).stdout;
        (names.lines().count() >= 3).then_some(()).ok_or(names)
    });
    up
}

/// The same words at a terminal of few rows, with these variables.
fn at_a_terminal(up: &Up, words: &str, variables: &[(&str, &str)]) -> String {
    let sized = format!("stty rows 3 cols 150; {} {words}", binary().display());
    let mut command = Command::new(which("script").unwrap());
    command.args(["-qec", &sized, "/dev/null"]);
    command.env("CAUSEWAY_CONFIG", up.contexts());
    command.env("TERM", "xterm").env_remove("NO_COLOR");
    command.envs(variables.iter().copied());
    run(&mut command).expect_success()
}

fn code(finished: &Finished) -> Option<i32> {
    finished.status.code()
}

#[test]
fn a_list_is_printed_in_every_shape_narrowed_and_ordered() {
    let up = up();
    let list = |words: &[&str]| up.cli(&[&["app", "list"], words].concat()).expect_success();
    assert!(!list(&[]).contains("TARGET"));
    assert!(
        list(&["-o", "wide"])
            .lines()
            .next()
            .unwrap()
            .contains("TARGET")
    );
    let names = list(&["-o", "name"]);
    assert!(
        names.lines().any(|line| line == "local/argocd/guestbook"),
        "{names}"
    );
    let json: Value = serde_json::from_str(&list(&["-o", "json"])).unwrap();
    assert_eq!(
        json["applications"].as_array().unwrap().len(),
        names.lines().count()
    );
    assert!(list(&["-o", "yaml"]).contains("name: guestbook"));
    let path = list(&["-o", "jsonpath={.items[*].name}"]);
    assert!(path.split(' ').any(|name| name == "guestbook"), "{path}");
    let columns = "custom-columns=WHO:.name,STATE:.status.health.status";
    let one = ["--field-selector", "name=guestbook"];
    let columns = list(&[&["-o", columns], &one[..]].concat());
    let words: Vec<_> = columns.split_whitespace().collect();
    assert_eq!(words, ["WHO", "STATE", "guestbook", "Healthy"]);
    assert_eq!(
        list(&[&["--no-headers"], &one[..]].concat())
            .lines()
            .count(),
        1
    );
    // By names the broken one comes first, by states the last.
    let by_names = ["-o", "jsonpath={.items[*].status.health.status}"];
    wait_until_blocking("states that names do not order", SOON, || {
        let states = list(&by_names);
        states
            .starts_with("HEALTH_STATUS_MISSING ")
            .then_some(())
            .ok_or(states)
    });
    let ordered = list(&[&by_names[..], &["--sort-by", ".status.health.status"]].concat());
    let states: Vec<_> = ordered.split_whitespace().collect();
    assert!(
        states.is_sorted() && states.first() != states.last(),
        "{ordered}"
    );
    let none = up.cli(&["app", "list", "-l", "nothing=has-it"]);
    assert_eq!(
        (code(&none), &*none.stdout),
        (Some(0), ""),
        "{}",
        none.stderr
    );
    let mut watch = up.cli_command(&["app", "list", "--watch"]);
    let mut watch = Child::start(&mut watch);
    watch.wait_for_line("the application", SOON, |line| {
        line.contains("guestbook").then_some(())
    });
}

#[test]
fn mistakes_are_answered_with_the_next_step_and_an_exit_code_of_their_own() {
    let up = up();
    let near = up.cli(&["app", "get", "guestbok"]);
    assert_eq!(code(&near), Some(4));
    assert!(
        near.stderr.contains("did you mean guestbook?"),
        "{}",
        near.stderr
    );
    let verb = up.cli(&["app", "lst"]);
    assert_eq!(code(&verb), Some(2));
    assert!(verb.stderr.contains("'list'"), "{}", verb.stderr);
    let context = up.cli(&["app", "list", "--context", "nowhere"]);
    assert!(context.stderr.contains("nowhere"), "{}", context.stderr);
    let late = up.cli(&["app", "wait", "guestbook", "--suspended", "--timeout", "1s"]);
    assert_eq!(code(&late), Some(20), "{}", late.stderr);
    let soon = up.cli(&["app", "list", "--timeout", "1us"]);
    assert_eq!(code(&soon), Some(5), "{}", soon.stderr);
    let explained = up.cli(&["explain", "exit", "code", "5"]).expect_success();
    assert!(explained.contains("Try again later"), "{explained}");
    let word = up.cli(&["explain", "Degradet"]);
    assert!(word.stderr.contains("Degraded"), "{}", word.stderr);
    let folder = up.folder.path().join("man");
    up.cli(&["man", "--dir", folder.to_str().unwrap()])
        .expect_success();
    let page = std::fs::read_to_string(folder.join("causeway-app-list.1")).unwrap();
    assert!(page.contains("field\\-selector"), "{page}");
}

#[test]
fn bulk_actions_show_progress_only_on_a_terminal() {
    let up = up();
    let refresh = "app refresh --all --yes";
    let said = "refreshes are asked for";
    let shown = at_a_terminal(&up, refresh, &[]);
    assert!(
        shown.contains("asking [") && shown.contains("0% 0/"),
        "{shown}"
    );
    assert!(shown.contains(said), "{shown}");
    let bare = at_a_terminal(&up, &format!("{refresh} --no-progress"), &[]);
    assert!(!bare.contains("asking [") && bare.contains(said), "{bare}");
    let words: Vec<_> = refresh.split(' ').collect();
    let piped = up.cli(&words);
    let piped = format!("{}{}", piped.stdout, piped.stderr);
    assert!(
        !piped.contains("asking [") && piped.contains(said),
        "{piped}"
    );
}

#[test]
fn service_variables_do_not_break_commands() {
    let up = up();
    let with = |variable: (&str, &str)| {
        let mut command = up.cli_command(&["app", "list", "-o", "name"]);
        // Nobody listens there.
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
        run(command.env(variable.0, variable.1))
    };
    for variable in [
        ("OTEL_METRICS_EXPORTER", "prometheus"),
        ("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "http/protobuf"),
        ("OTEL_LOGS_EXPORTER", "otlp"),
    ] {
        let listed = with(variable);
        assert!(!listed.stderr.contains(variable.0), "{}", listed.stderr);
        assert!(listed.expect_success().contains("guestbook"));
    }
    let listed = with(("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"));
    let told = "no trace of this command is exported: OTEL_EXPORTER_OTLP_PROTOCOL";
    assert!(listed.stderr.contains(told), "{}", listed.stderr);
    assert!(listed.expect_success().contains("guestbook"));
}

#[test]
fn runtime_and_project_lists_follow_changes() {
    let up = up();
    let watched = |words: &[&str]| Child::start(&mut up.cli_command(words));
    let seen = |child: &mut Child, texts: &[&str]| {
        let all = |line: &str| texts.iter().all(|it| line.contains(it)).then_some(());
        child.wait_for_line(&texts.join(" "), SOON, all);
    };
    let mut runtimes = watched(&["runtime", "list", "--watch"]);
    seen(&mut runtimes, &["TIME", "NAME", "STATE"]);
    seen(&mut runtimes, &["local", "online"]);
    let mut documents = watched(&["runtime", "list", "--watch", "-o", "json"]);
    seen(&mut documents, &["local", "CONNECTION_ONLINE"]);
    let mut projects = watched(&["project", "list", "--watch"]);
    seen(&mut projects, &["default", "argocd", "local"]);
    up.cli(&["runtime", "revoke", "local", "--yes"])
        .expect_success();
    seen(&mut runtimes, &["local", "revoked"]);
    seen(&mut documents, &["local", "CONNECTION_REVOKED"]);
}

#[test]
fn names_are_completed_from_the_platform() {
    let up = up();
    let completed = |words: &[&str]| {
        let mut command = up.cli_command(&[&["--", "causeway"], words].concat());
        run(command.env("COMPLETE", "fish")).expect_success()
    };
    let names = completed(&["app", "get", "guest"]);
    assert!(names.starts_with("guestbook\t"), "{names}");
    let runtimes = completed(&["app", "list", "--runtime", ""]);
    assert!(
        runtimes.lines().any(|line| line.starts_with("local")),
        "{runtimes}"
    );
    for (words, wanted) in [
        (&["role", "get", "vi"][..], "viewer"),
        (&["user", "disable", "adm"], "admin"),
        (&["api-key", "create", "ci", "--role", "ad"], "admin"),
        (
            &["app", "exec", "guestbook", "--pod", "guest"],
            "guestbook-",
        ),
    ] {
        wait_until_blocking(wanted, SOON, || {
            let names = completed(words);
            let found = names.starts_with(wanted).then_some(());
            found.ok_or_else(|| format!("{words:?}: {names}"))
        });
    }
    let verbs = completed(&["app", "rol"]);
    assert!(verbs.starts_with("rollback"), "{verbs}");
}

#[test]
fn terminal_gets_colours_and_a_pager_unless_disabled() {
    let up = up();
    let list = "app list --no-pager";
    assert!(at_a_terminal(&up, list, &[]).contains("\x1b[38;5;10m"));
    let bare = at_a_terminal(&up, list, &[("NO_COLOR", "1")]);
    assert!(
        bare.contains("guestbook") && !bare.contains("\x1b["),
        "{bare}"
    );
    let pager = [("CAUSEWAY_PAGER", "sed s/^/paged:/")];
    let paged = at_a_terminal(&up, "app list", &pager);
    assert!(
        paged.lines().all(|line| line.starts_with("paged:")),
        "{paged}"
    );
    let plain = at_a_terminal(&up, list, &pager);
    assert!(!plain.contains("paged:"), "{plain}");
    let piped = up
        .cli(&["app", "list", "--color", "always"])
        .expect_success();
    assert!(piped.contains("\x1b[38;5;10m"), "{piped}");
}
