//! The one binary: everything is in the library.

use std::process::ExitCode;

/// `.cargo/config.toml` says what it is built to do.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    causeway_cli::main()
}
