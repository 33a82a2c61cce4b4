use super::*;

fn name(name: &str) -> Name {
    Name {
        runtime: "eu".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        cluster: "in-cluster".to_owned(),
    }
}

fn row(health: &'static str, sync: &'static str, changed: i64) -> Row {
    Row {
        project: "shop".to_owned(),
        health,
        sync,
        changed,
        ..Row::default()
    }
}

fn model() -> Model {
    let mut model = Model::new();
    for (it, row) in [
        ("cart", row("Healthy", "Synced", 3)),
        ("pay", row("Degraded", "Synced", 2)),
        ("web", row("Progressing", "OutOfSync", 1)),
    ] {
        model.update(name(it), row);
    }
    model.complete();
    model.arrange();
    model
}

fn shown(model: &Model) -> Vec<&str> {
    model
        .lines(0, 100)
        .map(|(name, _, _)| name.name.as_str())
        .collect()
}

fn selected(model: &Model) -> &str {
    model.selected().map_or("", |name| name.name.as_str())
}

fn types(model: &mut Model, text: &str) {
    for character in text.chars() {
        model.press(Key::Character(character));
    }
}

#[test]
fn what_is_broken_comes_first_and_other_orders_one_after_the_other() {
    let mut model = model();
    assert_eq!(shown(&model), ["pay", "web", "cart"]);
    let mut orders = Vec::new();
    for _ in Order::ALL {
        model.press(Key::Character('o'));
        orders.push((model.order.word(), shown(&model).concat()));
    }
    assert_eq!(orders[0], ("sync", "webcartpay".to_owned()));
    assert_eq!(orders[1], ("changed", "cartpayweb".to_owned()));
    assert_eq!(orders[5], ("health", "paywebcart".to_owned()));
    model.press(Key::Character('O'));
    assert_eq!(shown(&model), ["cart", "web", "pay"]);
}

#[test]
fn a_filter_is_typed_taken_back_and_given_up() {
    let mut model = model();
    types(&mut model, "/shop degr");
    assert_eq!(shown(&model), ["pay"]);
    model.press(Key::Backspace);
    model.press(Key::Enter);
    assert_eq!(model.filter, "shop deg");
    types(&mut model, "/q");
    assert_eq!(shown(&model), Vec::<&str>::new());
    model.press(Key::Escape);
    assert_eq!(model.filter, "shop deg");
    model.press(Key::Escape);
    assert_eq!(shown(&model).len(), 3);
}

#[test]
fn values_are_chosen_and_counted_by_what_the_other_choices_leave() {
    let mut model = model();
    model.press(Key::Character('f'));
    let choices = |model: &Model| {
        let choices = model.choices().into_iter();
        choices
            .map(|it| format!("{} {} {}", it.field.word(), it.value, it.count))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        choices(&model)[..2],
        ["HEALTH Degraded 1", "HEALTH Healthy 1"]
    );
    model.press(Key::Enter);
    assert_eq!(shown(&model), ["pay"]);
    assert!(model.chooses());
    assert_eq!(
        choices(&model)[1..4],
        ["HEALTH Healthy 1", "HEALTH Progressing 1", "SYNC Synced 1"]
    );
    model.delete(&name("pay"));
    assert!(choices(&model).contains(&"HEALTH Degraded 0".to_owned()));
    model.press(Key::Escape);
    model.press(Key::Escape);
    assert!(!model.chooses());
    assert_eq!(shown(&model), ["web", "cart"]);
}

#[test]
fn the_selection_stays_with_its_application_and_where_it_was_when_that_goes() {
    let mut model = model();
    model.press(Key::Down);
    assert_eq!(selected(&model), "web");
    model.update(name("web"), row("Degraded", "Synced", 9));
    model.update(name("cart"), row("Degraded", "Synced", 9));
    model.arrange();
    assert_eq!((selected(&model), model.position()), ("web", (3, 2)));
    model.delete(&name("web"));
    model.arrange();
    assert_eq!((selected(&model), model.position()), ("pay", (2, 1)));
    for key in [Key::Home, Key::Up, Key::PageUp] {
        model.press(key);
        assert_eq!(selected(&model), "cart");
    }
    model.press(Key::End);
    assert_eq!(selected(&model), "pay");
}

#[test]
fn an_action_is_done_to_what_was_asked_about_and_only_after_a_yes() {
    let mut model = model();
    assert_eq!(model.press(Key::Character('s')), Effect::None);
    assert_eq!(model.mode, Mode::Confirm(Action::Sync, name("pay")));
    // What is selected goes while the question stands.
    model.delete(&name("pay"));
    model.arrange();
    assert_eq!(selected(&model), "web");
    assert_eq!(
        model.press(Key::Character('y')),
        Effect::Act(Action::Sync, name("pay"))
    );
    for no in [
        Key::Enter,
        Key::Escape,
        Key::Character('n'),
        Key::Character('q'),
    ] {
        model.press(Key::Character('R'));
        assert_eq!(model.press(no), Effect::None);
        assert_eq!(model.mode, Mode::List);
    }
}

fn texts(number: usize) -> Vec<Text> {
    let texts = (0..number).map(|number| Text::plain(&format!("line {number}")));
    texts.collect()
}

/// The lines that three rows show.
fn page(model: &Model) -> Vec<&str> {
    let opened = model.opened().unwrap();
    opened.page(3).map(|line| line.text.as_str()).collect()
}

#[test]
fn details_are_opened_scrolled_and_closed() {
    let mut model = model();
    assert_eq!(
        model.press(Key::Enter),
        Effect::Open(Topic::Details, name("pay"))
    );
    assert_eq!(model.opened().unwrap().stand, Stand::Loading);
    model.read(&name("pay"), Topic::Details, texts(5));
    model.update(name("web"), row("Healthy", "Synced", 4));
    assert_eq!(model.wants_details(), None);
    model.update(name("pay"), row("Healthy", "Synced", 4));
    assert_eq!(model.wants_details(), Some(name("pay")));
    assert_eq!(model.wants_details(), None);
    model.press(Key::End);
    model.press(Key::Down);
    assert_eq!(page(&model), ["line 4"]);
    // What is read again is read from where it was.
    model.read(&name("pay"), Topic::Details, texts(4));
    assert_eq!(page(&model), ["line 3"]);
    assert_eq!(model.press(Key::Character('q')), Effect::None);
    assert_eq!((&model.mode, model.opened()), (&Mode::List, None));
    assert_eq!(model.press(Key::Character('q')), Effect::Quit);
}

#[test]
fn the_keys_d_and_l_open_what_differs_and_what_pods_write_in_the_list_and_from_each_other() {
    let mut model = model();
    let opens = |model: &mut Model, key, topic| {
        assert_eq!(model.press(key), Effect::Open(topic, name("pay")));
        assert!(model.reads(&name("pay"), topic));
    };
    opens(&mut model, Key::Character('d'), Topic::Diff);
    opens(&mut model, Key::Character('l'), Topic::Logs);
    opens(&mut model, Key::Enter, Topic::Details);
    // It stays that of the one that was opened, whichever is selected by then.
    model.delete(&name("pay"));
    model.arrange();
    assert_eq!(selected(&model), "web");
    opens(&mut model, Key::Character('d'), Topic::Diff);
    // Details that come late are no difference, and that of another one is not this one's.
    model.read(&name("pay"), Topic::Details, texts(1));
    model.read(&name("web"), Topic::Diff, texts(1));
    model.read_on(&name("pay"), Topic::Logs, Text::plain("late"));
    assert_eq!(model.opened().unwrap().stand, Stand::Loading);
    // What was asked about from there goes back there.
    model.press(Key::Character('s'));
    assert_eq!(model.mode, Mode::Confirm(Action::Sync, name("pay")));
    model.press(Key::Escape);
    assert_eq!(model.mode, Mode::Opened);
    model.press(Key::Escape);
    assert_eq!(model.mode, Mode::List);
}

#[test]
fn logs_are_followed_until_somebody_looks_back_and_again_from_the_end_on() {
    let mut model = model();
    model.page = 2;
    model.press(Key::Character('l'));
    let write = |model: &mut Model, number: usize| {
        let line = Text::plain(&format!("line {number}"));
        model.read_on(&name("pay"), Topic::Logs, line);
    };
    for number in 0..6 {
        write(&mut model, number);
    }
    assert_eq!(page(&model), ["line 3", "line 4", "line 5"]);
    model.press(Key::Up);
    write(&mut model, 6);
    assert_eq!(page(&model), ["line 2", "line 3", "line 4"]);
    // The first lines go, and what is looked at stays where it is for as long as it is there.
    for number in 7..10 {
        write(&mut model, number);
    }
    assert_eq!(model.opened().unwrap().length(), 8);
    assert_eq!(page(&model), ["line 2", "line 3", "line 4"]);
    write(&mut model, 10);
    assert_eq!(page(&model), ["line 3", "line 4", "line 5"]);
    model.press(Key::Character('G'));
    write(&mut model, 11);
    assert_eq!(page(&model), ["line 9", "line 10", "line 11"]);
}

#[test]
fn ctrl_c_ends_it_whatever_is_typed() {
    for first in ['/', 'f', 's', '?'] {
        let mut model = model();
        model.press(Key::Character(first));
        assert_eq!(model.press(Key::Interrupt), Effect::Quit);
    }
}

#[test]
fn a_watch_that_begins_again_drops_what_is_gone_meanwhile_and_no_sooner() {
    let mut model = model();
    model.cut(false);
    model.complete();
    assert_eq!(model.total(), 3);
    model.cut(true);
    model.update(name("pay"), row("Healthy", "Synced", 5));
    assert_eq!((model.total(), model.feed.clone()), (3, Feed::Cut));
    model.complete();
    assert_eq!((model.total(), model.feed.clone()), (1, Feed::Live));
}

#[test]
fn no_keys_in_no_order_break_it() {
    let keys = [
        Key::Character('/'),
        Key::Character('f'),
        Key::Character('s'),
        Key::Character('y'),
        Key::Character('o'),
        Key::Character('d'),
        Key::Character('l'),
        Key::Left,
        Key::Right,
        Key::Up,
        Key::Down,
        Key::PageUp,
        Key::PageDown,
        Key::Home,
        Key::End,
        Key::Enter,
        Key::Escape,
        Key::Backspace,
    ];
    let mut model = model();
    let mut number = 7_usize;
    for _ in 0..20_000 {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        model.press(keys[(number >> 33) % keys.len()]);
        let (shown, place) = model.position();
        assert!(place < shown || shown == 0 && place == 0);
        model.read_on(&name("pay"), Topic::Logs, Text::plain("line"));
        if number >> 60 == 0 {
            model.delete(&name("web"));
        }
    }
}
