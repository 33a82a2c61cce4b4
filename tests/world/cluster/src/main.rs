//! Builds and starts real clusters for a person; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    causeway_cluster::main()
}
