use futures::poll;
use proptest::{
    collection::vec,
    prelude::{Strategy, any},
    proptest,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

use super::*;

const MASK: [u8; 4] = [0x11, 0x22, 0x33, 0x44];
const BINARY: u8 = 0x82;
const CONTINUATION: u8 = 0x80;
const TEXT: u8 = 0x81;
const CLOSE: u8 = 0x88;
const PING: u8 = 0x89;
const PONG: u8 = 0x8a;

/// Encodes a masked frame, as a client sends it.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first];
    match payload.len() {
        0..=125 => frame.push(0x80 | payload.len() as u8),
        126..=0xffff => {
            frame.push(0x80 | 126);
            frame.extend((payload.len() as u16).to_be_bytes());
        }
        _ => {
            frame.push(0x80 | 127);
            frame.extend((payload.len() as u64).to_be_bytes());
        }
    }
    frame.extend(MASK);
    frame.extend(
        payload
            .iter()
            .zip(MASK.iter().cycle())
            .map(|(byte, mask)| byte ^ mask),
    );
    frame
}

/// Stream of the server and the raw wire to it.
async fn wire(early: &[u8]) -> (ByteStream, DuplexStream) {
    wire_with_capacity(1 << 20, early).await
}

async fn wire_with_capacity(capacity: usize, early: &[u8]) -> (ByteStream, DuplexStream) {
    let (near, far) = duplex(capacity);
    let early = Bytes::copy_from_slice(early);
    let stream = ByteStream::new(Box::new(near), Role::Server, early).await;
    (stream, far)
}

async fn pair() -> (ByteStream, ByteStream) {
    let (near, far) = duplex(1 << 20);
    (
        ByteStream::new(Box::new(near), Role::Server, Bytes::new()).await,
        ByteStream::new(Box::new(far), Role::Client, Bytes::new()).await,
    )
}

/// Feeds `bytes`, expects the read to fail and the wire to carry a close frame with `code`.
async fn check_refused(bytes: &[u8], code: u16) {
    let (mut stream, mut raw) = wire(&[]).await;
    raw.write_all(bytes).await.unwrap();
    let error = stream.read_to_end(&mut Vec::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData, "{bytes:x?}");
    let mut head = [0; 4];
    raw.read_exact(&mut head).await.unwrap();
    assert_eq!(
        (head[0], u16::from_be_bytes([head[2], head[3]])),
        (CLOSE, code),
        "{bytes:x?}"
    );
}

#[tokio::test]
async fn bytes_that_came_behind_the_upgrade_are_kept() {
    let (mut stream, mut raw) = wire(&frame(BINARY, b"PRI * ")).await;
    raw.write_all(&frame(BINARY, b"HTTP/2.0")).await.unwrap();
    let mut bytes = [0; 14];
    stream.read_exact(&mut bytes).await.unwrap();
    assert_eq!(&bytes, b"PRI * HTTP/2.0");
}

#[tokio::test]
async fn frame_boundaries_are_invisible() {
    let (mut stream, mut raw) = wire(&[]).await;
    let mut sent = frame(BINARY, b"one");
    sent.extend(frame(BINARY, b""));
    sent.extend(frame(BINARY & 0x0f, b"tw"));
    sent.extend(frame(PING, b"between fragments"));
    sent.extend(frame(CONTINUATION, b"o"));
    sent.extend(frame(BINARY, b"three"));
    let writer = async {
        for byte in sent {
            raw.write_all(&[byte]).await.unwrap();
            tokio::task::yield_now().await;
        }
    };
    let mut bytes = [0; 11];
    let (_, read) = futures::join!(writer, stream.read_exact(&mut bytes));
    read.unwrap();
    assert_eq!(&bytes, b"onetwothree");
}

#[tokio::test]
async fn a_ping_is_answered_while_nothing_is_written() {
    let (mut stream, mut raw) = wire(&[]).await;
    raw.write_all(&frame(PING, b"first")).await.unwrap();
    let mut byte = [0; 1];
    let mut read = Box::pin(stream.read_exact(&mut byte));
    assert!(poll!(&mut read).is_pending());
    let mut pong = [0; 7];
    raw.read_exact(&mut pong).await.unwrap();
    assert_eq!((pong[0], pong[1], &pong[2..]), (PONG, 5, &b"first"[..]));
}

#[tokio::test]
async fn a_flood_of_frames_without_data_ends_the_stream() {
    let (mut stream, mut raw) = wire(&[]).await;
    for _ in 0..=EMPTY_MESSAGES {
        raw.write_all(&frame(PONG, b"")).await.unwrap();
    }
    assert_eq!(
        stream.read_u8().await.unwrap_err().kind(),
        ErrorKind::InvalidData
    );
}

#[tokio::test]
async fn a_text_frame_is_refused_with_1003() {
    check_refused(&frame(TEXT, b"hello"), 1003).await;
}

#[tokio::test]
async fn text_that_is_not_utf_8_is_refused_with_1007() {
    check_refused(&frame(TEXT, b"\xff"), 1007).await;
    check_refused(&frame(CLOSE, b"\x03\xe8\xff"), 1007).await;
}

#[tokio::test]
async fn a_broken_protocol_is_refused_with_1002() {
    let reserved_bit = frame(BINARY | 0x40, b"x");
    let unmasked = vec![BINARY, 1, b'x'];
    let long_ping = frame(PING, &[0; 126]);
    let fragmented_ping = frame(PING & 0x0f, b"");
    let orphan = frame(CONTINUATION, b"x");
    let unknown = frame(0x83, b"x");
    let nested = [frame(BINARY & 0x0f, b"a"), frame(BINARY, b"b")].concat();
    let half_a_code = frame(CLOSE, b"\x03");
    for bytes in [
        nested,
        half_a_code,
        reserved_bit,
        unmasked,
        long_ping,
        fragmented_ping,
        orphan,
        unknown,
    ] {
        check_refused(&bytes, 1002).await;
    }
}

#[tokio::test]
async fn a_frame_above_64_kib_is_refused_with_1009_from_its_head_alone() {
    let mut head = frame(BINARY, &vec![0; MESSAGE_BYTES + 1]);
    head.truncate(14);
    check_refused(&head, 1009).await;
    let top_bit = [&[BINARY, 0xff][..], &[0xff; 8], &MASK].concat();
    check_refused(&top_bit, 1009).await;
}

#[tokio::test]
async fn fragments_that_add_up_above_64_kib_are_refused_with_1009() {
    let mut bytes = frame(BINARY & 0x0f, &vec![0; MESSAGE_BYTES]);
    bytes.extend(frame(CONTINUATION, b"x"));
    check_refused(&bytes, 1009).await;
}

#[tokio::test]
async fn an_end_without_a_close_frame_is_an_error() {
    let (mut stream, raw) = wire(&[]).await;
    drop(raw);
    assert_eq!(
        stream.read_u8().await.unwrap_err().kind(),
        ErrorKind::UnexpectedEof
    );
    let (mut stream, mut raw) = wire(&[]).await;
    raw.write_all(&frame(BINARY, b"cut")[..5]).await.unwrap();
    drop(raw);
    assert!(stream.read_u8().await.is_err());
}

#[tokio::test]
async fn a_close_frame_is_answered_and_remembered() {
    let (mut stream, mut raw) = wire(&[]).await;
    let closer = stream.closer();
    raw.write_all(&frame(CLOSE, b"\x10\x00gone")).await.unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.unwrap();
    assert_eq!(rest, b"");
    let close = closer.received().unwrap();
    assert_eq!(
        (close.code(), close.reason()),
        (CloseCode::Other(4096), "gone")
    );
    assert_eq!(raw.read_u8().await.unwrap(), CLOSE);
}

#[tokio::test]
async fn a_write_waits_when_the_transport_takes_nothing() {
    const ROOM: usize = 1024;
    let (mut stream, _raw) = wire_with_capacity(ROOM, &[]).await;
    let chunk = vec![7; MESSAGE_BYTES];
    let mut accepted = 0;
    loop {
        let mut write = Box::pin(stream.write(&chunk));
        match poll!(&mut write) {
            Poll::Ready(length) => accepted += length.unwrap(),
            Poll::Pending => break,
        }
    }
    assert!(accepted <= 2 * SENT_BYTES + ROOM, "{accepted}");
}

#[tokio::test]
async fn a_head_and_its_payload_make_one_frame() {
    let (mut stream, mut raw) = wire(&[]).await;
    let slices = [
        IoSlice::new(b"head"),
        IoSlice::new(b""),
        IoSlice::new(b"payload"),
    ];
    assert_eq!(stream.write_vectored(&slices).await.unwrap(), 11);
    stream.flush().await.unwrap();
    let mut sent = [0; 13];
    raw.read_exact(&mut sent).await.unwrap();
    assert_eq!(&sent, b"\x82\x0bheadpayload");
}

#[tokio::test]
async fn a_flush_drains_everything_that_was_written() {
    let (mut server, mut client) = pair().await;
    let sent: Vec<u8> = (0..300_000_u32).map(|index| index as u8).collect();
    let writer = async {
        client.write_all(&sent).await.unwrap();
        client.flush().await.unwrap();
    };
    let mut received = vec![0; sent.len()];
    let (_, read) = futures::join!(writer, server.read_exact(&mut received));
    read.unwrap();
    assert!(received == sent);
}

#[tokio::test]
async fn a_shutdown_is_a_clean_end_for_the_peer() {
    let (mut server, mut client) = pair().await;
    client.write_all(b"last words").await.unwrap();
    let mut words = Vec::new();
    let (shutdown, read) = futures::join!(client.shutdown(), server.read_to_end(&mut words));
    shutdown.unwrap();
    read.unwrap();
    assert_eq!(words, b"last words");
    assert_eq!(
        server.closer().received().unwrap().code(),
        CloseCode::Normal
    );
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_waits_at_most_a_second_for_a_silent_peer() {
    let (mut stream, _raw) = wire(&[]).await;
    let begin = tokio::time::Instant::now();
    stream.shutdown().await.unwrap();
    assert_eq!(begin.elapsed(), CLOSE_TIMEOUT);
}

#[tokio::test]
async fn a_closer_ends_a_stream_that_somebody_else_reads() {
    let (mut server, mut client) = pair().await;
    let (server_closer, client_closer) = (server.closer(), client.closer());
    let reader =
        tokio::task::JoinSet::from_iter([
            async move { server.read_u8().await.unwrap_err().kind() },
        ]);
    tokio::task::yield_now().await;
    server_closer.close(Close::new(CloseCode::Superseded, "generation 2 took over"));
    let mut rest = Vec::new();
    client.read_to_end(&mut rest).await.unwrap();
    assert_eq!(
        client_closer.received().unwrap().code(),
        CloseCode::Superseded
    );
    assert_eq!(reader.join_all().await, [ErrorKind::ConnectionAborted]);
}

#[tokio::test]
async fn an_idle_stream_holds_no_payload() {
    let (mut server, mut client) = pair().await;
    client.write_all(&[1; 1000]).await.unwrap();
    client.flush().await.unwrap();
    let mut bytes = [0; 1000];
    server.read_exact(&mut bytes).await.unwrap();
    assert_eq!((server.received.len(), client.gathered.capacity()), (0, 0));
}

#[tokio::test]
async fn many_small_writes_are_one_frame_when_they_are_flushed() {
    let (mut stream, mut raw) = wire(&[]).await;
    for _ in 0..10 {
        stream.write_all(b"0123456789").await.unwrap();
    }
    stream.flush().await.unwrap();
    let mut head = [0; 2];
    raw.read_exact(&mut head).await.unwrap();
    assert_eq!(head, [BINARY, 100]);
}

#[tokio::test]
async fn a_write_above_the_gathered_amount_needs_no_flush() {
    let (mut stream, mut raw) = wire(&[]).await;
    stream.write_all(&[1; GATHER_BYTES]).await.unwrap();
    stream.write_all(b"next").await.unwrap();
    let mut frame = vec![0; 4 + GATHER_BYTES];
    raw.read_exact(&mut frame).await.unwrap();
}

#[tokio::test]
async fn a_reader_with_little_room_gets_everything() {
    let (mut stream, mut raw) = wire(&frame(BINARY, b"early words")).await;
    raw.write_all(&frame(PING, b"")).await.unwrap();
    raw.write_all(&frame(BINARY, b" and late ones"))
        .await
        .unwrap();
    let mut read = Vec::new();
    while read.len() < 25 {
        let mut byte = [0; 1];
        stream.read_exact(&mut byte).await.unwrap();
        read.extend(byte);
    }
    assert_eq!(read, b"early words and late ones");
}

/// Frames of several messages, with control frames between fragments, and the data in them.
fn conversation() -> (Vec<u8>, Vec<u8>) {
    let frames = [
        frame(BINARY, b"one"),
        frame(BINARY, b""),
        frame(BINARY & 0x0f, b"tw"),
        frame(PING, b"old"),
        frame(CONTINUATION & 0x0f, b""),
        frame(PING, b"new"),
        frame(CONTINUATION, b"o"),
        frame(PONG, b"unsolicited"),
        frame(BINARY, &[7; 200]),
        frame(CLOSE, b"\x03\xe9bye"),
        frame(BINARY, b"after the end"),
    ];
    (frames.concat(), [&b"onetwo"[..], &[7; 200]].concat())
}

#[tokio::test]
async fn a_conversation_reads_the_same_at_every_cut() {
    let (bytes, data) = conversation();
    for cut in 0..=bytes.len() {
        let (first, second) = bytes.split_at(cut);
        let (mut stream, mut raw) = wire(first).await;
        raw.write_all(second).await.unwrap();
        let mut read = Vec::new();
        stream.read_to_end(&mut read).await.unwrap();
        assert_eq!(read, data, "cut at {cut}");
        let close = stream.closer().received().unwrap();
        assert_eq!(close, Close::new(CloseCode::GoingAway, "bye"));
    }
}

#[tokio::test]
async fn data_before_a_violation_is_delivered() {
    let bytes = [frame(BINARY, b"good"), vec![0xff; 16]].concat();
    let (mut stream, _raw) = wire(&bytes).await;
    let mut read = Vec::new();
    stream.read_to_end(&mut read).await.unwrap_err();
    assert_eq!(read, b"good");
}

#[tokio::test]
async fn a_masked_frame_of_a_server_is_refused_with_1002() {
    let (near, mut raw) = duplex(1 << 10);
    let mut client = ByteStream::new(Box::new(near), Role::Client, Bytes::new()).await;
    raw.write_all(&frame(BINARY, b"x")).await.unwrap();
    let error = client.read_u8().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert_eq!(raw.read_u8().await.unwrap(), CLOSE);
}

#[tokio::test]
async fn a_client_masks_what_it_sends() {
    let (near, mut raw) = duplex(1 << 10);
    let mut client = ByteStream::new(Box::new(near), Role::Client, Bytes::new()).await;
    client.write_all(b"payload").await.unwrap();
    client.flush().await.unwrap();
    let mut sent = [0; 13];
    raw.read_exact(&mut sent).await.unwrap();
    let (head, mask) = (&sent[..2], &sent[2..6]);
    assert_eq!(head, [BINARY, 0x80 | 7]);
    let data = sent[6..].iter().zip(mask.iter().cycle());
    let data: Vec<u8> = data.map(|(byte, mask)| byte ^ mask).collect();
    assert_eq!(data, b"payload");
}

#[derive(Debug)]
struct Fragment {
    is_last: bool,
    ping: Option<Vec<u8>>,
    payload: Vec<u8>,
}

fn fragment() -> impl Strategy<Value = Fragment> {
    let ping = proptest::option::of(vec(any::<u8>(), 0..20));
    (any::<bool>(), ping, vec(any::<u8>(), 1..400)).prop_map(|(is_last, ping, payload)| Fragment {
        is_last,
        ping,
        payload,
    })
}

proptest! {
    #[test]
    fn any_messages_in_any_pieces_are_read_back(
        fragments in vec(fragment(), 0..20),
        cuts in vec(1_usize..300, 1..20),
    ) {
        let (mut sent, mut expected, mut inside) = (Vec::new(), Vec::new(), false);
        for fragment in &fragments {
            let opcode = if inside { 0 } else { 2 };
            sent.extend(frame(u8::from(fragment.is_last) << 7 | opcode, &fragment.payload));
            inside = !fragment.is_last;
            if let Some(ping) = &fragment.ping {
                sent.extend(frame(PING, ping));
            }
            expected.extend_from_slice(&fragment.payload);
        }
        if inside {
            sent.extend(frame(CONTINUATION, b""));
        }
        sent.extend(frame(CLOSE, b""));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let read = runtime.unwrap().block_on(async {
            let (mut stream, mut raw) = wire(&[]).await;
            let writer = async {
                let (mut rest, mut cuts) = (&sent[..], cuts.iter().cycle());
                while let (false, Some(cut)) = (rest.is_empty(), cuts.next()) {
                    let (piece, left) = rest.split_at((*cut).min(rest.len()));
                    raw.write_all(piece).await.unwrap();
                    tokio::task::yield_now().await;
                    rest = left;
                }
            };
            let mut read = Vec::new();
            let (_, outcome) = futures::join!(writer, stream.read_to_end(&mut read));
            outcome.map(|_| read).unwrap()
        });
        proptest::prop_assert_eq!(read, expected);
    }

    #[test]
    fn any_bytes_end_the_stream_and_yield_no_more_than_was_sent(sent in vec(any::<u8>(), 0..600)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let read = runtime.unwrap().block_on(async {
            let (mut stream, mut raw) = wire(&[]).await;
            raw.write_all(&sent).await.unwrap();
            raw.shutdown().await.unwrap();
            let mut read = Vec::new();
            // Most bytes are no frames: an error is as good as an end.
            let _ = stream.read_to_end(&mut read).await;
            read
        });
        proptest::prop_assert!(read.len() <= sent.len());
    }
}
