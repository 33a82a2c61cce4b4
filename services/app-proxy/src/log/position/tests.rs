use super::*;

fn position(time: &str, sequence: u32) -> Position {
    Position {
        time: time.parse().unwrap(),
        sequence,
    }
}

const ONE: &str = "2026-01-01T00:00:00.000000001Z";
const TWO: &str = "2026-01-01T00:00:00.5Z";

fn read(texts: &[&str]) -> Vec<(Option<Position>, String)> {
    let mut counter = Counter::default();
    let lines = texts.iter().flat_map(|text| counter.read(text));
    lines.map(|line| (line.at, line.text)).collect()
}

#[test]
fn lines_of_one_time_are_numbered() {
    let one = format!("{ONE} a\n{ONE} b\n{TWO} c\n");
    let two = format!("{TWO} d\n");
    let at = |time, sequence| Some(position(time, sequence));
    assert_eq!(
        read(&[&one, &two]),
        [
            (at(ONE, 0), "a".to_owned()),
            (at(ONE, 1), "b".to_owned()),
            (at(TWO, 0), "c".to_owned()),
            (at(TWO, 1), "d".to_owned()),
        ]
    );
}

#[test]
fn a_piece_of_a_long_line_has_the_time_of_its_beginning() {
    let begin = format!("{ONE} aaa");
    let lines = read(&[&begin, "2026 bbb\n", "no time\n"]);
    let texts: Vec<&str> = lines.iter().map(|(_, text)| &**text).collect();
    assert_eq!(texts, ["aaa", "2026 bbb", "no time"]);
    let places: Vec<_> = lines.iter().map(|(at, _)| at.unwrap().sequence).collect();
    assert_eq!(places, [0, 1, 2]);
    assert_eq!(read(&["lost\n"]), [(None, "lost".to_owned())]);
}

#[test]
fn resuming_anywhere_gives_each_line_once() {
    let text = format!("{ONE} a\n{ONE} b\n{ONE} c\n{TWO} d\n{TWO} e\n");
    let all = Counter::default().read(&text);
    for (index, line) in all.iter().enumerate() {
        let mut rest = all.clone();
        let bounds = Bounds {
            after: line.at,
            until: None,
        };
        assert_eq!(bounds.apply(&mut rest), More::Possible);
        assert_eq!(rest, all[index + 1..]);
    }
    let mut before = all.clone();
    let bounds = Bounds {
        after: None,
        until: Some(TWO.parse().unwrap()),
    };
    assert_eq!(bounds.apply(&mut before), More::Never);
    assert_eq!(before, all[..3]);
}

#[test]
fn only_the_last_lines_are_held() {
    let lines = Counter::default().read(&format!("{ONE} a\n{ONE} b\n{ONE} c\n"));
    let mut last = LastLines::new(2);
    last.extend(lines.clone());
    assert_eq!(last.into_lines(), lines[1..]);
    let mut none = LastLines::new(0);
    none.extend(lines.clone());
    assert_eq!(none.into_lines(), []);
    let large = Line {
        text: "x".repeat(MAX_HELD),
        ..lines[0].clone()
    };
    let mut few = LastLines::new(9);
    few.extend(vec![large, lines[1].clone()]);
    assert_eq!(few.into_lines(), lines[1..2]);
}

#[test]
fn a_line_is_written_as_it_was_read() {
    let text = format!("{ONE} a\n{ONE} rest");
    let (mut plain, mut stamped) = (String::new(), String::new());
    for line in Counter::default().read(&text) {
        line.push_to(&mut plain, false);
        line.push_to(&mut stamped, true);
    }
    assert_eq!((plain.as_str(), stamped), ("a\nrest", text));
}
