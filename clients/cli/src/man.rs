//! `causeway man`: the help of every command as manual pages.

use std::{fs, path::PathBuf};

use anyhow::Context as _;
use clap::Command;

use crate::{help, output};

/// Write a manual page for every command
#[derive(clap::Args, Debug)]
pub(crate) struct ManArgs {
    /// The folder for the pages, for example /usr/local/share/man/man1
    #[arg(long, value_name = "FOLDER")]
    dir: PathBuf,
}

impl ManArgs {
    pub(crate) fn run(&self, command: Command) -> anyhow::Result<()> {
        let folder = &self.dir;
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let command = help::with_examples(command.disable_help_subcommand(true));
        clap_mangen::generate_to(command, folder)
            .with_context(|| format!("cannot write into {}", folder.display()))?;
        output::line(format!(
            "{}: read the first page with 'man -l causeway.1'",
            folder.display()
        ))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::{Cli, flags};

    #[test]
    fn every_command_has_a_page_with_the_flags_that_it_has_by_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("man1");
        let args = ManArgs { dir: dir.clone() };
        args.run(flags::with_common_flags(Cli::command())).unwrap();
        let page = fs::read_to_string(dir.join("causeway-app-list.1")).unwrap();
        assert!(page.contains("sort\\-by"), "{page}");
        assert!(page.contains("health Degraded,Missing"), "{page}");
        for command in Cli::command().get_subcommands() {
            let page = dir.join(format!("causeway-{}.1", command.get_name()));
            assert!(page.exists(), "{}", page.display());
        }
    }
}
