use std::net::Ipv4Addr;

use futures::FutureExt as _;

use super::*;

fn table(total: usize) -> ConnectionTable {
    let proxy: IpAddr = Ipv4Addr::new(10, 0, 0, 1).into();
    ConnectionTable::new(
        ConnectionLimits::of(total),
        Arc::new(move |address| address == proxy),
    )
}

fn address(last: u8) -> IpAddr {
    Ipv4Addr::new(192, 0, 2, last).into()
}

/// Connections of an address, each with an open stream.
fn busy(table: &ConnectionTable, peer: IpAddr, count: usize) -> Vec<ClientConnection> {
    let places = (0..count).map_while(|_| table.admit(peer));
    let places = places.map(|place| ClientConnection::begin(Arc::new(place)));
    places.collect()
}

fn is_evicted(place: &Place) -> bool {
    place.evicted().now_or_never().is_some()
}

#[test]
fn one_address_takes_a_quarter_and_leaves_the_rest_to_others() {
    let table = table(100);
    assert_eq!(busy(&table, address(1), 100).len(), 25);
    let greedy = busy(&table, address(1), 100);
    assert_eq!(greedy.len(), 25);
    assert_eq!(busy(&table, address(2), 10).len(), 10);
}

#[test]
fn an_ipv6_network_of_56_bits_is_one_address() {
    let table = table(8);
    let of = |text: &str| text.parse().unwrap();
    let first = busy(&table, of("2001:db8:0:1::1"), 9);
    assert_eq!(first.len(), 2);
    assert!(table.admit(of("2001:db8:0:ff:5::1")).is_none(), "same /56");
    assert!(table.admit(of("2001:db8:0:100::1")).is_some(), "another");
    let mapped = busy(&table, of("::ffff:192.0.2.1"), 9);
    assert_eq!(mapped.len(), 2);
    assert!(table.admit(address(1)).is_none(), "the same as IPv4");
}

#[test]
fn the_oldest_idle_connection_of_an_address_makes_room_for_its_next_one() {
    let table = table(8);
    let [first, second] = [(), ()].map(|()| table.admit(address(1)).unwrap());
    let other = table.admit(address(2)).unwrap();
    let third = table.admit(address(1)).unwrap();
    assert!(is_evicted(&first) && !is_evicted(&second) && !is_evicted(&other));
    assert_eq!((table.open(), table.turned_away()), (3, 1));
    drop((first, second, third, other));
    assert_eq!(table.open(), 0);
}

#[test]
fn a_connection_with_an_open_stream_is_never_closed_to_make_room() {
    let table = table(8);
    let streams = busy(&table, address(1), 2);
    assert_eq!(streams.len(), 2);
    assert!(table.admit(address(1)).is_none());
    let idle = streams.len() - 1;
    drop(streams.into_iter().nth(idle));
    assert!(table.admit(address(1)).is_some());
}

#[test]
fn places_are_kept_for_addresses_that_have_authenticated() {
    let table = table(100);
    table.admit(address(9)).unwrap().authenticated();
    let unknown: Vec<_> = (0..8).map(|last| busy(&table, address(last), 25)).collect();
    assert_eq!(unknown.iter().map(Vec::len).sum::<usize>(), 75);
    assert!(table.admit(address(8)).is_none(), "an unknown address");
    let known = busy(&table, address(9), 100);
    assert_eq!(known.len(), 25);
}

#[test]
fn an_address_that_authenticates_takes_its_open_connections_along() {
    let table = table(100);
    let mut connections = busy(&table, address(1), 25);
    assert!(table.admit(address(1)).is_none());
    connections[0].authenticated();
    connections.extend(busy(&table, address(1), 100));
    assert_eq!(connections.len(), 75);
    assert_eq!(busy(&table, address(2), 100).len(), 25);
}

#[test]
fn when_all_places_are_taken_the_oldest_idle_connection_of_an_unknown_address_makes_room_first() {
    let table = table(8);
    let known = table.admit(address(1)).unwrap();
    known.authenticated();
    let unknown = table.admit(address(2)).unwrap();
    let more = busy(&table, address(1), 5);
    let last = busy(&table, address(3), 1);
    assert_eq!((more.len(), last.len(), table.open()), (5, 1, 8));
    let next = table.admit(address(4)).unwrap();
    assert!(is_evicted(&unknown) && !is_evicted(&known));
    drop(next);
}

#[test]
fn a_shared_address_has_no_limit_of_its_own() {
    let table = table(100);
    assert_eq!(
        busy(&table, Ipv4Addr::new(10, 0, 0, 1).into(), 200).len(),
        100
    );
}

#[test]
fn crowding_is_told_once_until_it_is_over() {
    let mut state = State::new(ConnectionLimits::of(10));
    let (token, now) = (CancellationToken::new(), Instant::now());
    let admit = |state: &mut State, last| {
        let id = state.admit(Source::of(address(last)), false, &token, now);
        let id = id.unwrap();
        state.know(id);
        (id, state.take_warning())
    };
    let told: Vec<_> = (0..9).map(|last| admit(&mut state, last)).collect();
    let warnings: Vec<_> = told.iter().filter_map(|(_, warning)| *warning).collect();
    assert_eq!(warnings, [8]);
    for (id, _) in &told[..3] {
        state.release(*id);
    }
    let again: Vec<_> = (10..13)
        .filter_map(|last| admit(&mut state, last).1)
        .collect();
    assert_eq!(again, [8]);
}

#[test]
fn what_is_remembered_of_addresses_is_bounded() {
    let mut known = known::KnownSources::new(2);
    for last in 1..=5 {
        known.insert(Source::of(address(last)));
    }
    let kept = |last| known.contains(Source::of(address(last)));
    assert!(kept(5) && kept(4) && kept(3) && !kept(1) && !kept(2));
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_idle_since_its_last_stream_ended() {
    let table = table(8);
    let place = Arc::new(table.admit(address(1)).unwrap());
    let stream = ClientConnection::begin(place.clone());
    let idle = place.idle_for(Duration::from_secs(60));
    let begun = Instant::now();
    let end = async {
        sleep(Duration::from_secs(70)).await;
        drop(stream);
    };
    futures::join!(idle, end);
    assert_eq!(begun.elapsed(), Duration::from_secs(130));
}
