use super::*;

fn runtime(id: &str) -> RuntimeKey {
    ("default".parse().unwrap(), id.parse().unwrap())
}

fn session(server: &str, connected_at: i64) -> Session {
    Session {
        server: server.to_owned(),
        client: "client".to_owned(),
        slot: 0,
        generation: 1,
        connected_at,
        peer_address: "10.0.0.1:1".to_owned(),
        version: "1.2.3".to_owned(),
    }
}

#[test]
fn a_report_takes_the_place_of_the_servers_former_one_only() {
    let sessions = Sessions::default();
    sessions.report("a".to_owned(), vec![(runtime("rt-1"), session("a", 1))], 0);
    sessions.report("b".to_owned(), vec![(runtime("rt-1"), session("b", 2))], 0);
    assert_eq!(
        sessions.of(&runtime("rt-1"), 1),
        [session("b", 2), session("a", 1)]
    );
    sessions.report("a".to_owned(), vec![], 1);
    assert_eq!(sessions.of(&runtime("rt-1"), 1), [session("b", 2)]);
}

#[test]
fn a_silent_servers_sessions_count_for_thirty_seconds() {
    let sessions = Sessions::default();
    sessions.report("a".to_owned(), vec![(runtime("rt-1"), session("a", 1))], 0);
    assert_eq!(sessions.of(&runtime("rt-1"), 29_999).len(), 1);
    assert!(sessions.of(&runtime("rt-1"), 30_000).is_empty());
}

#[test]
fn what_was_heard_outlives_the_sessions_and_keeps_the_last_version() {
    let sessions = Sessions::default();
    sessions.report("a".to_owned(), vec![(runtime("rt-1"), session("a", 1))], 5);
    sessions.record_heartbeat(&runtime("rt-1"), "", 7);
    let seen = sessions.seen(&runtime("rt-1")).unwrap();
    assert_eq!((seen.at, seen.version.as_str()), (7, "1.2.3"));
    assert_eq!(sessions.seen_since(7).len(), 1);
    assert!(sessions.seen_since(8).is_empty());
    assert_eq!(sessions.seen(&runtime("rt-2")), None);
}

#[test]
fn accounts_do_not_see_each_others_runtimes() {
    let sessions = Sessions::default();
    sessions.report("a".to_owned(), vec![(runtime("rt-1"), session("a", 1))], 0);
    let foreign = ("other".parse().unwrap(), "rt-1".parse().unwrap());
    assert!(sessions.of(&foreign, 1).is_empty());
}
