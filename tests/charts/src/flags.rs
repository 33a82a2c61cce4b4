//! What the charts tell the program, read by the program.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use crate::stage::{containers, rendered, texts};

/// Variables that are not the program's own flags.
const STANDARD: [&str; 4] = [
    "MALLOC_ARENA_MAX",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NO_PROXY",
];

#[test]
fn container_flags_are_known_to_the_program() {
    let seen = Mutex::new(BTreeSet::new());
    for rendered in rendered() {
        for (name, pod) in rendered.pods() {
            for container in containers(pod) {
                let flags = texts(container, "/args");
                let words = [&["causeway"], flags.as_slice()].concat();
                let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                if !seen.insert(words.join(" ")) {
                    continue;
                }
                let read = causeway_cli::command().try_get_matches_from(words);
                if let Err(error) = read {
                    panic!("{}: {name}: {error}", rendered.name());
                }
            }
        }
    }
}

#[test]
fn variables_are_flags_of_their_part_or_standard() {
    for rendered in rendered() {
        for (name, pod) in rendered.pods() {
            for container in containers(pod) {
                let command = causeway_cli::command();
                let words = texts(container, "/args").into_iter();
                let named = words.take_while(|word| !word.starts_with('-'));
                let command = named.fold(command, |command, word| {
                    let found = command.find_subcommand(word).cloned();
                    found.unwrap_or(command)
                });
                let known: BTreeSet<_> = command
                    .get_arguments()
                    .filter_map(|argument| argument.get_env()?.to_str().map(str::to_owned))
                    .collect();
                for variable in container["env"].as_array().into_iter().flatten() {
                    let variable = variable["name"].as_str().unwrap();
                    let standard = STANDARD.contains(&variable)
                        || variable == "HTTPS_PROXY"
                        || variable.starts_with("OTEL_");
                    let of_join =
                        container["name"] == "join" && variable.starts_with("CAUSEWAY_LOG");
                    assert!(
                        standard || of_join || known.contains(variable),
                        "{}: {name}: {variable}",
                        rendered.name()
                    );
                }
            }
        }
    }
}
