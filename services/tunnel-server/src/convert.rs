//! Sessions as the contract writes them.

use causeway_proto::platform::v1 as platform;
use causeway_proto::time::{millis_to_timestamp, to_millis};
use causeway_proto::tunnel::v1 as pb;

use crate::link::{Link, SessionInfo};
use crate::session::Session;

pub(crate) fn listed(session: &Session<Link>) -> pb::TunnelSession {
    let info = session.link.info();
    pb::TunnelSession {
        account: session.seat.address.account.to_string(),
        runtime_id: session.seat.address.runtime.to_string(),
        client: session.seat.client.to_string(),
        slot: session.seat.slot.into(),
        generation: session.generation.0,
        connected_at: info.map(connected_at),
        peer_address: info.map(|info| info.peer.to_string()).unwrap_or_default(),
        version: info.map(|info| info.version.clone()).unwrap_or_default(),
        routes: info.map(|info| info.routes.clone()).unwrap_or_default(),
        open_streams: session.link.open_calls(),
        round_trip_micros: info.map(round_trip_micros).unwrap_or_default(),
    }
}

pub(crate) fn reported(session: &Session<Link>, server: &str) -> platform::RuntimeSession {
    let info = session.link.info();
    platform::RuntimeSession {
        account: session.seat.address.account.to_string(),
        runtime_id: session.seat.address.runtime.to_string(),
        session: Some(platform::Session {
            server: server.to_owned(),
            client: session.seat.client.to_string(),
            slot: session.seat.slot.into(),
            generation: session.generation.0,
            connected_at: info.map(connected_at),
            peer_address: info.map(|info| info.peer.to_string()).unwrap_or_default(),
            version: info.map(|info| info.version.clone()).unwrap_or_default(),
        }),
        key_id: info.map(|info| info.key.to_string()).unwrap_or_default(),
    }
}

fn connected_at(info: &SessionInfo) -> prost_types::Timestamp {
    millis_to_timestamp(to_millis(info.connected_at))
}

fn round_trip_micros(info: &SessionInfo) -> u32 {
    u32::try_from(info.round_trip.as_micros()).unwrap_or(u32::MAX)
}
