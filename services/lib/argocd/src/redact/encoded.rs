//! Encoded secrets: base64 and percent-encoding of a text that would be redacted in plain form.

use std::io::Read as _;

use base64::{
    Engine as _,
    alphabet::{STANDARD, URL_SAFE},
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use flate2::read::GzDecoder;
use percent_encoding::percent_decode_str;

/// A shorter encoding has no room for a name and a secret.
const MIN_RUN: usize = 16;
const MAX_RUN: usize = 1 << 20;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const MAX_UNCOMPRESSED: u64 = 256 << 10;
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
static STANDARD_ENGINE: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
static URL_SAFE_ENGINE: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);

/// Decodes base64 of either alphabet; `None` if the text is not base64.
pub(super) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    if text.is_empty() || text.len() > MAX_RUN {
        return None;
    }
    let engine = if text.contains(['-', '_']) {
        &URL_SAFE_ENGINE
    } else {
        &STANDARD_ENGINE
    };
    engine.decode(text).ok()
}

/// Replaces each run of characters that encodes a secret with a placeholder.
pub(super) fn hide_encoded(
    text: String,
    reveals: &dyn Fn(&str) -> bool,
    placeholder: &dyn Fn(&str) -> String,
) -> String {
    let text = replace_runs(text, is_base64, &|run| {
        let bytes = decode_base64(run)?;
        if bytes.starts_with(&GZIP_MAGIC) {
            return hides_compressed(&bytes, reveals).then(|| placeholder(run));
        }
        let inner = String::from_utf8(bytes).ok()?;
        reveals(&inner).then(|| placeholder(&inner))
    });
    if !text.contains('%') {
        return text;
    }
    replace_runs(text, is_url_character, &|run| {
        if !run.contains('%') {
            return None;
        }
        let inner = percent_decode_str(run).decode_utf8().ok()?;
        (inner != run && reveals(&inner)).then(|| placeholder(&inner))
    })
}

/// Returns true if a gzip stream holds a secret, or more than can be checked.
fn hides_compressed(bytes: &[u8], reveals: &dyn Fn(&str) -> bool) -> bool {
    let mut inner = Vec::new();
    let mut reader = GzDecoder::new(bytes).take(MAX_UNCOMPRESSED + 1);
    // A broken stream is judged by what it gave before it broke.
    let _ = reader.read_to_end(&mut inner);
    let too_large = inner.len() as u64 > MAX_UNCOMPRESSED;
    too_large || reveals(&String::from_utf8_lossy(&inner))
}

fn replace_runs(
    text: String,
    is_in_run: fn(char) -> bool,
    replacement: &dyn Fn(&str) -> Option<String>,
) -> String {
    let mut out = String::new();
    let (mut rest, mut done) = (text.as_str(), 0);
    while let Some(start) = rest.find(is_in_run) {
        let run = &rest[start..];
        let run = &run[..run.find(|it| !is_in_run(it)).unwrap_or(run.len())];
        let at = text.len() - rest.len() + start;
        if (MIN_RUN..=MAX_RUN).contains(&run.len())
            && let Some(new) = replacement(run)
        {
            out.push_str(&text[done..at]);
            out.push_str(&new);
            done = at + run.len();
        }
        rest = &rest[start + run.len()..];
    }
    match done {
        0 => text,
        _ => out + &text[done..],
    }
}

fn is_base64(character: char) -> bool {
    character.is_ascii_alphanumeric() || "+/-_=".contains(character)
}

fn is_url_character(character: char) -> bool {
    !character.is_whitespace() && !"\"'<>\\(){}[],;".contains(character)
}
