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
    let heard = Heard::Sessions {
        server: "server-1".to_owned(),
        sessions: vec![(runtime(), session)],
    };
    assert_eq!(Heard::from_word(&heard.to_word(9)), Some(heard));
}

#[test]
fn parts_are_read_as_they_were_told() {
    for (home, presence) in [
        (None, Presence::Staying),
        (Some(runtime()), Presence::Leaving),
    ] {
        let part = Part {
            name: "app-proxy".parse().unwrap(),
            instance: "one".to_owned(),
            version: "1.0.0".to_owned(),
            health: Health::NotServing,
            pending: vec!["store".to_owned()],
            notices: vec!["look".to_owned()],
            last_seen_at: 9,
        };
        let heard = Heard::Part {
            home,
            part,
            presence,
        };
        assert_eq!(Heard::from_word(&heard.to_word(9)), Some(heard));
    }
}

#[test]
fn what_a_later_version_tells_is_left_aside() {
    let word = Word {
        name: "dream one".to_owned(),
        heard_at: 1,
        body: "{}".to_owned(),
    };
    assert_eq!(Heard::from_word(&word), None);
}
