//! Errors of starting a sandbox.

use std::{io, net::SocketAddr, path::PathBuf};

/// Failure to start the API server, with the next step.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("cannot listen on {address}: {source}; give another address with --kube-listen")]
    Listen {
        address: SocketAddr,
        source: io::Error,
    },
    #[error("cannot use the data folder {}: {source}; give a folder that this user may write", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("the data folder {} is in use by another sandbox; stop that one or give another folder", path.display())]
    InUse { path: PathBuf },
    #[error(
        "{} was written by a newer version (format {found}, this one reads up to {known}); start the newer version or give another data folder",
        path.display()
    )]
    NewerFormat {
        path: PathBuf,
        found: u64,
        known: u64,
    },
    #[error("{} is damaged at byte {offset}: {cause}; move the file away to start empty", path.display())]
    Damaged {
        path: PathBuf,
        offset: u64,
        cause: String,
    },
    #[error("cannot make or read the TLS identity in {}: {cause}; remove its ca.crt and ca.key to make a new one", path.display())]
    Identity { path: PathBuf, cause: String },
}
