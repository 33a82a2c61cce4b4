use clap::CommandFactory as _;

use super::{Cli, flags};

#[test]
fn the_command_line_is_well_formed() {
    flags::added(Cli::command()).debug_assert();
}

/// Fails where a text that begins with "causeway" names a command that is not there.
pub(crate) fn check_command(text: &str) {
    let mut words = text.split_whitespace();
    if words.next() != Some("causeway") {
        return;
    }
    let mut command = Cli::command();
    for word in words.take_while(|word| word.starts_with(|it: char| it.is_ascii_lowercase())) {
        if !command.has_subcommands() {
            return;
        }
        let found = command.find_subcommand(word);
        let found = found.unwrap_or_else(|| panic!("'{text}' names '{word}', which is not there"));
        command = found.clone();
    }
}
