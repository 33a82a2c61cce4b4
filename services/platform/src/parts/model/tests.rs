use super::*;

fn part(name: &str, instance: &str, at: i64) -> Part {
    Part {
        name: name.parse().unwrap(),
        instance: instance.to_owned(),
        version: "1.2.3".to_owned(),
        health: Health::Serving,
        pending: vec![],
        allowed_actions: Vec::new(),
        notices: vec![],
        last_seen_at: at,
    }
}

fn home(id: &str) -> PartHome {
    Some(("default".parse().unwrap(), id.parse().unwrap()))
}

#[test]
fn a_silent_part_is_lost_after_thirty_seconds_and_forgotten_after_ten_minutes() {
    let parts = Parts::default();
    parts.announce(None, part("inventory", "one", 0)).unwrap();
    assert_eq!(parts.of(&None, 29_999)[0].health, Health::Serving);
    assert_eq!(parts.of(&None, 30_000)[0].health, Health::Lost);
    assert!(parts.is_reporting(&None, 29_999) && !parts.is_reporting(&None, 30_000));
    assert!(!parts.is_reporting(&home("rt-1"), 0));
    assert!(parts.of(&None, 600_000).is_empty());
}

#[test]
fn a_part_that_leaves_is_gone_at_once() {
    let parts = Parts::default();
    parts.announce(None, part("inventory", "one", 0)).unwrap();
    parts.announce(None, part("inventory", "two", 0)).unwrap();
    let leave = || parts.leave(&None, &"inventory".parse().unwrap(), "one");
    assert!(leave().is_some());
    assert_eq!(leave(), None);
    let left = parts.of(&None, 0);
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].instance, "two");
}

#[test]
fn each_runtime_has_its_own_parts() {
    let parts = Parts::default();
    parts
        .announce(home("rt-1"), part("app-proxy", "one", 0))
        .unwrap();
    assert_eq!(parts.of(&home("rt-1"), 0).len(), 1);
    assert!(parts.of(&home("rt-2"), 0).is_empty());
    assert!(parts.of(&None, 0).is_empty());
}

#[test]
fn a_home_cannot_fill_the_memory() {
    let parts = Parts::default();
    for number in 0..MOST_PER_HOME {
        parts
            .announce(home("rt-1"), part("app-proxy", &number.to_string(), 0))
            .unwrap();
    }
    assert_eq!(
        parts.announce(home("rt-1"), part("app-proxy", "more", 0)),
        Err(TooMany)
    );
    assert_eq!(
        parts.announce(home("rt-1"), part("app-proxy", "0", 1)),
        Ok(())
    );
    assert_eq!(
        parts.announce(home("rt-2"), part("app-proxy", "more", 0)),
        Ok(())
    );
    assert_eq!(
        parts.announce(home("rt-1"), part("app-proxy", "more", 700_000)),
        Ok(())
    );
}
