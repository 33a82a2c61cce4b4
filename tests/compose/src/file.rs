//! compose.yaml and the Dockerfile as they are written.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use causeway_testkit::{binary, run};
use serde_json::{Map, Value};

/// What a service of the file has no use for.
const REFUSED: [&str; 11] = [
    "cap_add",
    "cgroup_parent",
    "device_cgroup_rules",
    "devices",
    "env_file",
    "healthcheck",
    "ipc",
    "pid",
    "privileged",
    "userns_mode",
    "uts",
];
/// Names of variables that hold a secret, or say where one is.
const SECRET: [&str; 5] = ["CREDENTIAL", "KEY", "PASSWORD", "SECRET", "TOKEN"];
const OWN: &str = "causeway:";

pub(crate) fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub(crate) fn compose() -> Value {
    serde_saphyr::from_str(&read("compose/compose.yaml")).unwrap()
}

pub(crate) fn services(compose: &Value) -> &Map<String, Value> {
    compose["services"].as_object().unwrap()
}

fn texts(list: &Value) -> Vec<&str> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(Value::as_str).collect()
}

/// What a Compose file lets somebody do who should not, or leaves to chance. Each is one line.
fn faults(compose: &Value) -> Vec<String> {
    let services = services(compose).iter();
    services
        .flat_map(|(name, service)| {
            let of_service = of_image(service).into_iter();
            let of_service = of_service.chain(of_power(service)).chain(of_words(service));
            of_service.map(move |fault| format!("{name}: {fault}"))
        })
        .collect()
}

fn of_image(service: &Value) -> Vec<String> {
    let image = service["image"].as_str().unwrap_or_default();
    let tag = image.rsplit_once(':').map_or("", |(_, tag)| tag);
    let exact = tag.split('.').count() >= 2 && tag.contains(|it: char| it.is_ascii_digit());
    let version = env!("CARGO_PKG_VERSION");
    match image.strip_prefix(OWN) {
        Some(tag) if tag != version => vec![format!("{image} is not the version {version}")],
        None if !exact => vec![format!("{image} may be another one tomorrow")],
        None if !image.starts_with("docker.io/") => vec![format!("{image} names no registry")],
        _ => Vec::new(),
    }
}

fn of_power(service: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    for (key, wanted) in [
        ("cap_drop", serde_json::json!(["ALL"])),
        ("read_only", Value::Bool(true)),
        ("security_opt", serde_json::json!(["no-new-privileges"])),
    ] {
        if service[key] != wanted {
            faults.push(format!("{key} is {}", service[key]));
        }
    }
    for key in REFUSED {
        if service.get(key).is_some() {
            faults.push(format!("has {key}"));
        }
    }
    if service["network_mode"] == "host" {
        faults.push("is on the network of the machine".to_owned());
    }
    let user = service["user"].as_str().unwrap_or_default();
    let own = service["image"]
        .as_str()
        .is_some_and(|image| image.starts_with(OWN));
    if user.starts_with("0") || user.starts_with("root") || (user.is_empty() && !own) {
        faults.push("may run as root".to_owned());
    }
    let ports = texts(&service["ports"]).into_iter();
    let open = ports.filter(|port| !port.starts_with("127.0.0.1:"));
    faults.extend(open.map(|port| format!("opens {port} to others")));
    for volume in texts(&service["volumes"]) {
        let binds = volume.starts_with(['.', '/', '~']);
        if binds && !(volume.starts_with("./") && volume.ends_with(":ro")) {
            faults.push(format!("has {volume} of the machine"));
        }
    }
    faults
}

fn of_words(service: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let environment = service["environment"].as_object().into_iter().flatten();
    for (name, value) in environment {
        let value = value.as_str().unwrap_or_default();
        let secret = SECRET.iter().any(|word| name.contains(word)) && !value.starts_with('/');
        let password = value
            .split_once("://")
            .and_then(|(_, rest)| rest.split_once('@'))
            .is_some_and(|(user, _)| user.contains(':'));
        if secret || password {
            faults.push(format!("the variable {name} holds a secret"));
        }
    }
    let conditions = service["depends_on"].as_object().into_iter().flatten();
    faults.extend(conditions.map(|(other, _)| format!("waits for a condition of {other}")));
    faults
}

#[test]
fn services_have_minimal_privileges_and_no_secrets() {
    let compose = compose();
    assert!(services(&compose).len() > 15);
    let faults = faults(&compose);
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn excess_privileges_and_secrets_are_detected() {
    let spoil = |service: &str, key: &str, value: Value, wanted: &str| {
        let mut compose = compose();
        compose["services"][service][key] = value;
        let found = faults(&compose);
        let named = found.len() == 1 && found[0].starts_with(service) && found[0].contains(wanted);
        assert!(named, "{wanted}: {found:?}");
    };
    use serde_json::json;
    spoil(
        "postgres",
        "image",
        json!("docker.io/library/postgres:latest"),
        "another one tomorrow",
    );
    spoil("postgres", "image", json!("postgres:17.6"), "no registry");
    spoil(
        "platform",
        "image",
        json!("causeway:0.0.1"),
        "is not the version",
    );
    spoil("platform", "privileged", json!(true), "privileged");
    spoil("platform", "read_only", json!(false), "read_only");
    spoil("platform", "cap_drop", json!([]), "cap_drop");
    spoil("platform", "security_opt", json!([]), "security_opt");
    spoil("platform", "user", json!("0:0"), "root");
    spoil("postgres", "user", Value::Null, "root");
    spoil("platform", "network_mode", json!("host"), "network");
    spoil("request-router", "ports", json!(["7400:7400"]), "opens");
    spoil(
        "platform",
        "volumes",
        json!(["/var/run:/run:ro"]),
        "of the machine",
    );
    spoil(
        "platform",
        "volumes",
        json!(["./bin:/compose"]),
        "of the machine",
    );
    spoil(
        "postgres",
        "environment",
        json!({"POSTGRES_PASSWORD": "a"}),
        "secret",
    );
    spoil(
        "platform",
        "environment",
        json!({"CAUSEWAY_DATABASE": "postgres://a:b@c/d"}),
        "secret",
    );
    spoil(
        "platform",
        "depends_on",
        json!({"postgres": {"condition": "service_healthy"}}),
        "condition",
    );
    spoil("platform", "healthcheck", json!({}), "healthcheck");
}

/// Every command of the binary that a service of ours is, with the variables that it is given.
fn commands(compose: &Value) -> Vec<(Vec<String>, Vec<String>)> {
    let services = services(compose).values();
    let own = services.filter(|service| {
        service["image"]
            .as_str()
            .is_some_and(|image| image.starts_with(OWN))
    });
    own.map(|service| {
        let words = texts(&service["command"]);
        let names = service["environment"].as_object().into_iter().flatten();
        (
            words.into_iter().map(str::to_owned).collect(),
            names.map(|(name, _)| name.clone()).collect(),
        )
    })
    .collect()
}

#[test]
fn every_variable_of_a_part_is_one_that_it_reads() {
    for (words, names) in commands(&compose()) {
        if words.is_empty() {
            continue;
        }
        let help = run(Command::new(binary()).args(&words).arg("--help")).expect_success();
        for name in names.iter().filter(|name| name.starts_with("CAUSEWAY_")) {
            let read = help.contains(&format!("[env: {name}"));
            assert!(read, "{words:?} does not read {name}");
        }
    }
}

#[test]
fn every_part_is_a_service() {
    let help = run(Command::new(binary()).args(["serve", "--help"])).expect_success();
    let parts = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let parts = parts.take_while(|line| line.starts_with("  "));
    // What a part is for may go on in further lines.
    let parts = parts.filter(|line| !line.starts_with("   "));
    let parts = parts.filter_map(|line| line.split_whitespace().next());
    let parts: BTreeSet<_> = parts
        .filter(|part| *part != "help")
        .map(str::to_owned)
        .collect();
    let started = commands(&compose()).into_iter().map(|(words, _)| words);
    let started = started.filter(|words| words.first().is_some_and(|word| word == "serve"));
    let started: Vec<_> = started.map(|words| words[1].clone()).collect();
    assert_eq!(parts, started.iter().cloned().collect());
    // The router is on both sides.
    assert_eq!(started.len(), parts.len() + 1);
}

#[test]
fn declarations_are_used_and_volumes_have_one_mount_path() {
    let compose = compose();
    let mut places = BTreeSet::new();
    for service in services(&compose).values() {
        for volume in texts(&service["volumes"]) {
            let mut words = volume.split(':');
            let (name, place) = (words.next().unwrap(), words.next().unwrap());
            if !name.starts_with('.') {
                places.insert((name.to_owned(), place.to_owned()));
            }
        }
    }
    let named: Vec<_> = places.iter().map(|(name, _)| name.as_str()).collect();
    let declared = compose["volumes"].as_object().unwrap().keys();
    assert_eq!(
        named,
        declared
            .map(String::as_str)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    );
    // An empty volume takes over whose the folder of the image is.
    let dockerfile = read("compose/Dockerfile");
    for (_, place) in &places {
        if let Some(name) = place.strip_prefix("/var/lib/causeway/") {
            let mut words = dockerfile.split_whitespace();
            let made = words.any(|word| [name, place].contains(&word.trim_end_matches(';')));
            assert!(made, "the image has no {place}");
        }
    }
}

#[test]
fn every_part_is_scraped_under_its_name() {
    let compose = compose();
    let prometheus: Value =
        serde_saphyr::from_str(&read("compose/prometheus/prometheus.yaml")).unwrap();
    let groups = prometheus["scrape_configs"][0]["static_configs"].as_array();
    let scraped = groups.into_iter().flatten().flat_map(|group| {
        let side = group["labels"]["side"].as_str().unwrap_or_default();
        let targets = texts(&group["targets"]).into_iter();
        targets.map(move |target| (target.to_owned(), side.to_owned()))
    });
    let listening = services(&compose).iter().filter_map(|(name, service)| {
        let environment = &service["environment"];
        let (_, port) = environment["CAUSEWAY_ADMIN_LISTEN"]
            .as_str()?
            .rsplit_once(':')?;
        let runtime = environment.get("CAUSEWAY_RUNTIME_FOLDER").is_some();
        let side = if runtime { "runtime" } else { "platform" };
        Some((format!("{name}:{port}"), side.to_owned()))
    });
    assert_eq!(
        scraped.collect::<BTreeSet<_>>(),
        listening.collect::<BTreeSet<_>>()
    );
}

#[test]
fn mounted_files_exist() {
    for service in services(&compose()).values() {
        for volume in texts(&service["volumes"]) {
            if let Some(path) = volume.strip_prefix("./") {
                let (path, _) = path.split_once(':').unwrap();
                let file = root().join("compose").join(path);
                assert!(file.exists(), "{}", file.display());
            }
        }
    }
}

#[test]
fn the_image_is_compiled_by_the_toolchain_of_the_repository() {
    let toolchain = read("rust-toolchain.toml");
    let (_, rest) = toolchain.split_once("channel = \"").unwrap();
    let (channel, _) = rest.split_once('"').unwrap();
    let dockerfile = read("compose/Dockerfile");
    assert!(dockerfile.contains(&format!("FROM rust:{channel}-slim-bookworm AS build")));
    assert!(dockerfile.contains(&format!("RUSTUP_TOOLCHAIN={channel} ")));
    assert!(dockerfile.contains("cargo build --release --locked "));
    let version = format!("causeway:{}", env!("CARGO_PKG_VERSION"));
    assert!(dockerfile.contains(&version));
}

/// What the image is compiled of.
fn copied() -> Vec<PathBuf> {
    let dockerfile = read("compose/Dockerfile");
    let stage = dockerfile
        .split("\nFROM ")
        .find(|stage| stage.starts_with("rust:"));
    let lines = stage
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix("COPY "));
    let words = lines.flat_map(|line| line.split_whitespace().collect::<Vec<_>>());
    let named = words.filter(|word| !word.starts_with('.'));
    named.map(|word| root().join(word)).collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let built = ["target", "node_modules"]
            .iter()
            .any(|name| path.ends_with(name));
        if path.is_dir() && !built {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn included_files_are_copied_into_the_build() {
    let copied = copied();
    let mut files = Vec::new();
    for folder in ["proto", "services", "clients"] {
        assert!(copied.contains(&root().join(folder)));
        sources(&root().join(folder), &mut files);
    }
    let mut seen = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let ways = ["include_str!(", "include_bytes!("];
        for rest in ways.iter().flat_map(|way| text.split(way).skip(1)) {
            let Some(path) = rest.split('"').nth(1).filter(|path| path.starts_with("..")) else {
                continue;
            };
            // The path may go on with what a macro is given; its folder says enough.
            let up = path.split('/').take_while(|step| *step == "..").count();
            let below = file.ancestors().nth(up + 1).unwrap();
            let place = path
                .split('/')
                .skip(up)
                .fold(below.to_owned(), |place, step| place.join(step));
            let there = copied.iter().any(|copied| place.starts_with(copied));
            assert!(there, "{} includes {path}", file.display());
            seen += 1;
        }
    }
    assert!(seen > 3, "{seen}");
}
