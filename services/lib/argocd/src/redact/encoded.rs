//! Secrets in another writing: base64 and percent-encoding of a text that would be redacted as it is.

use base64::{
    Engine as _,
    alphabet::{STANDARD, URL_SAFE},
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use percent_encoding::percent_decode_str;

/// Below it nothing fits that has a name and a secret.
const SHORTEST: usize = 16;
const LONGEST: usize = 1 << 20;
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
static PLAIN: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
static FOR_ADDRESSES: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);

/// The bytes of a text in base64 of either alphabet; nothing where it is none.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    if text.is_empty() || text.len() > LONGEST {
        return None;
    }
    let engine = match text.contains(['-', '_']) {
        true => &FOR_ADDRESSES,
        false => &PLAIN,
    };
    engine.decode(text).ok()
}

/// Puts the mark of each run of characters in its place that is the encoding of a text with a secret in it.
pub(super) fn hide(
    text: String,
    reveals: &dyn Fn(&str) -> bool,
    mark: &dyn Fn(&str) -> String,
) -> String {
    let text = replaced(text, in_base64, &|run| {
        let bytes = decoded(run)?;
        let inner = String::from_utf8(bytes).ok()?;
        reveals(&inner).then(|| mark(&inner))
    });
    if !text.contains('%') {
        return text;
    }
    replaced(text, in_address, &|run| {
        if !run.contains('%') {
            return None;
        }
        let inner = percent_decode_str(run).decode_utf8().ok()?;
        (inner != run && reveals(&inner)).then(|| mark(&inner))
    })
}

fn replaced(
    text: String,
    of_run: fn(char) -> bool,
    replacement: &dyn Fn(&str) -> Option<String>,
) -> String {
    let mut out = String::new();
    let (mut rest, mut done) = (text.as_str(), 0);
    while let Some(start) = rest.find(of_run) {
        let run = &rest[start..];
        let run = &run[..run.find(|it| !of_run(it)).unwrap_or(run.len())];
        let at = text.len() - rest.len() + start;
        if (SHORTEST..=LONGEST).contains(&run.len())
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

fn in_base64(character: char) -> bool {
    character.is_ascii_alphanumeric() || "+/-_=".contains(character)
}

fn in_address(character: char) -> bool {
    !character.is_whitespace() && !"\"'<>\\(){}[],;".contains(character)
}
