use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::frame::Mask;

/// A frame of the dialling end.
fn frame(last: bool, opcode: Opcode, payload: &[u8]) -> Vec<u8> {
    let mut mask = Mask::random();
    let head = Head {
        last,
        opcode,
        length: payload.len(),
        mask: Some(mask),
    };
    let mut bytes = head.encode().as_ref().to_vec();
    let start = bytes.len();
    bytes.extend_from_slice(payload);
    mask.apply(&mut bytes[start..]);
    bytes
}

/// What an accepting end reads of `pieces`.
fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<u8>, Inbox) {
    let mut inbox = Inbox::new(Role::Accepting);
    let mut data = Vec::new();
    for piece in pieces {
        let mut buffer = piece.to_vec();
        let length = inbox.decode(&mut buffer);
        data.extend_from_slice(&buffer[..length]);
    }
    (data, inbox)
}

fn conversation() -> (Vec<u8>, &'static [u8]) {
    let long = [7; 200];
    let frames = [
        frame(true, Opcode::Binary, b"one"),
        frame(true, Opcode::Binary, b""),
        frame(false, Opcode::Binary, b"tw"),
        frame(true, Opcode::Ping, b"old"),
        frame(false, Opcode::Continuation, b""),
        frame(true, Opcode::Ping, b"new"),
        frame(true, Opcode::Continuation, b"o"),
        frame(true, Opcode::Pong, b"unasked"),
        frame(true, Opcode::Binary, &long),
        frame(true, Opcode::Close, &[0x03, 0xe9, b'b', b'y', b'e']),
        frame(true, Opcode::Binary, b"after the end"),
    ];
    const DATA: [u8; 206] = {
        let mut data = [7; 206];
        let words = *b"onetwo";
        let mut index = 0;
        while index < words.len() {
            data[index] = words[index];
            index += 1;
        }
        data
    };
    (frames.concat(), &DATA)
}

#[test]
fn a_conversation_reads_the_same_wherever_it_is_cut() {
    let (bytes, data) = conversation();
    for cut in 0..=bytes.len() {
        let (first, second) = bytes.split_at(cut);
        let (read, mut inbox) = read([first, second].into_iter());
        assert_eq!(read, data, "cut at {cut}");
        assert_eq!(inbox.take_ping().as_deref(), Some(&b"new"[..]));
        let close = Close::new(CloseCode::GoingAway, "bye");
        assert_eq!(inbox.take_end(), Some(End::Closed(close)));
    }
    assert_eq!(read(bytes.chunks(1)).0, data);
}

#[test]
fn data_before_a_violation_is_handed_out() {
    let bytes = [frame(true, Opcode::Binary, b"good"), vec![0xff, 0xff]].concat();
    let (data, mut inbox) = read([&bytes[..]].into_iter());
    assert_eq!(data, b"good");
    assert!(inbox.take_end().is_none(), "the head is not whole");
    let mut rest = [0; 16];
    assert_eq!(inbox.decode(&mut rest), 0);
    assert!(matches!(inbox.take_end(), Some(End::Refused(_))));
}

#[test]
fn a_message_inside_another_is_refused() {
    let bytes = [
        frame(false, Opcode::Binary, b"a"),
        frame(true, Opcode::Binary, b"b"),
    ]
    .concat();
    let (_, mut inbox) = read([&bytes[..]].into_iter());
    let refused = End::Refused(broken("a message inside another"));
    assert_eq!(inbox.take_end(), Some(refused));
}

fn piece() -> impl Strategy<Value = (bool, Option<Vec<u8>>, Vec<u8>)> {
    (
        any::<bool>(),
        proptest::option::of(vec(any::<u8>(), 0..20)),
        vec(any::<u8>(), 1..400),
    )
}

proptest! {
    #[test]
    fn any_messages_in_any_pieces_are_read_back(
        pieces in vec(piece(), 0..20),
        cuts in vec(1_usize..300, 1..20),
    ) {
        let (mut wire, mut expected, mut begun) = (Vec::new(), Vec::new(), false);
        for (last, ping, payload) in &pieces {
            let opcode = if begun { Opcode::Continuation } else { Opcode::Binary };
            wire.extend(frame(*last, opcode, payload));
            begun = !last;
            if let Some(ping) = ping {
                wire.extend(frame(true, Opcode::Ping, ping));
            }
            expected.extend_from_slice(payload);
        }
        let mut rest = &wire[..];
        let mut cuts = cuts.iter().cycle();
        let parts = std::iter::from_fn(|| {
            let length = (*cuts.next()?).min(rest.len());
            let (part, left) = rest.split_at(length);
            rest = left;
            (length > 0).then_some(part)
        });
        let (data, mut inbox) = read(parts);
        prop_assert_eq!(inbox.take_end(), None);
        prop_assert_eq!(data, expected);
        let newest = pieces.iter().rev().find_map(|(_, ping, _)| ping.clone());
        prop_assert_eq!(inbox.take_ping(), newest);
    }

    #[test]
    fn no_bytes_make_it_fail_or_give_more_than_came(bytes in vec(any::<u8>(), 0..500)) {
        for role in [Role::Accepting, Role::Dialling] {
            let mut inbox = Inbox::new(role);
            let mut buffer = bytes.clone();
            prop_assert!(inbox.decode(&mut buffer) <= bytes.len());
        }
    }
}
