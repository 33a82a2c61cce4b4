//! The one binary: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    causeway_cli::main()
}
