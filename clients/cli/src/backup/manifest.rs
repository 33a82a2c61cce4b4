//! What a backup says of itself.

use anyhow::{Context as _, bail, ensure};
use causeway_database::{Dialect, PartTables};
use serde::{Deserialize, Serialize};

use super::PARTS;

/// The layout of a backup. Rises when an older program could not read it.
pub(super) const FORMAT: u32 = 2;

/// What is in a backup.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Manifest {
    pub(super) format: u32,
    /// The version of the program that made it.
    pub(super) version: String,
    /// As of when, in RFC 3339.
    pub(super) as_of: String,
    /// The id of the platform's root key, where that was there to be seen.
    pub(super) root_key: Option<String>,
    /// True if the keys are in it.
    pub(super) with_keys: bool,
    pub(super) parts: Vec<Part>,
    /// All files of it, in their order.
    pub(super) files: Vec<Member>,
}

/// What a part keeps.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part {
    pub(super) part: String,
    /// Which kind of database it was in.
    pub(super) database: Database,
    /// How many steps had been taken to its tables.
    pub(super) schema: usize,
    /// What each of them was, in hex.
    pub(super) steps: Vec<String>,
    pub(super) tables: Vec<Table>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Database {
    Sqlite,
    Postgres,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    pub(super) rows: u64,
}

/// A file of the backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) bytes: u64,
    /// In hex.
    pub(super) sha256: String,
}

impl From<Dialect> for Database {
    fn from(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Sqlite => Self::Sqlite,
            Dialect::Postgres => Self::Postgres,
        }
    }
}

impl Manifest {
    pub(super) fn parse(text: &[u8]) -> anyhow::Result<Self> {
        #[derive(Deserialize)]
        struct Head {
            format: u32,
            version: String,
        }
        let head: Head = serde_json::from_slice(text).context("its manifest cannot be read")?;
        if head.format > FORMAT {
            bail!(
                "it was made by causeway {} in the format {}, and this one knows the format {FORMAT}: restore it with that version",
                head.version,
                head.format
            );
        }
        serde_json::from_slice(text).context("its manifest cannot be read")
    }

    /// How many rows it has.
    pub(super) fn rows(&self) -> u64 {
        let tables = self.parts.iter().flat_map(|part| &part.tables);
        tables.map(|table| table.rows).sum()
    }
}

impl Part {
    /// The part as this program knows it, if its tables are ones that this program can make.
    pub(super) fn kept(&self, version: &str) -> anyhow::Result<PartTables> {
        let kept = PARTS.into_iter().find(|kept| kept.part == self.part);
        let kept = kept.with_context(|| {
            format!("it has a part {}, which this causeway does not have: restore it with causeway {version}", self.part)
        })?;
        let dialect = match self.database {
            Database::Sqlite => Dialect::Sqlite,
            Database::Postgres => Dialect::Postgres,
        };
        let ours = kept.steps(dialect);
        if self.steps.len() > ours.len() {
            bail!(
                "the {} in it has the schema {}, and this causeway knows {}: restore it with causeway {version} or a newer one",
                self.part,
                self.steps.len(),
                ours.len()
            );
        }
        let differs = ours
            .iter()
            .zip(&self.steps)
            .position(|(ours, theirs)| hex(ours) != *theirs);
        if let Some(step) = differs {
            bail!(
                "the step {} to the tables of the {} in it is not this causeway's (a version in development): restore it with the one that made it",
                step + 1,
                self.part
            );
        }
        ensure!(
            self.schema == self.steps.len(),
            "its manifest contradicts itself"
        );
        Ok(kept)
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
