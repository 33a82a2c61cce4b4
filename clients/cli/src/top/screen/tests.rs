use ratatui::{Terminal, backend::TestBackend, buffer::Buffer};

use super::*;
use crate::top::model::Key;

const ADDRESS: &str = "http://one";

fn name(name: &str) -> Name {
    Name {
        runtime: "eu".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        cluster: "in-cluster".to_owned(),
    }
}

fn model() -> Model {
    let mut model = Model::new();
    for (it, health, operation) in [("cart", "Healthy", ""), ("pay", "Degraded", "Running")] {
        let row = Row {
            project: "shop".to_owned(),
            sync: "Synced",
            health,
            stale_since: None,
            operation,
            revision: "1a2b3c4".to_owned(),
            message: "Add a page".to_owned(),
            changed: 0,
        };
        model.update(name(it), row);
    }
    model.complete();
    model.arrange();
    model
}

fn drawn(model: &mut Model, width: u16, height: u16) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| draw(frame, model, ADDRESS, Colors::Shown))
        .unwrap();
    terminal.backend().buffer().clone()
}

fn lines(buffer: &Buffer) -> Vec<String> {
    let width = usize::from(buffer.area.width);
    let cells: Vec<_> = buffer.content.iter().map(|cell| cell.symbol()).collect();
    cells
        .chunks(width)
        .map(|line| line.concat().trim_end().to_owned())
        .collect()
}

fn words_of(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

#[test]
fn applications_are_a_table_with_where_it_stands_above_and_keys_below() {
    let buffer = drawn(&mut model(), 100, 6);
    let lines = lines(&buffer);
    assert_eq!(
        lines[0],
        " 1/2 of 2 applications, by health | http://one | live"
    );
    assert_eq!(
        words_of(&lines[1]),
        [
            "NAME", "RUNTIME", "PROJECT", "SYNC", "HEALTH", "REVISION", "MESSAGE"
        ]
    );
    assert_eq!(
        words_of(&lines[2]),
        [
            "pay", "eu", "shop", "Syncing", "Degraded", "1a2b3c4", "Add", "a", "page"
        ]
    );
    assert_eq!(words_of(&lines[3])[3..5], ["Synced", "Healthy"]);
    assert!(lines[5].starts_with(" ? help"), "{lines:?}");
}

#[test]
fn states_have_colours_unless_nobody_wants_them() {
    let colors = |colors| {
        let mut model = model();
        let mut terminal = Terminal::new(TestBackend::new(100, 6)).unwrap();
        terminal
            .draw(|frame| draw(frame, &mut model, ADDRESS, colors))
            .unwrap();
        let cells = terminal.backend().buffer().content.clone();
        let colored = cells.iter().filter(|cell| cell.fg != Color::Reset).count();
        colored > 0
    };
    assert!(colors(Colors::Shown));
    assert!(!colors(Colors::Hidden));
}

#[test]
fn a_question_a_filter_and_choices_are_shown_while_they_are_asked_for() {
    let mut model = model();
    model.press(Key::Character('s'));
    let text = lines(&drawn(&mut model, 100, 10)).join("\n");
    assert!(text.contains("sync eu/argocd/pay?"), "{text}");
    model.press(Key::Escape);
    model.press(Key::Character('/'));
    for character in "cart".chars() {
        model.press(Key::Character(character));
    }
    let text = lines(&drawn(&mut model, 100, 10)).join("\n");
    assert!(text.contains("/cart") && !text.contains("pay"), "{text}");
    model.press(Key::Escape);
    model.press(Key::Character('f'));
    model.press(Key::Enter);
    let text = lines(&drawn(&mut model, 100, 20)).join("\n");
    assert!(text.contains("[x] Degraded"), "{text}");
    assert!(!text.contains("cart"), "{text}");
}

#[test]
fn details_are_shown_from_the_line_that_was_scrolled_to() {
    let mut model = model();
    model.press(Key::Enter);
    assert!(
        lines(&drawn(&mut model, 60, 6))
            .join("\n")
            .contains("loading")
    );
    let read = (0..8).map(|number| Text::plain(&format!("line {number}")));
    model.read(&name("pay"), Topic::Details, read.collect());
    model.press(Key::Down);
    let shown = lines(&drawn(&mut model, 60, 6));
    assert_eq!(shown[1], "line 1");
    assert_eq!(
        shown[0],
        " details of eu/argocd/pay, line 2 of 8 | http://one | live"
    );
    model.press(Key::Right);
    assert_eq!(lines(&drawn(&mut model, 60, 6))[1], "");
    model.press(Key::Left);
    assert_eq!(lines(&drawn(&mut model, 60, 6))[1], "line 1");
}

#[test]
fn a_difference_is_shown_with_what_was_added_and_removed_in_colours() {
    let mut model = model();
    model.press(Key::Character('d'));
    let read = [
        ("--- Service web", Tone::Heading),
        ("-old", Tone::Removed),
        ("+new", Tone::Added),
    ];
    let read = read.map(|(text, tone)| Text::new(text, tone));
    model.read(&name("pay"), Topic::Diff, read.to_vec());
    let buffer = drawn(&mut model, 100, 6);
    let shown = lines(&buffer);
    assert!(shown[0].starts_with(" diff of eu/argocd/pay"), "{shown:?}");
    assert_eq!(shown[1..4], ["--- Service web", "-old", "+new"]);
    let color = |row: usize| buffer.content[row * 100].fg;
    assert_eq!((color(2), color(3)), (Color::Red, Color::Green));
    assert!(shown[5].contains("d diff  l logs"), "{shown:?}");
}

#[test]
fn logs_are_shown_by_their_last_lines_and_the_keys_for_them_below_the_list_and_in_the_help() {
    let mut model = model();
    let foot = lines(&drawn(&mut model, 110, 6))[5].clone();
    assert!(foot.contains("d diff  l logs"), "{foot}");
    model.press(Key::Character('?'));
    let help = lines(&drawn(&mut model, 110, 20)).join("\n");
    for key in [
        "d                            what differs",
        "l                            what its pods write",
    ] {
        assert!(help.contains(key), "{help}");
    }
    model.press(Key::Escape);
    model.press(Key::Character('l'));
    let waits = lines(&drawn(&mut model, 60, 5));
    assert_eq!(waits[1], "waiting for what its pods write");
    for number in 0..5 {
        let line = Text::new(&format!("[web-1 main] {number}"), Tone::Pod(0));
        model.read_on(&name("pay"), Topic::Logs, line);
    }
    let shown = lines(&drawn(&mut model, 60, 5));
    let last = ["[web-1 main] 2", "[web-1 main] 3", "[web-1 main] 4"];
    assert_eq!(shown[1..4], last);
    assert!(shown[0].starts_with(" logs of eu/argocd/pay, line 3 of 5"));
}

#[test]
fn no_size_of_a_terminal_breaks_it() {
    for (width, height) in [(0, 0), (1, 1), (2, 2), (5, 3), (29, 4), (31, 5), (200, 60)] {
        for keys in ["", "f", "s", "/x", "?", "d", "l"] {
            let mut model = model();
            for key in keys.chars() {
                model.press(Key::Character(key));
            }
            drawn(&mut model, width, height);
        }
    }
}

#[test]
fn the_selected_line_is_on_the_screen_wherever_it_is() {
    let mut model = model();
    for number in 0..50 {
        let row = Row {
            health: "Healthy",
            ..Row::default()
        };
        model.update(name(&format!("app-{number:02}")), row);
    }
    model.arrange();
    for key in [Key::PageDown, Key::End, Key::Up, Key::PageUp, Key::Home] {
        drawn(&mut model, 80, 12);
        model.press(key);
        let buffer = drawn(&mut model, 80, 12);
        let selected = model.selected().unwrap().name.clone();
        let text = lines(&buffer).join("\n");
        assert!(text.contains(&selected), "{key:?}: {selected} in\n{text}");
    }
}

#[test]
fn narrow_screen_shows_names_and_states_before_all_else() {
    let mut model = Model::new();
    let row = Row {
        project: "a-project-of-some-length".to_owned(),
        sync: "OutOfSync",
        health: "Degraded",
        revision: "1a2b3c4".to_owned(),
        message: "A message that is longer than the screen".to_owned(),
        ..Row::default()
    };
    let long = "payments-gateway-production-europe";
    model.update(name(long), row);
    model.complete();
    model.arrange();
    let shown = lines(&drawn(&mut model, 60, 5));
    let first = words_of(&shown[2]);
    assert_eq!(
        first[..4],
        [long, "eu", "OutOfSync", "Degraded"],
        "{shown:?}"
    );
    let shown = lines(&drawn(&mut model, 40, 5));
    assert!(shown[2].starts_with(long), "{shown:?}");
}

#[test]
fn application_of_a_silent_runtime_is_stale_and_not_green() {
    let mut model = Model::new();
    let row = Row {
        sync: "Synced",
        health: "Healthy",
        stale_since: Some(std::time::SystemTime::now().into()),
        ..Row::default()
    };
    model.update(name("cart"), row);
    model.complete();
    model.arrange();
    let buffer = drawn(&mut model, 120, 5);
    let shown = lines(&buffer);
    let state = "Synced (stale 0s)   Healthy (stale 0s)";
    let text = words_of(&shown[2]).join(" ");
    assert!(text.contains(&words_of(state).join(" ")), "{shown:?}");
    let colors: Vec<_> = buffer.content.iter().map(|cell| cell.fg).collect();
    assert!(!colors.contains(&Color::Green) && colors.contains(&Color::Yellow));
}
