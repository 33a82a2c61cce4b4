use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::inbox::Inbox;

fn sent(outbox: &mut Outbox) -> Vec<u8> {
    let bytes = outbox.sealed().to_vec();
    outbox.advance(bytes.len());
    bytes
}

#[test]
fn small_writes_are_one_frame_with_the_shortest_head() {
    let mut outbox = Outbox::new(Role::Accepting);
    assert_eq!((outbox.push(b"one"), outbox.push(b"two")), (3, 3));
    assert_eq!(sent(&mut outbox), b"\x82\x06onetwo");
    outbox.push(&[1; 126]);
    assert_eq!(sent(&mut outbox)[..5], [0x82, 126, 0, 126, 1]);
    assert_eq!(outbox.bytes.capacity(), 0, "memory is given back");
}

#[test]
fn a_pong_stands_between_frames() {
    let mut outbox = Outbox::new(Role::Accepting);
    outbox.push(b"before");
    outbox.push_control(Opcode::Pong, b"p");
    outbox.push(b"after");
    assert_eq!(sent(&mut outbox), b"\x82\x06before\x8a\x01p\x82\x05after");
}

#[test]
fn every_frame_has_a_key_of_its_own() {
    let mut outbox = Outbox::new(Role::Dialling);
    let keys: std::collections::HashSet<_> = (0..50)
        .map(|_| {
            outbox.push(&[0; 4]);
            sent(&mut outbox)[2..6].to_vec()
        })
        .collect();
    assert_eq!(keys.len(), 50);
}

#[test]
fn a_frame_takes_no_more_than_its_head_can_say() {
    let mut outbox = Outbox::new(Role::Accepting);
    assert_eq!(outbox.push(&vec![1; 70_000]), FRAME_BYTES);
    assert_eq!(outbox.push(b"x"), 1);
    let bytes = sent(&mut outbox);
    assert_eq!(bytes[..4], [0x82, 126, 0xff, 0xff]);
    assert_eq!(bytes[4 + FRAME_BYTES..], *b"\x82\x01x");
}

proptest! {
    #[test]
    fn whatever_is_written_and_however_it_is_taken_the_other_end_reads_it(
        writes in vec((vec(any::<u8>(), 0..300), 0_usize..500, any::<bool>()), 0..30),
    ) {
        for (near, far) in [(Role::Dialling, Role::Accepting), (Role::Accepting, Role::Dialling)] {
            let (mut outbox, mut inbox) = (Outbox::new(near), Inbox::new(far));
            let (mut wire, mut expected) = (Vec::new(), Vec::new());
            for (data, taken, ping) in &writes {
                prop_assert_eq!(outbox.push(data), data.len());
                expected.extend_from_slice(data);
                if *ping {
                    outbox.push_control(Opcode::Pong, b"pong");
                }
                if *taken > 0 {
                    let bytes = outbox.sealed();
                    let taken = (*taken).min(bytes.len());
                    wire.extend_from_slice(&bytes[..taken]);
                    outbox.advance(taken);
                }
            }
            wire.extend(sent(&mut outbox));
            let length = inbox.decode(&mut wire);
            prop_assert_eq!(inbox.take_end(), None);
            prop_assert_eq!(&wire[..length], &expected[..]);
        }
    }
}
