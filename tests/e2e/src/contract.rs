//! The contract by the real grpcurl: every service by reflection, and every call of `proto/README.md` as it stands there. Beside it,
//! what `buf` holds it to: the contract of the last release.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use causeway_proto::method::methods;
use causeway_testkit::{Finished, binary, run, skip, skip_part, which_or_skip};

use crate::program::{SOON, Up};

const README: &str = include_str!("../../../proto/README.md");

/// A command of the README and what must be in what it prints.
struct Example {
    command: String,
    prints: Vec<&'static str>,
}

/// Lines of code after "$ ", with what follows until the next one or the end of the code.
fn examples() -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut goes_on = false;
    let mut within = false;
    for line in README.lines() {
        let Some(code) = line.strip_prefix("    ") else {
            within = false;
            continue;
        };
        if let Some(command) = code.strip_prefix("$ ") {
            let (command, prints) = (command.to_owned(), Vec::new());
            examples.push(Example { command, prints });
            within = true;
        } else if within && let Some(example) = examples.last_mut() {
            if goes_on {
                example.command = format!("{}\n{code}", example.command)
            } else {
                example.prints.push(code.trim())
            }
        }
        goes_on = code.ends_with('\\');
    }
    examples
}

/// The sandbox with three applications, and where its inventory listens.
fn start() -> (Up, String) {
    let mut up = Up::start_on(&["--log".to_owned(), "info".to_owned()]);
    let part = up.child.wait_for_line("the inventory", SOON, |line| {
        let line =
            Some(line).filter(|line| line.contains("listens") && line.contains("inventory"))?;
        let address = line.split_once("address=")?.1;
        address.split_whitespace().next().map(str::to_owned)
    });
    for name in ["guestbook", "platform-apps", "broken"] {
        up.wait_for(name, "reported", |_| true);
    }
    up.wait_for_health("guestbook", "HEALTHY");
    (up, part)
}

#[test]
fn every_call_of_the_readme_prints_what_it_says() {
    let examples = examples();
    assert!(examples.len() >= 10, "{} calls", examples.len());
    let Some(grpcurl) = which_or_skip("grpcurl") else {
        return;
    };
    let (up, part) = start();
    let binary = binary();
    let programs = [grpcurl.parent(), binary.parent()];
    let programs = programs.map(|folder| folder.unwrap_or(Path::new("/")).display().to_string());
    for example in &examples {
        let mut command = Command::new("bash");
        // What a person waits for may take longer here.
        let patient = example.command.replace("-max-time 3 ", "-max-time 10 ");
        command.args(["-c", &patient]);
        command.env("CAUSEWAY_CONFIG", up.contexts());
        command.env("PATH", format!("{}:/usr/bin:/bin", programs.join(":")));
        command.env("HOST", up.address.trim_start_matches("http://"));
        command.env("KEY", up.api_key()).env("PART", &part);
        let finished = run(&mut command);
        let printed = format!("{}{}", finished.stdout, finished.stderr);
        for expected in &example.prints {
            assert!(
                printed.contains(expected),
                "{}\nprints no {expected}:\n{printed}",
                example.command
            );
        }
        let fails = example.prints.iter().any(|line| line.starts_with("Code: "));
        assert_eq!(finished.code() != 0, fails, "{finished:?}");
    }
}

#[test]
fn grpcurl_lists_and_describes_every_service_of_the_contract() {
    let Some(grpcurl) = which_or_skip("grpcurl") else {
        return;
    };
    let up = Up::start();
    let host = up.address.trim_start_matches("http://");
    let ask = |arguments: &[&str]| {
        let mut command = Command::new(&grpcurl);
        command.args(["-plaintext", host]).args(arguments);
        run(&mut command).expect_success()
    };
    let listed = ask(&["list"]);
    let mut services: Vec<_> = methods()
        .values()
        .map(|method| method.descriptor.parent_service().full_name().to_owned())
        .collect();
    services.dedup();
    for service in services {
        assert!(
            listed.lines().any(|line| line == service),
            "{service} is not in\n{listed}"
        );
        let described = ask(&["describe", &service]);
        let rpcs = methods()
            .values()
            .filter(|method| method.descriptor.parent_service().full_name() == service);
        for rpc in rpcs {
            let line = format!("rpc {} (", rpc.descriptor.name());
            assert!(
                described.contains(&line),
                "{service} has no {line}:\n{described}"
            );
        }
    }
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

/// Runs buf in a folder with the contract. Without buf the test is skipped.
fn buf(folder: &Path, words: &[&str]) -> Option<Finished> {
    let program = root().join(".ci/tools/node_modules/@bufbuild/buf-linux-x64/bin/buf");
    if !program.exists() {
        skip("buf is not installed");
        return None;
    }
    Some(run(Command::new(program).current_dir(folder).args(words)))
}

fn git(words: &[&str]) -> Finished {
    run(Command::new("git").current_dir(root()).args(words))
}

/// Unpacks the present contract, or that of a commit.
fn contract_in(folder: &Path, commit: Option<&str>) {
    let copied = match commit {
        Some(commit) => {
            let archive = folder.join("contract.tar");
            let output = format!("--output={}", archive.display());
            git(&["archive", &output, commit, "buf.yaml", "proto"]).expect_success();
            run(Command::new("tar")
                .current_dir(folder)
                .args(["-xf", "contract.tar"]))
        }
        None => {
            let names = ["buf.yaml", "proto"].map(|name| root().join(name));
            run(Command::new("cp").arg("-r").args(names).arg(folder))
        }
    };
    copied.expect_success();
}

#[test]
fn base_of_the_contract_is_that_of_the_previous_release() {
    let previous = fs::read_to_string(root().join(".ci/previous")).unwrap();
    let commit = previous
        .lines()
        .find(|line| !line.starts_with('#'))
        .unwrap();
    if git(&["rev-parse", "--is-shallow-repository"]).stdout.trim() == "true" {
        skip_part("the history of this clone does not reach the last release");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    contract_in(folder.path(), Some(commit));
    let Some(built) = buf(folder.path(), &["build", "--output", "base.binpb"]) else {
        return;
    };
    built.expect_success();
    let expected = fs::read(folder.path().join("base.binpb")).unwrap();
    let base = fs::read(root().join("proto/base.binpb")).unwrap();
    assert!(
        base == expected,
        "proto/base.binpb is not of {commit}: run make base"
    );
}

#[test]
fn deleted_rpc_breaks_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    contract_in(folder.path(), None);
    let breaking = ["breaking", "--against", "proto/base.binpb"];
    let Some(unchanged) = buf(folder.path(), &breaking) else {
        return;
    };
    unchanged.expect_success();
    let file = folder
        .path()
        .join("proto/causeway/platform/v1/user_service.proto");
    let text = fs::read_to_string(&file).unwrap();
    let (before, rest) = text.split_once("  rpc ListUsers(").unwrap();
    let (_, after) = rest.split_once("\n  }\n").unwrap();
    fs::write(&file, format!("{before}{after}")).unwrap();
    let broken = buf(folder.path(), &breaking).unwrap();
    assert!(!broken.status.success());
    assert!(broken.stdout.contains("ListUsers"), "{broken:?}");
}
