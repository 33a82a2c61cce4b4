//! Which plain scalars are not strings, by YAML 1.1 or 1.2.
//!
//! Readers differ in the version, so a text counts as a string only where both agree.

/// Whether every reader takes this plain scalar for a string.
pub(crate) fn is_string(text: &str) -> bool {
    !is_word(text) && !is_number(text) && !is_time(text)
}

pub(crate) fn is_null(text: &str) -> bool {
    ["", "~", "null", "Null", "NULL"].contains(&text)
}

fn is_word(text: &str) -> bool {
    const WORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
    let lower = text.to_ascii_lowercase();
    is_null(text) || WORDS.contains(&lower.as_str()) || ["=", "<<"].contains(&text)
}

fn is_number(text: &str) -> bool {
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    let lower = body.to_ascii_lowercase();
    [".inf", ".nan"].contains(&lower.as_str())
        || is_radix(&lower)
        || is_sexagesimal(body)
        || is_decimal(&lower)
}

fn is_radix(lower: &str) -> bool {
    let forms: [(&str, u32); 3] = [("0x", 16), ("0o", 8), ("0b", 2)];
    forms.iter().any(|(prefix, radix)| {
        let digits = lower.strip_prefix(prefix);
        digits
            .is_some_and(|it| !it.is_empty() && it.chars().all(|c| c == '_' || c.is_digit(*radix)))
    })
}

/// `190:20:30`, which YAML 1.1 reads in base 60.
fn is_sexagesimal(body: &str) -> bool {
    let starts = body.starts_with(|c: char| c.is_ascii_digit());
    let digits = |c: char| c.is_ascii_digit() || ":_.".contains(c);
    starts && body.contains(':') && body.chars().all(digits)
}

/// `1`, `1_000`, `1.5`, `.5`, `1e3`; `1.2.3` is none.
fn is_decimal(lower: &str) -> bool {
    let (mantissa, exponent) = match lower.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (lower, None),
    };
    let digit = mantissa.contains(|c: char| c.is_ascii_digit());
    let allowed = mantissa
        .chars()
        .all(|c| c.is_ascii_digit() || "_.".contains(c));
    let dots = mantissa.matches('.').count() <= 1;
    let starts = mantissa.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    digit && allowed && dots && starts && exponent.is_none_or(is_exponent)
}

fn is_exponent(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
}

/// `2001-12-14` and longer forms.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let starts = bytes.len() >= 8 && bytes[..4].iter().all(u8::is_ascii_digit);
    let allowed = |c: char| c.is_ascii_digit() || "-:.tTzZ+ ".contains(c);
    starts && bytes[4] == b'-' && text.chars().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_of_both_versions_are_no_strings() {
        for text in [
            "",
            "~",
            "null",
            "NULL",
            "true",
            "Yes",
            "off",
            "N",
            "1",
            "-1",
            "+12",
            "1_000",
            "0x1F",
            "0o7",
            "0b1",
            "1.5",
            ".5",
            "1.",
            "1e3",
            "123e456",
            "-1.5E-3",
            ".inf",
            "-.INF",
            ".NaN",
            "190:20:30",
            "2001-12-14",
            "2001-12-14t21:59:43.10-05:00",
        ] {
            assert!(!is_string(text), "{text}");
        }
    }

    #[test]
    fn versions_tags_and_names_are_strings() {
        for text in [
            "1.2.3",
            "v1",
            "a",
            "1.2.3-rc1",
            "0x",
            "e3",
            "1e",
            "12ab",
            "-",
            "2024-release",
            "nope",
        ] {
            assert!(is_string(text), "{text}");
        }
    }
}
