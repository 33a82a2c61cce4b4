//! Records of the spool and how they are written: length, CRC-32, then JSON and the body of a webhook.

use std::collections::BTreeMap;

use flate2::Crc;
use serde::{Deserialize, Serialize};

use crate::delivery::{Delivery, Progress, Subscriber};

/// Bytes before the content: the length of it, its CRC and the length of the JSON.
pub(super) const HEAD: usize = 12;
/// A longer record is damaged.
const LONGEST: usize = 32 << 20;

/// A record. JSON never fails for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Record {
    /// A webhook, with its body behind.
    Received(Delivery),
    /// A webhook of a removed segment, without its body.
    Kept {
        delivery: Delivery,
        redeliveries: u32,
        progress: BTreeMap<Subscriber, Progress>,
    },
    /// What became of a webhook.
    Progress {
        number: u64,
        subscriber: Subscriber,
        progress: Progress,
    },
    /// The provider sent it again.
    Redelivered { number: u64 },
}

/// Why a record cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DamagedRecord {
    #[error("it ends in the middle of a record")]
    Cut,
    #[error("a checksum is wrong")]
    Checksum,
    #[error("a record cannot be understood")]
    Content,
}

/// A record that was read, and where its body is behind its start.
#[derive(Debug)]
pub(super) struct ReadRecord {
    pub(super) record: Record,
    /// Bytes of the whole record.
    pub(super) length: usize,
    pub(super) body: std::ops::Range<usize>,
}

/// Appends a record; returns where its body begins behind the start of the record.
pub(super) fn encode(record: &Record, body: &[u8], to: &mut Vec<u8>) -> usize {
    let json = serde_json::to_vec(record).expect("records have only text keys");
    let json_length = length(json.len());
    let mut crc = Crc::new();
    for piece in [json_length.as_slice(), &json, body] {
        crc.update(piece);
    }
    to.extend(length(json.len() + body.len()));
    to.extend(crc.sum().to_le_bytes());
    to.extend(json_length);
    to.extend(&json);
    to.extend(body);
    HEAD + json.len()
}

fn length(bytes: usize) -> [u8; 4] {
    u32::try_from(bytes).unwrap_or(u32::MAX).to_le_bytes()
}

/// Reads the first record.
pub(super) fn decode(bytes: &[u8]) -> Result<ReadRecord, DamagedRecord> {
    let (head, rest) = bytes.split_at_checked(HEAD).ok_or(DamagedRecord::Cut)?;
    let number = |at: usize| {
        let four = head[at..at + 4].try_into().expect("four bytes");
        u32::from_le_bytes(four)
    };
    let (size, json_size) = (number(0) as usize, number(8) as usize);
    if size > LONGEST || json_size > size {
        return Err(DamagedRecord::Checksum);
    }
    let content = rest.get(..size).ok_or(DamagedRecord::Cut)?;
    let mut crc = Crc::new();
    crc.update(&head[8..]);
    crc.update(content);
    if crc.sum() != number(4) {
        return Err(DamagedRecord::Checksum);
    }
    let record = serde_json::from_slice(&content[..json_size]);
    Ok(ReadRecord {
        record: record.map_err(|_| DamagedRecord::Content)?,
        length: HEAD + size,
        body: HEAD + json_size..HEAD + size,
    })
}
