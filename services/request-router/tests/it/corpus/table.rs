//! A table of cases in a file: sections in brackets, and in each "name | text" with the escapes of Rust.

/// The cases of a section, in their order.
pub(super) fn section(table: &'static str, name: &str) -> Vec<(&'static str, &'static str)> {
    let head = format!("[{name}]");
    let lines = table.lines().skip_while(|line| *line != head).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let cases = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let cases: Vec<_> = cases
        .map(|line| {
            line.split_once(" | ")
                .unwrap_or_else(|| panic!("no text: {line}"))
        })
        .collect();
    assert!(!cases.is_empty(), "{name} has no cases");
    cases
}

/// Puts in what braces name, and then what backslashes stand for.
pub(super) fn fill(text: &str, words: &[(&str, String)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '\\']) {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at..];
        let taken = match rest.strip_prefix('{') {
            Some(inner) => {
                let end = inner.find('}').expect("a brace is closed");
                let word = words.iter().find(|(name, _)| *name == &inner[..end]);
                let (_, value) = word.unwrap_or_else(|| panic!("no word: {rest}"));
                bytes.extend_from_slice(value.as_bytes());
                end + 2
            }
            None => escape(rest, &mut bytes),
        };
        rest = &rest[taken..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

fn escape(text: &str, bytes: &mut Vec<u8>) -> usize {
    let byte = match text.as_bytes()[1] {
        b'r' => b'\r',
        b'n' => b'\n',
        b't' => b'\t',
        b'0' => 0,
        b'\\' => b'\\',
        b'x' => {
            bytes.push(u8::from_str_radix(&text[2..4], 16).expect("two digits"));
            return 4;
        }
        other => panic!("no escape: {other}"),
    };
    bytes.push(byte);
    2
}
