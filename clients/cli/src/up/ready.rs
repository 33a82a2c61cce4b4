//! Waits until the parts are ready, and prints the first commands to try.

use std::{fmt::Write as _, path::Path, time::Duration};

use causeway_assertion::Side;
use causeway_shell::{Health, Shell};

use super::{folder::Folder, target::Target};

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

pub(super) fn banner(
    address: &str,
    contexts: &Path,
    folder: &Folder,
    target: &Target,
    took: Duration,
) -> String {
    let mut text = format!("\nCauseway is ready after {:.1} s.\n\n", took.as_secs_f64());
    let mut row = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:<14} {value}");
    };
    row("address", address);
    row("CLI context", &contexts.display().to_string());
    row("API key", &folder.admin_key().display().to_string());
    let trial = target.trial();
    if let Some(trial) = &trial {
        row("demo Git", &trial.git_url);
        row("kubeconfig", &trial.kubeconfig.display().to_string());
    }
    text.push_str("\nTry in a second terminal:\n  causeway app list\n  causeway app watch\n");
    text.push_str(match trial {
        None => "  causeway status\n",
        Some(_) => "  causeway app sync guestbook\n",
    });
    text.push_str("\nCtrl-C stops.");
    text
}
