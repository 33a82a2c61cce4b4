//! `causeway backup` and `causeway restore`: all that a platform keeps in one file, made while it runs, and put into an empty place.
//! For whoever has the machine of the platform: no RPC does this, since what is in it opens everything.

mod archive;
mod keys;
mod make;
mod manifest;
mod place;
mod restore;
mod rows;

use causeway_database::PartTables;

pub(crate) use self::{make::BackupArgs, restore::RestoreArgs};

/// What parts keep. What is kept by the first ones names nothing that those behind them do not know, if they are looked at in this
/// order.
const PARTS: [PartTables; 2] = [causeway_inventory::KEPT, causeway_platform::KEPT];

#[cfg(test)]
mod tests;
