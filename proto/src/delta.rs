//! Binary deltas: encodes a state relative to a base state (zstd with the base as a raw dictionary).
//!
//! A patch is one zstd frame with its decoded size; [`apply`] rejects larger output than allowed. A patch does not identify its
//! base, so callers compare the digest of the result.

use std::cell::RefCell;

use bytes::Bytes;
use zstd::zstd_safe::{CCtx, CParameter, DCtx, compress_bound, get_frame_content_size};

const LEVEL: i32 = 3;
/// Windows of zstd, as powers of two.
const SMALLEST_WINDOW: u32 = 10;
const LARGEST_WINDOW: u32 = 27;
/// More bytes than the tables of the level remember: these are as large as is needed.
const LONG: usize = 512 << 10;
const SMALLEST_TABLE: u32 = 7;
/// What zstd takes for a dictionary of its own form, if it may, begins so.
const DICTIONARY: [u8; 4] = 0xEC30_A437_u32.to_le_bytes();
const ROOM: &str = "there is room for whatever the target becomes";

/// Reason why a patch cannot be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// It is none, or of another base.
    #[error("is no patch of this state")]
    Malformed,
    /// It makes too much.
    #[error("makes {size} bytes: at most {limit} are allowed")]
    TooLarge {
        /// How many bytes it says it makes.
        size: u64,
        /// How many it may make.
        limit: usize,
    },
}

thread_local! {
    /// Reused because setting up a context costs as much as a small patch.
    static MAKING: RefCell<CCtx<'static>> = RefCell::new(CCtx::create());
    static APPLYING: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

/// Encodes `target` relative to `base`.
#[must_use]
pub fn encode(base: &[u8], target: &[u8]) -> Vec<u8> {
    let mut patch = Vec::with_capacity(compress_bound(target.len()));
    if base.len() + target.len() > LONG || base.starts_with(&DICTIONARY) {
        make_long(base, target, &mut patch);
    } else {
        MAKING.with_borrow_mut(|context| {
            let made = context.compress_using_dict(&mut patch, target, base, LEVEL);
            made.expect(ROOM);
        });
    }
    patch.shrink_to_fit();
    patch
}

/// Its tables are too large to be kept, or its base is plain content by this way alone.
fn make_long(base: &[u8], target: &[u8], patch: &mut Vec<u8>) {
    let mut context = CCtx::create();
    // Of all of a base something can be found from the last byte of its target.
    let window = window(base.len() + target.len());
    let tables = (window - 3).max(SMALLEST_TABLE);
    for parameter in [
        CParameter::CompressionLevel(LEVEL),
        CParameter::WindowLog(window),
        CParameter::HashLog(tables),
        CParameter::ChainLog(tables),
    ] {
        context.set_parameter(parameter).expect(ROOM);
    }
    context.ref_prefix(base).expect(ROOM);
    context.compress2(patch, target).expect(ROOM);
}

/// What a patch makes of `base`, at most `limit` bytes.
///
/// # Errors
/// It is no patch, or says that it makes more; then nothing was made.
pub fn apply(base: &[u8], patch: &[u8], limit: usize) -> Result<Bytes, PatchError> {
    let told = get_frame_content_size(patch).map_err(|_| PatchError::Malformed)?;
    let size = told.ok_or(PatchError::Malformed)?;
    let known = usize::try_from(size).ok().filter(|size| *size <= limit);
    let room = known.ok_or(PatchError::TooLarge { size, limit })?;
    let mut target = Vec::with_capacity(room);
    let applied = if base.starts_with(&DICTIONARY) {
        let mut context = DCtx::create();
        let plain = context.ref_prefix(base);
        plain.and_then(|_| context.decompress(&mut target, patch))
    } else {
        APPLYING.with_borrow_mut(|context| context.decompress_using_dict(&mut target, patch, base))
    };
    applied.map_err(|_| PatchError::Malformed)?;
    if target.len() != room {
        return Err(PatchError::Malformed);
    }
    Ok(target.into())
}

/// Returns the decoded size from the frame header; 0 if it is not a patch.
#[must_use]
pub fn decoded_size(patch: &[u8]) -> u64 {
    let told = get_frame_content_size(patch).ok().flatten();
    told.unwrap_or(0)
}

fn window(bytes: usize) -> u32 {
    let log = usize::BITS - bytes.leading_zeros();
    log.clamp(SMALLEST_WINDOW, LARGEST_WINDOW)
}

#[cfg(test)]
mod tests;
