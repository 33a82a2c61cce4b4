//! Foreign text that is printed. Control characters could move the cursor, hide text or type on the user's behalf, so the types that
//! print remove them: table cells, lines, notes and documents.

use std::borrow::Cow;

/// Codes of the colours that this program writes itself.
const OWN_COLORS: [&str; 13] = [
    "\u{1b}[38;5;9m",
    "\u{1b}[38;5;10m",
    "\u{1b}[38;5;11m",
    "\u{1b}[39m",
    "\u{1b}[0m",
    "\u{1b}[1m",
    "\u{1b}[31m",
    "\u{1b}[32m",
    "\u{1b}[33m",
    "\u{1b}[34m",
    "\u{1b}[35m",
    "\u{1b}[36m",
    "\u{1b}[37m",
];

/// Removes control characters except newline and tab, and controls of the writing direction.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|it| !is_unsafe(*it)).collect())
}

/// The same, but keeps the colours of this program.
pub(super) fn clean_colored(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let (mut cleaned, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, color)) = next_color(rest) {
        cleaned.push_str(&clean(&rest[..before]));
        cleaned.push_str(color);
        rest = &rest[before + color.len()..];
    }
    cleaned.push_str(&clean(rest));
    Cow::Owned(cleaned)
}

fn next_color(text: &str) -> Option<(usize, &'static str)> {
    text.match_indices('\u{1b}').find_map(|(at, _)| {
        let own = OWN_COLORS.iter().find(|it| text[at..].starts_with(**it));
        own.map(|color| (at, *color))
    })
}

/// Escapes in JSON what its strings may hold and a terminal must not get.
pub(super) fn escape_json(json: String) -> String {
    if !json.contains(is_unsafe) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if is_unsafe(character) {
            escaped.push_str(&format!("\\u{:04x}", u32::from(character)));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

fn is_unsafe(character: char) -> bool {
    let control = character.is_control() && !matches!(character, '\n' | '\t');
    control || is_direction(character)
}

/// True for controls of bidirectional text.
fn is_direction(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests;
