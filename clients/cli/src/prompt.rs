//! Prompts at the terminal.

use std::io::IsTerminal as _;

use anyhow::bail;

use crate::output;

/// Asks for confirmation at the terminal.
pub(crate) fn confirm(question: &str) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        bail!("{question} Nobody is there to be asked: give --yes");
    }
    output::note(format!("{question} [y/N]"));
    Ok(matches!(read_answer()?.as_str(), "y" | "Y" | "yes"))
}

/// Asks for a line; an empty one means the default.
pub(crate) fn read_line(question: &str, default: &str) -> anyhow::Result<String> {
    output::note(format!("{question} [{default}]"));
    let answer = read_answer()?;
    Ok(if answer.is_empty() {
        default.to_owned()
    } else {
        answer
    })
}

fn read_answer() -> anyhow::Result<String> {
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(answer.trim().to_owned())
}
