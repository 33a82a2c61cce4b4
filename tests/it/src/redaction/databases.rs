//! What the platform keeps: every file as it is, and every value of every table, decompressed where it is compressed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use sqlx::{ConnectOptions as _, sqlite::SqliteConnectOptions};

use super::wire::decompressed;
use crate::containment::database::every_value;

/// Each file below a folder.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let found = entries.flat_map(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path)
        } else {
            vec![path]
        }
    });
    found.collect()
}

/// Everything in the files of a folder, write-ahead logs included, and in the tables of its databases.
pub(super) async fn everything(folder: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for file in files(folder) {
        all.extend(fs::read(&file).unwrap());
        if file.extension().is_some_and(|ending| ending == "db") {
            all.extend(values(&file).await);
        }
    }
    all
}

async fn values(file: &Path) -> Vec<u8> {
    let options = SqliteConnectOptions::new().filename(file).read_only(true);
    let mut database = options.connect().await.unwrap();
    let values = every_value(&mut database).await;
    assert!(!values.is_empty(), "{}", file.display());
    let mut all = Vec::new();
    for (_, value) in values {
        all.extend(decompressed(&value));
        all.extend(value);
    }
    all
}
