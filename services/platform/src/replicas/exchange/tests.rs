use super::*;

fn runtime() -> RuntimeKey {
    ("default".parse().unwrap(), "rt-one".parse().unwrap())
}

#[test]
fn sessions_are_read_as_they_were_told() {
    let session = Session {
        server: "server-1".to_owned(),
        client: "client".to_owned(),
        slot: 1,
        generation: 7,
        connected_at: 5,
        peer_address: "192.0.2.1:9".to_owned(),
        version: "1.0.0".to_owned(),
    };
    let heard = ReplicaMessage::Sessions {
        server: "server-1".to_owned(),
        sessions: vec![(runtime(), session)],
    };
    assert_eq!(ReplicaMessage::from_word(&heard.to_word(9)), Some(heard));
}

#[test]
fn parts_are_read_as_they_were_told() {
    for (home, presence, allowed) in [
        (None, Presence::Staying, &[][..]),
        (Some(runtime()), Presence::Leaving, &["sync"][..]),
    ] {
        let part = Part {
            name: "app-proxy".parse().unwrap(),
            instance: "one".to_owned(),
            version: "1.0.0".to_owned(),
            health: Health::NotServing,
            pending: vec!["store".to_owned()],
            allowed_actions: allowed.iter().map(ToString::to_string).collect(),
            notices: vec!["look".to_owned()],
            last_seen_at: 9,
        };
        let heard = ReplicaMessage::Part {
            home,
            part,
            presence,
        };
        assert_eq!(ReplicaMessage::from_word(&heard.to_word(9)), Some(heard));
    }
}

fn word(home: &str, instance: usize, bytes: usize) -> Message {
    Message {
        name: format!("part {home} app-proxy {instance}"),
        heard_at: 1,
        body: "x".repeat(bytes),
    }
}

#[test]
fn one_home_cannot_fill_the_outbox() {
    let outbox = Outbox::default();
    (0..2 * MOST_OF_ONE).for_each(|number| outbox.put(word("rt-1", number, 1)));
    (0..2 * MOST_OF_ONE).for_each(|number| outbox.put(word("rt-2", number, 64 * 1024)));
    outbox.put(word("rt-3", 0, 1));
    outbox.put(word("rt-1", 0, 2));
    let words = outbox.take();
    let of = |home: &str| words.iter().filter(|word| word.name.contains(home)).count();
    assert_eq!(of("rt-1"), MOST_OF_ONE);
    assert!(
        of("rt-2") <= MOST_BYTES_OF_ONE / (64 * 1024) + 1,
        "{}",
        of("rt-2")
    );
    assert_eq!(of("rt-3"), 1);
    let again = words
        .iter()
        .find(|known| known.name == word("rt-1", 0, 2).name);
    assert_eq!(again, Some(&word("rt-1", 0, 2)), "the newest word counts");
    outbox.put(word("rt-1", 0, 1));
    assert_eq!(outbox.take().len(), 1);
}

#[test]
fn what_a_later_version_tells_is_left_aside() {
    let word = Message {
        name: "dream one".to_owned(),
        heard_at: 1,
        body: "{}".to_owned(),
    };
    assert_eq!(ReplicaMessage::from_word(&word), None);
}
