//! Waits until the parts are ready, and prints the first commands to try.

use std::{fmt::Write as _, path::Path, time::Duration};

use causeway_assertion::Side;
use causeway_shell::{Health, Shell};

use super::target::Trial;

/// How long a part of the runtime may take: its cluster may be away, and users should see that in `status` then.
const PATIENCE: Duration = Duration::from_secs(10);

/// Waits until a part is ready. A part of the runtime is given up on after a while: it goes on trying.
pub(super) async fn wait(shell: &Shell, side: Side) {
    let mut health = shell.health();
    let ready = health.wait_for(|health| *health == Health::Ready);
    if side == Side::Platform {
        // An error says that the part is gone, and then the process is stopping.
        let _ = ready.await;
    } else {
        let _ = tokio::time::timeout(PATIENCE, ready).await;
    }
}

/// Message of a platform that is ready, with the first commands.
pub(super) struct Banner<'a> {
    pub(super) address: &'a str,
    /// True if this binary serves the web UI.
    pub(super) web_ui: bool,
    /// The name of the context and its file.
    pub(super) context: (&'a str, &'a Path),
    pub(super) admin_key: &'a Path,
    pub(super) trial: Option<Trial>,
}

impl Banner<'_> {
    pub(super) fn text(&self, took: Duration) -> String {
        let (context, contexts) = self.context;
        let key = self.admin_key.display();
        let web_ui = if self.web_ui {
            format!("{}, sign in with the API key", self.address)
        } else {
            "not in this build; run 'make web', then build again".to_owned()
        };
        let mut rows = vec![
            ("address", self.address.to_owned()),
            ("web UI", web_ui),
            ("API key", key.to_string()),
            (
                "CLI context",
                format!("{context}, in {}", contexts.display()),
            ),
        ];
        rows.extend(self.trial.iter().flat_map(trial_rows));
        let action = match &self.trial {
            None => "causeway status",
            Some(_) => "causeway app sync guestbook",
        };
        let commands = ["causeway app list", "causeway app watch", action];
        text("Causeway", &rows, &commands, took)
    }
}

/// Message of a runtime alone that is ready.
pub(super) fn runtime_text(
    name: &str,
    platform: &str,
    trial: Option<&Trial>,
    took: Duration,
) -> String {
    let mut rows = vec![
        ("runtime", name.to_owned()),
        ("platform", platform.to_owned()),
    ];
    rows.extend(trial.into_iter().flat_map(trial_rows));
    let list = format!("causeway app list --runtime {name}");
    let commands = ["causeway runtime list", list.as_str()];
    text(&format!("Runtime {name}"), &rows, &commands, took)
}

fn trial_rows(trial: &Trial) -> [(&'static str, String); 2] {
    [
        ("demo Git", trial.git_url.clone()),
        ("kubeconfig", trial.kubeconfig.display().to_string()),
    ]
}

fn text(what: &str, rows: &[(&str, String)], commands: &[&str], took: Duration) -> String {
    let mut text = format!("\n{what} is ready after {:.1} s.\n\n", took.as_secs_f64());
    for (name, value) in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:<14} {value}");
    }
    text.push_str("\nTry in a second terminal:\n");
    for command in commands {
        let _ = writeln!(text, "  {command}");
    }
    text.push_str("\nCtrl-C stops.");
    text
}

#[cfg(test)]
mod tests;
