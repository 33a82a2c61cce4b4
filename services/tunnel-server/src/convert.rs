//! Sessions as the contract writes them.

use causeway_proto::platform::v1 as platform;
use causeway_proto::time::{millis_to_timestamp, to_millis};
use causeway_proto::tunnel::v1 as pb;

use crate::link::{About, Link};
use crate::session::Session;

pub(crate) fn listed(session: &Session<Link>) -> pb::TunnelSession {
    let about = session.link.about();
    pb::TunnelSession {
        account: session.seat.address.account.to_string(),
        runtime_id: session.seat.address.runtime.to_string(),
        client: session.seat.client.to_string(),
        slot: session.seat.slot.into(),
        generation: session.generation.0,
        connected_at: about.map(connected_at),
        peer_address: about
            .map(|about| about.peer.to_string())
            .unwrap_or_default(),
        version: about.map(|about| about.version.clone()).unwrap_or_default(),
        routes: about.map(|about| about.routes.clone()).unwrap_or_default(),
        open_streams: session.link.open_calls(),
        round_trip_micros: about.map(round_trip_micros).unwrap_or_default(),
    }
}

pub(crate) fn reported(session: &Session<Link>, server: &str) -> platform::RuntimeSession {
    let about = session.link.about();
    platform::RuntimeSession {
        account: session.seat.address.account.to_string(),
        runtime_id: session.seat.address.runtime.to_string(),
        session: Some(platform::Session {
            server: server.to_owned(),
            client: session.seat.client.to_string(),
            slot: session.seat.slot.into(),
            generation: session.generation.0,
            connected_at: about.map(connected_at),
            peer_address: about
                .map(|about| about.peer.to_string())
                .unwrap_or_default(),
            version: about.map(|about| about.version.clone()).unwrap_or_default(),
        }),
        key_id: about.map(|about| about.key.to_string()).unwrap_or_default(),
    }
}

fn connected_at(about: &About) -> prost_types::Timestamp {
    millis_to_timestamp(to_millis(about.connected_at))
}

fn round_trip_micros(about: &About) -> u32 {
    u32::try_from(about.round_trip.as_micros()).unwrap_or(u32::MAX)
}
