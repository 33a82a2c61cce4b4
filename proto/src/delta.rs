//! Binary deltas: encodes a state relative to a base state (zstd with the base as a raw dictionary).
//!
//! A patch is one zstd frame with its decoded size; [`apply`] rejects larger output than allowed. A patch does not identify its
//! base, so callers compare the digest of the result.

use std::cell::RefCell;

use bytes::Bytes;
use zstd::zstd_safe::{CCtx, CParameter, DCtx, compress_bound, get_frame_content_size};

const LEVEL: i32 = 3;
/// Limits of the zstd window, as powers of two.
const SMALLEST_WINDOW: u32 = 10;
const LARGEST_WINDOW: u32 = 27;
/// Base and target above this size need larger tables than the compression level has.
const LONG: usize = 512 << 10;
const SMALLEST_TABLE: u32 = 7;
/// Magic number of a trained zstd dictionary. A base that starts with it must still be treated as raw content.
const DICTIONARY: [u8; 4] = 0xEC30_A437_u32.to_le_bytes();
const ENCODES: &str = "the buffer has the size that zstd requires and all parameters are valid";

/// Reason why a patch cannot be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    #[error("is not a patch of this state")]
    Malformed,
    #[error("decodes to {size} bytes: at most {limit} are allowed")]
    TooLarge { size: u64, limit: usize },
}

thread_local! {
    /// Reused because setting up a context costs as much as a small patch.
    static ENCODER: RefCell<CCtx<'static>> = RefCell::new(CCtx::create());
    static DECODER: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

/// Encodes `target` relative to `base`.
#[must_use]
pub fn encode(base: &[u8], target: &[u8]) -> Vec<u8> {
    let mut patch = Vec::with_capacity(compress_bound(target.len()));
    if base.len() + target.len() > LONG || base.starts_with(&DICTIONARY) {
        encode_long(base, target, &mut patch);
    } else {
        ENCODER.with_borrow_mut(|context| {
            let compressed = context.compress_using_dict(&mut patch, target, base, LEVEL);
            compressed.expect(ENCODES);
        });
    }
    patch.shrink_to_fit();
    patch
}

/// Encodes with a fresh context: its tables are too large to retain, and only `ref_prefix` treats every base as raw content.
fn encode_long(base: &[u8], target: &[u8], patch: &mut Vec<u8>) {
    let mut context = CCtx::create();
    // The window spans base and target, so that the last byte of the target can still match the first byte of the base.
    let window = window(base.len() + target.len());
    let tables = (window - 3).max(SMALLEST_TABLE);
    for parameter in [
        CParameter::CompressionLevel(LEVEL),
        CParameter::WindowLog(window),
        CParameter::HashLog(tables),
        CParameter::ChainLog(tables),
    ] {
        context.set_parameter(parameter).expect(ENCODES);
    }
    context.ref_prefix(base).expect(ENCODES);
    context.compress2(patch, target).expect(ENCODES);
}

/// Applies a patch to `base`; the result has at most `limit` bytes.
///
/// # Errors
/// Not a patch of `base`, or its declared size exceeds `limit`; then nothing is decoded.
pub fn apply(base: &[u8], patch: &[u8], limit: usize) -> Result<Bytes, PatchError> {
    let declared = get_frame_content_size(patch).map_err(|_| PatchError::Malformed)?;
    let size = declared.ok_or(PatchError::Malformed)?;
    let allowed = usize::try_from(size).ok().filter(|size| *size <= limit);
    let capacity = allowed.ok_or(PatchError::TooLarge { size, limit })?;
    let mut target = Vec::with_capacity(capacity);
    let applied = if base.starts_with(&DICTIONARY) {
        let mut context = DCtx::create();
        let raw = context.ref_prefix(base);
        raw.and_then(|_| context.decompress(&mut target, patch))
    } else {
        DECODER.with_borrow_mut(|context| context.decompress_using_dict(&mut target, patch, base))
    };
    applied.map_err(|_| PatchError::Malformed)?;
    if target.len() != capacity {
        return Err(PatchError::Malformed);
    }
    Ok(target.into())
}

/// Returns the decoded size from the frame header; 0 if it is not a patch.
#[must_use]
pub fn decoded_size(patch: &[u8]) -> u64 {
    let declared = get_frame_content_size(patch).ok().flatten();
    declared.unwrap_or(0)
}

fn window(bytes: usize) -> u32 {
    let log = usize::BITS - bytes.leading_zeros();
    log.clamp(SMALLEST_WINDOW, LARGEST_WINDOW)
}

#[cfg(test)]
mod tests;
