//! The images of others where no registry can be reached, under the names that compose.yaml gives them: what this machine has of the
//! same programs, on the base of ours.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use causeway_testkit::{binary, run, skip, which};
use serde_json::{Value, json};

use crate::{
    file::{compose, root, services},
    needs,
    workplace::Workplace,
};

/// What no package and no module has.
const NOWHERE: &str = "grafana";
const WATCHERS: [&str; 2] = ["jaeger", "prometheus"];

/// Builds those that can be had; gives what is to be said to Compose of the others, which is a file of its own.
///
/// # Panics
/// In continuous integration, where one is missing that can be had.
pub(crate) fn build(workplace: &Workplace) -> Value {
    build_one(workplace, "postgres", postgres);
    let mut left_out = vec![NOWHERE];
    for (name, program) in WATCHERS.into_iter().zip([jaeger(), prometheus()]) {
        match program {
            Ok(program) => build_one(workplace, name, |context| {
                fs::copy(&program, context.join(name)).unwrap();
            }),
            Err(missing) => {
                skip(&format!("{name} in compose.yaml: {missing}"));
                left_out.push(name);
            }
        }
    }
    let left_out = left_out
        .into_iter()
        .map(|name| (name.to_owned(), json!({"profiles": ["left-out"]})));
    json!({"services": left_out.collect::<serde_json::Map<_, _>>()})
}

/// Whether the stack that is told so has both that watch it.
pub(crate) fn is_watched(told: &Value) -> bool {
    WATCHERS
        .iter()
        .all(|name| told["services"].get(name).is_none())
}

/// Builds the Dockerfile beside this crate, under the name that compose.yaml has.
fn build_one(workplace: &Workplace, service: &str, fill: impl FnOnce(&Path)) {
    let context = workplace.folder().join(service);
    fs::create_dir(&context).unwrap();
    fill(&context);
    for file in fs::read_dir(root().join("tests/compose").join(service)).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), context.join(file.file_name())).unwrap();
    }
    let compose = compose();
    let name = services(&compose)[service]["image"].as_str().unwrap();
    let mut buildah = workplace.command("buildah");
    buildah.args(["bud", "--isolation", "chroot", "--pull-never", "--tag"]);
    run(buildah.arg(name).arg(context)).expect_success();
}

/// As the program beside the tests says that builds it.
fn jaeger() -> Result<PathBuf, String> {
    let builder = binary().with_file_name("causeway-cluster");
    if !builder.exists() {
        return Err(format!("no {}: run 'make cluster'", builder.display()));
    }
    let found = run(Command::new(builder).args(["find", "jaeger"]));
    // It tells people, who read its standard error.
    let said = found.stderr.split_whitespace().last();
    match said.filter(|_| found.status.success()) {
        Some(path) => Ok(path.into()),
        None => Err(found.stderr),
    }
}

fn prometheus() -> Result<PathBuf, String> {
    let unpacked = root().join(".ci/tools/prometheus/usr/bin/prometheus");
    let found = [unpacked].into_iter().find(|file| file.exists());
    let found = found.or_else(|| which("prometheus"));
    found.ok_or_else(|| "Prometheus is missing, which .ci/install unpacks".to_owned())
}

/// The programs, libraries and files of this machine's PostgreSQL.
fn postgres(context: &Path) {
    let (programs, libraries) = (context.join("programs"), context.join("libraries"));
    fs::create_dir(&programs).unwrap();
    fs::create_dir(&libraries).unwrap();
    let home = needs::postgresql().unwrap();
    let shared = Path::new("/usr/share/postgresql").join(home.file_name().unwrap());
    for folder in [&home, &shared] {
        let place = programs.join(folder.parent().unwrap().strip_prefix("/").unwrap());
        fs::create_dir_all(&place).unwrap();
        run(Command::new("cp").arg("--archive").arg(folder).arg(place)).expect_success();
    }
    for program in ["bin/postgres", "bin/initdb"] {
        for library in needed_by(&home.join(program)) {
            let name = library.file_name().unwrap();
            fs::copy(&library, libraries.join(name)).unwrap();
        }
    }
}

/// The libraries of a program that are not of the C library, which every system has.
fn needed_by(program: &Path) -> Vec<PathBuf> {
    let listed = run(Command::new("ldd").arg(program)).expect_success();
    let paths = listed.lines().filter_map(|line| line.split_once("=> "));
    let paths = paths.filter_map(|(_, path)| path.split_whitespace().next());
    let own = ["/libc.so.", "/libm.so.", "/ld-linux"];
    let others = paths.filter(|path| !own.iter().any(|own| path.contains(own)));
    others.map(PathBuf::from).collect()
}
