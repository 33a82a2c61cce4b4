//! What reads bytes of strangers, one function for each subject. The fuzz targets in `targets/` and the tests here call the same
//! functions, so that inputs of the one are inputs of the other. Each function returns, whatever it reads, and stays within its
//! bounds.

mod assertion;
mod connection;
mod page_token;
mod redact;

pub use assertion::assertion;
pub use connection::{frames, head};
pub use page_token::page_token;
pub use redact::redact;

/// Most bytes of a state that a delta makes here.
const MAX_STATE: usize = 1 << 20;

/// Reads bytes from outside; it must not panic.
pub type Reader = fn(&[u8]);

/// Every subject by its name, which is that of its fuzz target and of its folder in `corpus/`.
pub const SUBJECTS: [(&str, Reader); 8] = [
    ("archive", archive),
    ("assertion", assertion),
    ("delta", delta),
    ("frames", frames),
    ("head", head),
    ("page_token", page_token),
    ("redact", redact),
    ("transcode", transcode),
];

/// Reads a backup, as `causeway restore` does.
pub fn archive(data: &[u8]) {
    // Nearly every input is no backup; what counts is that it is read to its end.
    let _ = causeway_cli::read_backup(data);
}

/// Applies a delta: the first byte is the length of its base.
///
/// # Panics
/// The state is larger than its limit.
pub fn delta(data: &[u8]) {
    let Some((length, rest)) = data.split_first() else {
        return;
    };
    let (base, patch) = rest.split_at(rest.len().min(usize::from(*length)));
    let _ = causeway_proto::delta::decoded_size(patch);
    if let Ok(state) = causeway_proto::delta::apply(base, patch, MAX_STATE) {
        assert!(state.len() <= MAX_STATE);
    }
}

/// Translates a request: the first byte chooses the method, its query ends with a line.
pub fn transcode(data: &[u8]) {
    let Some((method, rest)) = data.split_first() else {
        return;
    };
    let end = rest.iter().position(|byte| *byte == b'\n');
    let (query, body) = rest.split_at(end.unwrap_or(0));
    let query = String::from_utf8_lossy(query);
    causeway_request_router::transcode_for_test(usize::from(*method), &query, body);
}

#[cfg(test)]
mod tests;
