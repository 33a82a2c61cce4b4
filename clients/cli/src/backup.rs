//! `causeway backup` and `causeway restore`: all data of a platform in one file, made while it runs.
//!
//! They run on the platform's machine. No RPC does this, since the file opens everything.

mod archive;
mod keys;
mod make;
mod manifest;
mod place;
mod restore;
mod rows;
mod signature;

use causeway_database::PartTables;

pub use self::archive::read_backup;
pub(crate) use self::{make::BackupArgs, restore::RestoreArgs};

/// What parts keep. What is kept by the first ones names nothing that those behind them do not know, if they are looked at in this
/// order.
const PARTS: [PartTables; 2] = [causeway_inventory::KEPT, causeway_platform::KEPT];

#[cfg(test)]
mod tests;
