//! HTTP/2 as attackers speak it: who asks too much is told to go, and others are served all the while.

use std::net::SocketAddr;

use causeway_testkit::Frame;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    task::JoinSet,
};

use crate::stack::{Stack, soon};

const PATH: &str = "/causeway.inventory.v1.ApplicationService/ListApplications";
/// More than any attack is let send before it is stopped.
const ENOUGH: usize = 8 << 20;

/// The bytes of a turn of an attack; turns are counted from 0.
type Attack = fn(u32) -> Vec<u8>;

/// The `number`th stream that a client opens.
fn stream(number: u32) -> u32 {
    2 * number + 1
}

fn joined(frames: impl IntoIterator<Item = Frame>) -> Vec<u8> {
    frames.into_iter().flat_map(|frame| frame.bytes()).collect()
}

/// Requests that are given up at once, before anybody has looked at them.
fn rapid_resets(turn: u32) -> Vec<u8> {
    let one = |number| {
        let stream = stream(turn * 64 + number);
        let flags = Frame::END_HEADERS | Frame::END_STREAM;
        [
            Frame::request(flags, stream, PATH),
            Frame::new(Frame::RST_STREAM, 0, stream, &8_u32.to_be_bytes()),
        ]
    };
    joined((0..64).flat_map(one))
}

/// Requests that the server is made to reset, by a window that grows by nothing.
fn made_resets(turn: u32) -> Vec<u8> {
    let one = |number| {
        let stream = stream(turn * 64 + number);
        [
            Frame::request(Frame::END_HEADERS, stream, PATH),
            Frame::new(Frame::WINDOW_UPDATE, 0, stream, &[0; 4]),
        ]
    };
    joined((0..64).flat_map(one))
}

/// A head that never ends, in pieces that say nothing.
fn continuations(turn: u32) -> Vec<u8> {
    let more = (0..64).map(|_| Frame::new(Frame::CONTINUATION, 0, 1, &[]));
    match turn {
        0 => joined([Frame::request(0, 1, PATH)]),
        _ => joined(more),
    }
}

/// A head that never ends, in pieces that are as large as they may be.
fn large_continuations(turn: u32) -> Vec<u8> {
    // A literal of a name with one letter and an empty value, again and again.
    let block = [0, 1, b'a', 0].repeat(4_096);
    match turn {
        0 => joined([Frame::request(0, 1, PATH)]),
        _ => joined([Frame::new(Frame::CONTINUATION, 0, 1, &block)]),
    }
}

/// A head of a few bytes that means a thousand times as many.
fn header_bombs(turn: u32) -> Vec<u8> {
    let stream = stream(turn);
    let mut block = Frame::request(0, stream, PATH).payload;
    // One entry of the table with 3,900 bytes, and then that entry by its number.
    block.extend([0x40, 1, b'a', 0x7f]);
    let mut rest = 3_900 - 127;
    while rest >= 128 {
        block.push(u8::try_from(rest % 128).unwrap() | 0x80);
        rest /= 128;
    }
    block.push(u8::try_from(rest).unwrap());
    block.extend([b'b'; 3_900]);
    block.extend([0xbe; 12_000]);
    let flags = Frame::END_HEADERS | Frame::END_STREAM;
    joined([Frame::new(Frame::HEADERS, flags, stream, &block)])
}

/// A body of nothing, in any number of frames.
fn empty_data(turn: u32) -> Vec<u8> {
    let nothing = (0..64).map(|_| Frame::new(Frame::DATA, 0, 1, &[]));
    match turn {
        0 => joined([Frame::request(Frame::END_HEADERS, 1, PATH)]),
        _ => joined(nothing),
    }
}

/// A window that is larger than any may be.
fn overflowing_windows(_turn: u32) -> Vec<u8> {
    let most = (u32::MAX >> 1).to_be_bytes();
    joined([0, 0].map(|stream| Frame::new(Frame::WINDOW_UPDATE, 0, stream, &most)))
}

const ATTACKS: [(&str, Attack); 7] = [
    ("rapid resets", rapid_resets),
    ("resets by the server", made_resets),
    ("continuations", continuations),
    ("large continuations", large_continuations),
    ("header bombs", header_bombs),
    ("empty data", empty_data),
    ("windows that overflow", overflowing_windows),
];

async fn connected(router: SocketAddr) -> (OwnedReadHalf, OwnedWriteHalf) {
    let socket = TcpStream::connect(router).await.unwrap();
    let (read, mut write) = socket.into_split();
    let settings = Frame::new(Frame::SETTINGS, 0, 0, &[]);
    write.write_all(Frame::PREFACE).await.unwrap();
    write.write_all(&settings.bytes()).await.unwrap();
    (read, write)
}

/// Attacks until the server has hung up; gives the code with which it said goodbye, and how much it took until then.
async fn attacked(router: SocketAddr, attack: Attack) -> (Option<u32>, usize) {
    let (mut read, mut write) = connected(router).await;
    let mut hearing = JoinSet::new();
    hearing.spawn(async move {
        let mut farewell = None;
        while let Some(frame) = Frame::read(&mut read).await {
            farewell = farewell.or(frame.farewell());
        }
        farewell
    });
    let mut sent = 0;
    for turn in 0.. {
        let bytes = attack(turn);
        let written = tokio::select! {
            biased;
            farewell = hearing.join_next() => return (farewell.unwrap().unwrap(), sent),
            written = write.write_all(&bytes) => written,
        };
        if written.is_err() {
            break;
        }
        sent += bytes.len();
        assert!(sent < ENOUGH, "nobody stops it");
    }
    let farewell = soon(hearing.join_next()).await.unwrap();
    (farewell.unwrap(), sent)
}

/// Whether somebody else is served.
async fn served(router: SocketAddr) {
    let mut stream = TcpStream::connect(router).await.unwrap();
    let request = b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    soon(stream.read_to_end(&mut answer)).await.unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{answer:?}");
}

#[tokio::test]
async fn s_19_whoever_abuses_frames_is_told_to_go() {
    let stack = Stack::platform().await;
    for (what, attack) in ATTACKS {
        let (farewell, sent) = soon(attacked(stack.router, attack)).await;
        let told = farewell.is_some_and(|code| code != Frame::NO_ERROR);
        assert!(told, "{what}: {farewell:?} after {sent} bytes");
        served(stack.router).await;
    }
}

#[tokio::test]
async fn s_19_others_are_served_while_frames_are_abused_on_many_connections() {
    let stack = Stack::platform().await;
    let router = stack.router;
    let mut attackers = JoinSet::new();
    for (_, attack) in ATTACKS {
        attackers.spawn(async move {
            loop {
                attacked(router, attack).await;
            }
        });
    }
    for _ in 0..50 {
        served(router).await;
    }
    assert_eq!(attackers.len(), ATTACKS.len());
    assert!(attackers.try_join_next().is_none(), "an attack has failed");
}
