//! Questions at the terminal.

use std::io::IsTerminal as _;

use anyhow::bail;

use crate::output;

/// Asks at the terminal; only a yes is a yes.
pub(crate) fn confirm(question: &str) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        bail!("{question} Nobody is there to be asked: give --yes");
    }
    output::note(format!("{question} [y/N]"));
    Ok(matches!(answer()?.as_str(), "y" | "Y" | "yes"))
}

/// Asks for a line; nothing means what is usual.
pub(crate) fn line(question: &str, usual: &str) -> anyhow::Result<String> {
    output::note(format!("{question} [{usual}]"));
    let answer = answer()?;
    Ok(match answer.is_empty() {
        true => usual.to_owned(),
        false => answer,
    })
}

fn answer() -> anyhow::Result<String> {
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(answer.trim().to_owned())
}
