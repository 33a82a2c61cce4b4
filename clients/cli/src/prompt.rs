//! Prompts at the terminal.

use std::io::IsTerminal as _;

use anyhow::bail;

use crate::output;

/// The flag of commands that ask before they act.
#[derive(clap::Args, Debug, Clone, Copy)]
pub(crate) struct ConfirmArgs {
    /// Skip the confirmation prompt
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// A command that must ask has no terminal for it. Nothing was sent.
#[derive(Debug, thiserror::Error)]
#[error("{0} There is no terminal to ask on: pass --yes")]
pub(crate) struct Unconfirmed(String);

impl ConfirmArgs {
    /// Asks unless --yes is set.
    ///
    /// # Errors
    /// The user declined, or there is no terminal.
    pub(crate) fn confirm(self, question: &str) -> anyhow::Result<()> {
        if !self.yes && !confirm(question)? {
            bail!("nothing was done");
        }
        Ok(())
    }
}

/// Asks for confirmation at the terminal.
pub(crate) fn confirm(question: &str) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Err(Unconfirmed(question.to_owned()).into());
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
