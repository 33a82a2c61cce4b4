//! Encodings that are hashed and signed, as the contract defines them for `AuditEntry` and `AuditSeal`.

use causeway_proto::{
    platform::v1::{self as pb, audit_entry::Body},
    time::timestamp_to_millis,
};
use prost_types::Timestamp;
use sha2::{Digest as _, Sha256};

const ENTRY: &[u8] = b"causeway-audit-entry-v1";
const CHECKPOINT: &[u8] = b"causeway-audit-checkpoint-v1";

/// SHA-256 of an entry.
pub type Hash = [u8; 32];

/// Encoder that prefixes each field with its length.
struct Fields(Vec<u8>);

impl Fields {
    fn bytes(&mut self, field: &[u8]) -> &mut Self {
        let length = u32::try_from(field.len()).unwrap_or(u32::MAX);
        self.0.extend(length.to_be_bytes());
        self.0.extend(field);
        self
    }

    fn number(&mut self, field: u64) -> &mut Self {
        self.bytes(&field.to_be_bytes())
    }

    fn time(&mut self, millis: i64) -> &mut Self {
        self.bytes(&millis.to_be_bytes())
    }

    fn seal(&mut self, seal: &pb::AuditSeal) {
        let key = seal.signing_key.clone().unwrap_or_default();
        let seconds = |time: Option<Timestamp>| time.map_or(0, |time| time.seconds);
        self.bytes(&seal.hash).bytes(&key.public_key);
        self.time(seconds(key.not_before))
            .time(seconds(key.not_after));
        self.bytes(&key.root_signature).bytes(&seal.signature);
    }

    fn intent(&mut self, intent: &pb::AuditIntent) {
        for text in [
            &intent.audit_id,
            &intent.subject,
            &intent.credential,
            &intent.method,
            &intent.permission,
            &intent.runtime,
            &intent.target,
            &intent.request_id,
            &intent.trace_id,
            &intent.source_address,
        ] {
            self.bytes(text.as_bytes());
        }
    }

    fn body(&mut self, body: &Body) {
        match body {
            Body::Intent(intent) => self.bytes(b"intent").intent(intent),
            Body::Denial(denial) => {
                let intent = denial.intent.clone().unwrap_or_default();
                self.bytes(b"denial").intent(&intent);
                self.number(denial.code.into())
                    .bytes(denial.message.as_bytes());
            }
            Body::Outcome(outcome) => {
                self.bytes(b"outcome").bytes(outcome.audit_id.as_bytes());
                let number = u64::try_from(outcome.outcome).unwrap_or(u64::MAX);
                self.number(outcome.closes).number(number);
                self.number(outcome.code.into())
                    .bytes(outcome.message.as_bytes());
            }
            Body::Checkpoint(seal) => self.bytes(b"checkpoint").seal(seal),
            Body::Retention(retention) => {
                self.bytes(b"retention").number(retention.through);
                self.time(millis(retention.before.as_ref()));
            }
        }
    }
}

/// Converts to milliseconds since 1970; 0 if absent.
pub(super) fn millis(time: Option<&Timestamp>) -> i64 {
    time.map_or(0, timestamp_to_millis)
}

/// Hashes an entry of a chain with the hash of its predecessor.
pub(super) fn hash(before: &Hash, chain: &str, entry: &pb::AuditEntry) -> Hash {
    let mut fields = Fields(Vec::with_capacity(512));
    fields.0.extend(before);
    fields.bytes(ENTRY).bytes(chain.as_bytes());
    fields
        .number(entry.sequence)
        .time(millis(entry.at.as_ref()));
    if let Some(body) = &entry.body {
        fields.body(body);
    }
    Sha256::digest(&fields.0).into()
}

/// Returns the signed bytes for a chain that ends with an entry.
pub(super) fn statement(chain: &str, sequence: u64, hash: &[u8], at: i64) -> Vec<u8> {
    let mut fields = Fields(Vec::new());
    fields.bytes(CHECKPOINT).bytes(chain.as_bytes());
    fields.number(sequence).bytes(hash).time(at);
    fields.0
}
