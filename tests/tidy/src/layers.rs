//! What a file may touch: technology stays in its adapter, generated types stop at the conversion.

use crate::files::{files, read, shown};

/// The files of a service that may name a technology; every other one is domain.
const ADAPTERS: [&str; 16] = [
    "lib.rs",
    "config.rs",
    "grpc.rs",
    "convert.rs",
    "store.rs",
    "kube.rs",
    "http.rs",
    "upstream.rs",
    "argocd.rs",
    "tunnel.rs",
    "stream.rs",
    "authorize.rs",
    "git.rs",
    "tests.rs",
    "serve.rs",
    "fixtures.rs",
];

fn is_domain(name: &str) -> bool {
    let adapter = |part: &str| {
        let file = format!("{}.rs", part.trim_end_matches(".rs"));
        ADAPTERS.contains(&file.as_str()) || part == "tests"
    };
    let inside = name.split("/src/").nth(1).unwrap_or_default();
    !name.contains("/tests/") && !inside.split('/').any(adapter)
}

fn imports(text: &str, technology: &str) -> bool {
    let path = format!("{technology}::");
    text.lines().any(|line| {
        let line = line.trim_start();
        !line.starts_with("//") && line.contains(&path)
    })
}

fn check(service: &str, technologies: &[&str]) {
    let folder = format!("services/{service}/src");
    let domain: Vec<_> = files(&folder, &[".rs"])
        .into_iter()
        .filter(|path| is_domain(&shown(path)))
        .collect();
    assert!(!domain.is_empty(), "{service} has no domain");
    for path in domain {
        for technology in technologies {
            assert!(
                !imports(&read(&path), technology),
                "{} is domain and names {technology}",
                shown(&path)
            );
        }
    }
}

#[test]
fn the_domain_of_the_inventory_knows_no_transport_and_no_database() {
    check("inventory", &["sqlx", "hyper", "kube"]);
}

#[test]
fn the_domain_of_the_platform_knows_no_transport_and_no_database() {
    check("platform", &["sqlx", "hyper", "kube"]);
}

#[test]
fn nobody_reads_the_environment_or_prints_but_the_command_line() {
    for path in files("services", &[".rs"]) {
        let text = read(&path);
        // Cleaning a child's environment needs the names; settings are never read from it.
        for word in [
            "env::var(",
            "env::var_os(",
            "env::args(",
            "println!(",
            "eprintln!(",
        ] {
            let used = text.contains(word) && !shown(&path).contains("/tests");
            assert!(!used, "{} uses {word}", shown(&path));
        }
    }
}

#[test]
fn nobody_but_a_test_lets_secrets_through() {
    for path in [files("services", &[".rs"]), files("clients", &[".rs"])].concat() {
        let lets = read(&path).contains("Redactor::transparent");
        assert!(!lets || shown(&path).contains("/tests"), "{}", shown(&path));
    }
}
