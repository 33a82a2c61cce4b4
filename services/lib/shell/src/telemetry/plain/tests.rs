use super::*;

fn written(texts: &[&str]) -> String {
    let mut line = String::new();
    let mut plain = Plain::new(&mut line);
    for text in texts {
        plain.write_str(text).unwrap();
    }
    line
}

#[test]
fn s_23_what_moves_a_terminal_or_begins_a_line_is_written_out() {
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
fn s_23_a_text_without_end_is_cut_between_characters() {
    let long = "ä".repeat(1 << 20);
    let line = written(&["x", &long, "more"]);
    assert!(line.ends_with("ä…"), "{}", line.len());
    assert!(line.len() <= LONGEST + 3);
    let lines = written(&["\n".repeat(1 << 20).as_str()]);
    assert!(lines.len() <= LONGEST + 3 && !lines.contains('\n'));
}
