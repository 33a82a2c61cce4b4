//! Bounds on the work and the output of one redaction.

use std::cell::Cell;

use serde_json::Value;

/// Work that any object may take, in units of scanned bytes, besides its share by size.
const BASE_WORK: usize = 8 << 20;
/// Work and added output for each byte of the object.
const PER_BYTE: usize = 4;
/// Output that placeholders may add to any object, besides its share by size.
const BASE_OUTPUT: usize = 64 << 10;

/// Cost of one byte, or of one keyed hash, measured against a JSON parse.
#[derive(Clone, Copy)]
pub(super) enum Work {
    Json = 1,
    Scan = 4,
    Yaml = 16,
    Hash = 512,
}

/// Remaining work and output. A hostile object costs as much as its size allows and not more.
pub(super) struct Budget {
    work: Cell<usize>,
    output: Cell<usize>,
}

impl Budget {
    /// Returns the budget of an object or a text of this many bytes.
    pub(super) fn for_bytes(bytes: usize) -> Self {
        Self {
            work: Cell::new(BASE_WORK + PER_BYTE * bytes),
            output: Cell::new(BASE_OUTPUT + (PER_BYTE - 1) * bytes),
        }
    }

    /// Takes the cost of some bytes; false if not enough is left.
    pub(super) fn spend(&self, work: Work, bytes: usize) -> bool {
        take(&self.work, bytes.saturating_mul(work as usize))
    }

    /// Takes the growth of the output; false if not enough is left.
    pub(super) fn grow(&self, bytes: usize) -> bool {
        take(&self.output, bytes)
    }
}

fn take(left: &Cell<usize>, amount: usize) -> bool {
    let rest = left.get().checked_sub(amount);
    left.set(rest.unwrap_or(0));
    rest.is_some()
}

/// Returns the size of an object: the bytes of its texts and names, and one for every other value.
pub(super) fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(list) => 1 + list.iter().map(size).sum::<usize>(),
        Value::Object(map) => {
            let fields = map.iter();
            1 + fields
                .map(|(key, value)| key.len() + size(value))
                .sum::<usize>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}
