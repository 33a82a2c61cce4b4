use clap::CommandFactory as _;

use super::Cli;

#[test]
fn the_command_line_is_well_formed() {
    Cli::command().debug_assert();
}
