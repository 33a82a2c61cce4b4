use std::collections::VecDeque;

use futures::{StreamExt as _, TryStreamExt as _, executor::block_on, stream};

use super::*;

/// What comes of pieces that arrive one by one.
fn read(pieces: &[&[u8]], grep: Option<Grep>) -> Vec<String> {
    let pieces: VecDeque<Vec<u8>> = pieces.iter().map(|piece| piece.to_vec()).collect();
    // Each comes alone: nothing is there without waiting for it.
    let arriving = stream::unfold((pieces, false), |(mut pieces, came)| async move {
        if came {
            futures::pending!();
        }
        let piece = pieces.pop_front()?;
        Some((Ok::<_, io::Error>(piece), (pieces, true)))
    });
    let mut source = Box::pin(arriving.boxed().into_async_read());
    let mut lines = LineBuffer::new(grep);
    let waker = futures::task::noop_waker();
    let mut context = std::task::Context::from_waker(&waker);
    let mut texts = Vec::new();
    loop {
        let next = {
            let mut next = Box::pin(lines.next(&mut source));
            loop {
                if let std::task::Poll::Ready(next) = next.as_mut().poll(&mut context) {
                    break next.unwrap();
                }
            }
        };
        match next {
            Some(text) => texts.push(text),
            None => return texts,
        }
    }
}

fn grep(text: &str, regex: bool, ignore_case: bool, wanted: LineMatch) -> Option<Grep> {
    let reading = PatternOptions { regex, ignore_case };
    Some(Grep::read(text, reading, wanted).unwrap())
}

#[test]
fn lines_come_whole_however_they_arrive() {
    assert_eq!(
        read(&[b"one\ntw", b"o\nthree"], None),
        ["one\n", "two\n", "three"]
    );
    assert_eq!(read(&[b"a", b"b", b"\n"], None), ["ab\n"]);
    assert_eq!(read(&[], None), Vec::<String>::new());
    assert_eq!(read(&[b"\n\n"], None), ["\n\n"]);
}

#[test]
fn what_is_there_at_once_comes_at_once() {
    let many = "line\n".repeat(1_000);
    let mut source = futures::io::Cursor::new(many.clone().into_bytes());
    let text = block_on(LineBuffer::default().next(&mut source)).unwrap();
    assert_eq!(text.as_deref(), Some(many.as_str()));
}

#[test]
fn a_long_line_comes_in_pieces_and_no_character_is_broken() {
    let line = "é".repeat(MOST);
    let mut source = futures::io::Cursor::new(line.clone().into_bytes());
    let mut lines = LineBuffer::default();
    let mut all = String::new();
    while let Some(text) = block_on(lines.next(&mut source)).unwrap() {
        assert!(text.len() <= MOST, "{}", text.len());
        all.push_str(&text);
    }
    assert_eq!(all, line);
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    assert_eq!(read(&[b"a\xff\n"], None), ["a\u{fffd}\n"]);
    let mut source = futures::io::Cursor::new(vec![0x80; 3 * MOST]);
    let mut lines = LineBuffer::default();
    let mut count = 0;
    while block_on(lines.next(&mut source)).unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 3);
}

#[test]
fn only_lines_are_kept_that_are_wanted() {
    let text: &[&[u8]] = &[b"GET /a.b 200\nGET /axb 500\nPOST / 500\n"];
    for (grep, expected) in [
        (
            grep("a.b", false, false, LineMatch::Matching),
            "GET /a.b 200\n",
        ),
        (
            grep("a.b", true, false, LineMatch::Matching),
            "GET /a.b 200\nGET /axb 500\n",
        ),
        (
            grep("get", false, true, LineMatch::Matching),
            "GET /a.b 200\nGET /axb 500\n",
        ),
        (grep("GET", false, false, LineMatch::Others), "POST / 500\n"),
        (
            grep("500$", true, false, LineMatch::Matching),
            "GET /axb 500\nPOST / 500\n",
        ),
    ] {
        assert_eq!(read(text, grep), [expected]);
    }
    let none = grep("never", false, false, LineMatch::Matching);
    assert_eq!(read(&[b"a\nb"], none), Vec::<String>::new());
}

#[test]
fn a_pattern_is_bounded_and_its_error_is_one_line() {
    let reading = PatternOptions {
        regex: true,
        ignore_case: false,
    };
    let of = |text: &str| {
        Grep::read(text, reading, LineMatch::Matching)
            .map(drop)
            .unwrap_err()
    };
    assert_eq!(of(&"a".repeat(LONGEST_PATTERN + 1)), GrepError::Long);
    for text in ["a(", "(?:a{1000}){1000}", "[z-a]"] {
        let error = of(text).to_string();
        assert!(
            error.starts_with("grep is no regular expression: "),
            "{error}"
        );
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn an_expression_that_would_take_long_for_each_byte_is_refused() {
    for (text, ignore_case, taken) in [
        ("[^\n]{9000}X", false, false),
        (r"(\w+)=(\w+) (\w+)=(\w+) .*level=(warn|error)", true, true),
        ("Größe", false, true),
    ] {
        let reading = PatternOptions {
            regex: true,
            ignore_case,
        };
        let read = Grep::read(text, reading, LineMatch::Matching);
        assert_eq!(read.is_ok(), taken, "{text}: {read:?}");
    }
}
