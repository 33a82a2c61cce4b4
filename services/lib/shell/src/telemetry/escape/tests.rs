use super::*;

fn written(texts: &[&str]) -> String {
    let mut line = String::new();
    let mut plain = EscapingWriter::new(&mut line);
    for text in texts {
        plain.write_str(text).unwrap();
    }
    line
}

#[test]
fn s_23_control_characters_are_escaped() {
    let hostile = [
        ("a\nERROR b", "a\\nERROR b"),
        ("a\r\tb", "a\\r\\tb"),
        ("\u{1b}[2J\u{1b}]0;x\u{7}", "\\u{1b}[2J\\u{1b}]0;x\\u{7}"),
        ("\u{9b}31m", "\\u{9b}31m"),
        ("\0", "\\u{0}"),
        ("ä …", "ä …"),
    ];
    for (text, expected) in hostile {
        assert_eq!(written(&[text]), expected);
    }
}

#[test]
fn s_23_endless_text_is_truncated_between_characters() {
    let long = "ä".repeat(1 << 20);
    let line = written(&["x", &long, "more"]);
    assert!(line.ends_with("ä…"), "{}", line.len());
    assert!(line.len() <= MAX_BYTES + 3);
    let lines = written(&["\n".repeat(1 << 20).as_str()]);
    assert!(lines.len() <= MAX_BYTES + 3 && !lines.contains('\n'));
}
