//! Commands in groups.

use clap::Command;

use super::text::Page;

/// A heading and the names of its commands.
type Group = (&'static str, &'static [&'static str]);

/// Groups of the commands below a command, by its path.
const GROUPS: [(&str, &[Group]); 3] = [
    (
        "",
        &[
            (
                "Applications and what they deploy",
                &[
                    "app", "top", "summary", "search", "resource", "rollout", "workflow", "appset",
                    "project", "event", "image",
                ],
            ),
            (
                "Runtimes and clusters",
                &[
                    "runtime",
                    "join-token",
                    "cluster",
                    "integration",
                    "git",
                    "webhook",
                    "git-source",
                    "status",
                ],
            ),
            (
                "Users and permissions",
                &[
                    "whoami",
                    "can-i",
                    "user",
                    "service-account",
                    "role",
                    "api-key",
                    "session",
                    "sign-in-provider",
                    "account",
                    "audit",
                    "preference",
                    "saved-view",
                ],
            ),
            (
                "This command line",
                &[
                    "login",
                    "logout",
                    "context",
                    "version",
                    "explain",
                    "completion",
                    "man",
                ],
            ),
            (
                "Running Causeway",
                &[
                    "up",
                    "sandbox",
                    "serve",
                    "join",
                    "preflight",
                    "probe",
                    "key",
                    "token",
                    "backup",
                    "restore",
                ],
            ),
        ],
    ),
    (
        "app",
        &[
            (
                "Inspect",
                &[
                    "list",
                    "facets",
                    "get",
                    "tree",
                    "watch",
                    "diff",
                    "manifests",
                    "logs",
                    "resources",
                    "resource",
                ],
            ),
            (
                "Act",
                &[
                    "sync",
                    "wait",
                    "refresh",
                    "rollback",
                    "terminate-op",
                    "set",
                    "delete",
                    "actions",
                    "exec",
                ],
            ),
            (
                "Past",
                &["history", "timeline", "deployments", "deployment-count"],
            ),
        ],
    ),
    (
        "runtime",
        &[
            ("Inspect", &["list", "get", "shards"]),
            (
                "Install and remove",
                &["install", "upgrade", "uninstall", "chart"],
            ),
            ("Access", &["token", "revoke"]),
        ],
    ),
];

/// Adds the commands below a command, by group where it has groups.
pub(super) fn print(command: &Command, page: &mut Page) {
    let shown = command.get_subcommands().filter(|it| !it.is_hide_set());
    let mut rest: Vec<_> = shown.filter(|it| it.get_name() != "help").collect();
    for (heading, names) in groups(&super::path(command)) {
        page.heading(heading);
        for name in *names {
            if let Some(at) = rest.iter().position(|it| it.get_name() == *name) {
                row(rest.remove(at), page);
            }
        }
    }
    if !rest.is_empty() {
        page.heading("Commands");
        rest.into_iter().for_each(|command| row(command, page));
    }
}

fn groups(path: &str) -> &'static [Group] {
    let found = GROUPS.iter().find(|(of, _)| *of == path);
    found.map_or(&[], |(_, groups)| groups)
}

fn row(command: &Command, page: &mut Page) {
    let about = command.get_about().map(ToString::to_string);
    page.row(command.get_name(), &about.unwrap_or_default());
}
