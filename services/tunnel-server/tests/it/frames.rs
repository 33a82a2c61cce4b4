//! HTTP/2 as a stolen runtime or a broken part speaks it: its own connection ends, and everybody else's goes on.

use std::net::SocketAddr;

use causeway_testkit::Frame;
use causeway_websocket::ByteStream;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, split};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::entry::{SEAT, dial};
use crate::stage::{Open, Stage};
use crate::upstream::{ECHO, SOON};

/// More than anybody is let send before it is stopped.
const ENOUGH: usize = 64 << 20;

/// The bytes of a turn of an attack; turns are counted from 0.
type Attack = fn(u32) -> Vec<u8>;

fn joined(frames: impl IntoIterator<Item = Frame>) -> Vec<u8> {
    frames.into_iter().flat_map(|frame| frame.bytes()).collect()
}

/// Says this until the other end hangs up.
async fn attacked<T>(io: T, attack: Attack)
where
    T: AsyncRead + AsyncWrite + Send + 'static,
{
    let (mut read, mut write) = split(io);
    let mut hearing = JoinSet::new();
    hearing.spawn(async move { while Frame::read(&mut read).await.is_some() {} });
    let mut sent = 0;
    for turn in 0.. {
        let bytes = attack(turn);
        let written = tokio::select! {
            biased;
            _ = hearing.join_next() => return,
            written = async {
                write.write_all(&bytes).await?;
                write.flush().await
            } => written,
        };
        if written.is_err() {
            return;
        }
        sent += bytes.len();
        assert!(sent < ENOUGH, "nobody stops it");
    }
}

fn settled(turn: u32, frames: impl IntoIterator<Item = Frame>) -> Vec<u8> {
    match turn {
        0 => joined([Frame::new(Frame::SETTINGS, 0, 0, &[])]),
        _ => joined(frames),
    }
}

/// What a runtime sends that serves the requests of the tunnel.
const OF_RUNTIMES: [(&str, Attack); 7] = [
    ("data that nobody asked for", |turn| {
        settled(turn, [Frame::new(Frame::DATA, 0, 1, b"x")])
    }),
    ("the end of what never was", |turn| {
        settled(turn, [Frame::new(Frame::RST_STREAM, 0, 7, &[0; 4])])
    }),
    ("a promise that was forbidden", |turn| {
        let promise = [&2_u32.to_be_bytes()[..], &[0x83, 0x86]].concat();
        settled(
            turn,
            [Frame::new(
                Frame::PUSH_PROMISE,
                Frame::END_HEADERS,
                1,
                &promise,
            )],
        )
    }),
    ("a window that overflows", |turn| {
        let most = (u32::MAX >> 1).to_be_bytes();
        settled(turn, [Frame::new(Frame::WINDOW_UPDATE, 0, 0, &most)])
    }),
    ("a frame above the size that was agreed", |turn| {
        settled(turn, [Frame::new(Frame::DATA, 0, 1, &[0; 17 << 10])])
    }),
    ("a head that never ends", |turn| match turn {
        0 => settled(0, []),
        1 => joined([Frame::new(Frame::HEADERS, 0, 1, &[0x88])]),
        _ => joined((0..64).map(|_| Frame::new(Frame::CONTINUATION, 0, 1, &[]))),
    }),
    ("settings of a wrong length", |turn| {
        settled(turn, [Frame::new(Frame::SETTINGS, 0, 0, &[0; 5])])
    }),
];

/// One process each, so that none takes another one's seat.
const CLIENTS: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

/// A session of the runtime `r2`, in the hands of whoever has its key.
async fn session(open: &Open, client: &'static str) -> ByteStream {
    let shown = Stage::dial_assertion(&open.stage.other_key, "r2");
    let seat = [("causeway-client", client), SEAT[1], SEAT[2]];
    let shown = format!("Bearer {shown}");
    let dialed = dial(&open.stage, &open.server, &shown, &seat).await;
    dialed.unwrap().stream
}

async fn still_served(open: &Open) {
    let answer = open.caller.send(open.stage.call(ECHO, "still here"));
    let answer = timeout(SOON, answer).await.unwrap();
    assert!(answer.headers().get("grpc-status").is_none(), "{answer:?}");
}

#[tokio::test]
async fn s_09_a_runtime_that_abuses_frames_loses_its_own_session_and_nobody_elses() {
    let open = Stage::new().open().await;
    for ((what, attack), client) in OF_RUNTIMES.into_iter().zip(CLIENTS) {
        let session = session(&open, client).await;
        let ended = timeout(SOON, attacked(session, attack)).await;
        ended.unwrap_or_else(|_| panic!("{what}: the session goes on"));
        still_served(&open).await;
    }
}

#[tokio::test]
async fn s_09_a_runtime_that_pings_and_settles_without_end_stops_nobody() {
    let open = Stage::new().open().await;
    let mut floods = JoinSet::new();
    let attacks: [Attack; 2] = [
        |turn| {
            settled(
                turn,
                (0..64).map(|_| Frame::new(Frame::PING, 0, 0, &[7; 8])),
            )
        },
        |_| joined((0..64).map(|_| Frame::new(Frame::SETTINGS, 0, 0, &[]))),
    ];
    for (attack, client) in attacks.into_iter().zip(CLIENTS) {
        // Nothing that comes back is read.
        let mut session = session(&open, client).await;
        floods.spawn(async move {
            for turn in 0.. {
                if session.write_all(&attack(turn)).await.is_err() {
                    return;
                }
            }
        });
    }
    for _ in 0..50 {
        still_served(&open).await;
    }
}

fn rapid_resets(turn: u32) -> Vec<u8> {
    let one = |number| {
        let stream = 2 * (turn * 256 + number) + 1;
        let flags = Frame::END_HEADERS | Frame::END_STREAM;
        [
            Frame::request(flags, stream, ECHO),
            Frame::new(Frame::RST_STREAM, 0, stream, &8_u32.to_be_bytes()),
        ]
    };
    let frames = joined((0..256).flat_map(one));
    match turn {
        0 => {
            let settings = Frame::new(Frame::SETTINGS, 0, 0, &[]).bytes();
            [Frame::PREFACE, &settings, &frames].concat()
        }
        _ => frames,
    }
}

async fn flood(internal: SocketAddr) {
    let socket = TcpStream::connect(internal).await.unwrap();
    let (mut read, mut write) = socket.into_split();
    let mut hearing = JoinSet::new();
    hearing.spawn(async move { while Frame::read(&mut read).await.is_some() {} });
    for turn in 0.. {
        if write.write_all(&rapid_resets(turn)).await.is_err() {
            return;
        }
    }
}

#[tokio::test]
async fn s_09_who_opens_and_gives_up_calls_without_end_stops_no_other_connection() {
    let open = Stage::new().open().await;
    let mut floods = JoinSet::new();
    for _ in 0..4 {
        floods.spawn(flood(open.server.internal));
    }
    for _ in 0..50 {
        still_served(&open).await;
    }
}
