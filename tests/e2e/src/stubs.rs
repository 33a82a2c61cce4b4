//! The clients of other languages: that they are those of the contract, and that they do what they are for. Beside them, what the
//! OpenAPI document says, held to calls that a public tool makes up from it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use causeway_testkit::{Child, Finished, run, skip, wait_until_blocking};

use crate::program::{SOON, Up};

/// What a language needs to run its examples.
struct Language {
    name: &'static str,
    sync: Vec<String>,
    watch: Vec<String>,
    environment: Vec<(&'static str, String)>,
}

impl Language {
    fn command(&self, words: &[String], up: &Up) -> Command {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        command.env("CAUSEWAY_ADDRESS", &up.address);
        let key = up.folder.path().join("data/platform/admin.key");
        command.env("CAUSEWAY_API_KEY_FILE", key);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    fn sync(&self, up: &Up, application: &str) -> Finished {
        let words = [self.sync.clone(), vec![application.to_owned()]].concat();
        run(&mut self.command(&words, up))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// A program that `.ci/install` installs; without it the test is skipped.
fn installed(program: &Path) -> Option<PathBuf> {
    if program.exists() {
        return Some(program.to_owned());
    }
    skip(&format!("{} is not installed", program.display()));
    None
}

fn python() -> Option<PathBuf> {
    let folder = root().join(".ci/tools/python");
    installed(&folder.join("bin/schemathesis"))?;
    installed(&folder.join("bin/python"))
}

fn text(path: impl AsRef<Path>) -> String {
    path.as_ref().display().to_string()
}

fn go(builds: &Path) -> Option<Language> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path);
    let go = folders.find(|folder| folder.join("go").exists());
    let go = go.unwrap_or_else(|| "/usr/local/go/bin".into()).join("go");
    let mut build = Command::new(installed(&go)?);
    build.current_dir(root().join("clients/go"));
    build
        .arg("build")
        .arg("-o")
        .arg(builds)
        .arg("./examples/...");
    run(&mut build).expect_success();
    Some(Language {
        name: "Go",
        sync: vec![text(builds.join("sync"))],
        watch: vec![text(builds.join("watch"))],
        environment: Vec::new(),
    })
}

fn in_python() -> Option<Language> {
    let (python, folder) = (python()?, root().join("clients/python"));
    let example = |name| vec![text(&python), text(folder.join("examples").join(name))];
    Some(Language {
        name: "Python",
        sync: example("sync.py"),
        watch: example("watch.py"),
        environment: vec![("PYTHONPATH", text(folder.join("src")))],
    })
}

fn typescript() -> Option<Language> {
    let folder = root().join("clients/typescript");
    let tsc = installed(&folder.join("node_modules/.bin/tsc"))?;
    run(Command::new(tsc).current_dir(&folder)).expect_success();
    let example = |name| vec!["node".to_owned(), text(folder.join("examples").join(name))];
    Some(Language {
        name: "TypeScript",
        sync: example("sync.mjs"),
        watch: example("watch.mjs"),
        environment: Vec::new(),
    })
}

fn languages(builds: &Path) -> Vec<Language> {
    let all = [go(builds), in_python(), typescript()];
    all.into_iter().flatten().collect()
}

/// All files below a folder, by their way from it.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut open) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        let entries = fs::read_dir(&next).into_iter().flatten();
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else {
                let way = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(way, fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn generated_clients_match_the_contract() {
    let root = root();
    let tools = root.join(".ci/tools");
    let buf = tools.join("node_modules/@bufbuild/buf-linux-x64/bin/buf");
    let plugins = root.join("clients/typescript/node_modules/.bin/protoc-gen-es");
    let go = tools.join("bin/protoc-gen-go-grpc");
    let (Some(buf), Some(_), Some(_), Some(_)) = (
        installed(&buf),
        installed(&plugins),
        installed(&go),
        python(),
    ) else {
        return;
    };
    let made = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    for template in ["clients/buf.gen.yaml", "clients/typescript/buf.gen.yaml"] {
        let mut generate = Command::new(&buf);
        generate.current_dir(&root);
        generate.env(
            "PATH",
            format!("{}:{}", text(tools.join("bin")), path.display()),
        );
        generate.args(["generate", "--template", template, "--output"]);
        run(generate.arg(made.path())).expect_success();
    }
    for folder in [
        "clients/go/causeway",
        "clients/python/src/causeway",
        "clients/typescript/src/gen",
    ] {
        let mut made = files(&made.path().join(folder));
        assert!(made.len() > 20, "{} files in {folder}", made.len());
        for (way, content) in files(&root.join(folder)) {
            let by_hand = ["client.py", "py.typed"].contains(&text(&way).as_str());
            if by_hand || text(&way).contains("__pycache__") {
                continue;
            }
            let new = made.remove(&way);
            let is_new = new.is_some_and(|new| new == content);
            assert!(is_new, "{folder}/{} is old: make stubs", way.display());
        }
        assert!(
            made.is_empty(),
            "missing in {folder}: make stubs: {:?}",
            made.keys()
        );
    }
}

#[test]
fn each_client_has_the_version_of_the_contract() {
    let version = env!("CARGO_PKG_VERSION");
    for (file, line) in [
        ("go/client.go", format!("const Version = \"{version}\"")),
        ("python/pyproject.toml", format!("version = \"{version}\"")),
        (
            "typescript/package.json",
            format!("  \"version\": \"{version}\","),
        ),
        (
            "typescript/package-lock.json",
            format!("  \"version\": \"{version}\","),
        ),
    ] {
        let text = fs::read_to_string(root().join("clients").join(file)).unwrap();
        assert!(
            text.lines().any(|it| it == line),
            "{file} has no line {line}"
        );
    }
}

/// Lines that are neither empty nor a comment.
fn lines_of_code(file: &str) -> usize {
    let text = fs::read_to_string(root().join("clients").join(file)).unwrap();
    let said = |line: &&str| !["//", "#", "\"\"\""].iter().any(|it| line.starts_with(it));
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.filter(said).count()
}

#[test]
fn client_examples_have_at_most_twenty_lines() {
    for file in [
        "go/examples/sync/main.go",
        "python/examples/sync.py",
        "typescript/examples/sync.mjs",
    ] {
        let lines = lines_of_code(file);
        assert!((10..=20).contains(&lines), "{file} has {lines} lines");
    }
}

#[test]
fn each_language_lists_and_syncs_by_its_example() {
    let builds = tempfile::tempdir().unwrap();
    let languages = languages(builds.path());
    let up = Up::start();
    up.wait_for_health("guestbook", "HEALTHY");
    for language in &languages {
        let printed = language.sync(&up, "guestbook").expect_success();
        let healthy = |line: &str| line.starts_with("local guestbook") && line.contains("HEALTHY");
        assert!(printed.lines().any(healthy), "{}: {printed}", language.name);
        assert!(
            printed.contains("accepted at"),
            "{}: {printed}",
            language.name
        );
        up.cli(&["app", "wait", "guestbook"]).expect_success();
        let refused = language.sync(&up, "nothing");
        assert!(!refused.status.success());
        let told = "APPLICATION_UNKNOWN: there is no application argocd/nothing";
        assert!(
            refused.stderr.contains(told),
            "{}: {refused:?}",
            language.name
        );
    }
}

#[test]
fn the_watch_of_each_language_outlives_its_platform() {
    let builds = tempfile::tempdir().unwrap();
    let languages = languages(builds.path());
    let up = Up::start();
    let mut watches: Vec<_> = languages
        .iter()
        .map(|it| (it.name, Child::start(&mut it.command(&it.watch, &up))))
        .collect();
    for (name, watch) in &mut watches {
        watch.wait_for_line(&format!("{name} sees all"), SOON, |line| {
            line.starts_with("updated guestbook").then_some(())
        });
    }
    let up = Up::start_in(up.kill(), &[]);
    let sha = up.push(
        "guestbook/deployment.yaml",
        |text| text.replace("replicas: 2", "replicas: 3"),
        "After the kill",
    );
    for (name, watch) in &watches {
        wait_until_blocking(&format!("{name} sees the commit"), SOON, || {
            let lines = watch.lines();
            let seen = lines.iter().any(|line| line.contains(&sha));
            seen.then_some(()).ok_or(format!("{lines:?}"))
        });
    }
}

#[test]
fn calls_generated_from_openapi_match_the_document() {
    let Some(python) = python() else {
        return;
    };
    let up = Up::start();
    up.wait_for_health("guestbook", "HEALTHY");
    let mut tool = Command::new(python.with_file_name("schemathesis"));
    tool.current_dir(up.folder.path());
    tool.arg("run").arg(format!("{}/openapi.json", up.address));
    tool.args(["-H", &format!("authorization: Bearer {}", up.api_key())]);
    let checks = "not_a_server_error,response_schema_conformance,content_type_conformance";
    tool.args(["--checks", checks, "--phases", "fuzzing", "--seed", "1"]);
    // What does not end would be waited for.
    tool.args(["--exclude-path-regex", ":watch|:export|WatchRevocations"]);
    tool.args([
        "--max-examples",
        "3",
        "--no-color",
        "--request-timeout",
        "60",
    ]);
    let printed = run(&mut tool).expect_success();
    assert!(
        printed.contains("0 failed") || printed.contains(" passed"),
        "{printed}"
    );
    // It still serves, and nothing of it has panicked.
    assert!(up.application("guestbook").is_ok());
}
