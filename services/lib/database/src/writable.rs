//! Whether a database accepts writes.

use std::path::{Path, PathBuf};

use sqlx::Error;

use crate::{
    Database,
    dialect::{POSTGRES_WRITE, SQLITE_WRITE},
    query,
};

/// Free space below which a disk is full, in bytes: the journal and one large transaction need it.
const MIN_FREE: u64 = 32 << 20;

/// Why a database accepts no writes; one line with the next step.
#[derive(Debug, thiserror::Error)]
pub enum UnwritableError {
    /// A write failed.
    #[error("the database cannot be written ({0}): check its disk, its permissions or its server")]
    Write(Error),
    /// The disk has too little free space.
    #[error("the disk of {} is full ({} MiB are free): free space or enlarge the volume", .folder.display(), .free >> 20)]
    DiskFull {
        folder: PathBuf,
        /// In bytes.
        free: u64,
    },
}

impl Database {
    /// Commits a write that changes nothing.
    ///
    /// # Errors
    /// The database cannot be written, or the disk of its file is full.
    pub async fn check_writable(&self) -> Result<(), UnwritableError> {
        if let Self::Sqlite(database) = self {
            check_disk(&database.file)?;
        }
        match self.write_nothing().await {
            // Others write: the database is busy, which is no defect.
            Ok(()) | Err(Error::PoolTimedOut) => Ok(()),
            Err(error) => Err(UnwritableError::Write(error)),
        }
    }

    async fn write_nothing(&self) -> Result<(), Error> {
        let statement = match self {
            Self::Sqlite(_) => SQLITE_WRITE,
            Self::Postgres(_) => POSTGRES_WRITE,
        };
        let mut transaction = self.begin().await?;
        query(statement).fetch_optional(&mut transaction).await?;
        transaction.commit().await
    }
}

/// A disk that cannot be examined is not full: the write tells.
fn check_disk(file: &Path) -> Result<(), UnwritableError> {
    let folder = file.parent().unwrap_or(file);
    let Ok(disk) = rustix::fs::statvfs(folder) else {
        return Ok(());
    };
    // File systems without a size, as of some containers, report zero blocks.
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if disk.f_blocks > 0 && free < MIN_FREE {
        let folder = folder.to_owned();
        return Err(UnwritableError::DiskFull { folder, free });
    }
    Ok(())
}
