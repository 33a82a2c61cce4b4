use super::*;

fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap();
    [&[0][..], &length.to_be_bytes(), message].concat()
}

#[test]
fn a_body_of_one_message_is_taken() {
    let frame = Frame::from_body(framed(b"abc").into()).unwrap();
    assert_eq!(&*frame.message(), b"abc");
    assert_eq!(frame.into_bytes(), framed(b"abc"));
}

#[test]
fn other_bodies_are_refused() {
    let mut compressed = framed(b"abc");
    compressed[0] = 1;
    let cases = [
        (Vec::new(), FrameError::NotOne),
        (vec![0, 0, 0], FrameError::NotOne),
        (framed(b"abc")[..7].to_vec(), FrameError::NotOne),
        ([framed(b"a"), framed(b"b")].concat(), FrameError::NotOne),
        (compressed, FrameError::Compressed),
    ];
    for (body, expected) in cases {
        assert_eq!(
            Frame::from_body(body.clone().into()),
            Err(expected),
            "{body:?}"
        );
    }
}

#[test]
fn messages_are_found_wherever_the_pieces_are_cut() {
    let body = [framed(b"one"), framed(b""), framed(b"three")].concat();
    for size in 1..=body.len() {
        let mut messages = Messages::new(16);
        let mut found = Vec::new();
        for piece in body.chunks(size) {
            messages.push(Bytes::copy_from_slice(piece));
            while let Some(message) = messages.next().unwrap() {
                found.push(message);
            }
        }
        assert_eq!(found, [&b"one"[..], b"", b"three"], "pieces of {size}");
        messages.end().unwrap();
    }
}

#[test]
fn a_large_message_and_a_cut_stream_are_told() {
    let mut messages = Messages::new(2);
    messages.push(framed(b"abc").into());
    assert_eq!(messages.next(), Err(FrameError::TooLarge(2)));
    let mut messages = Messages::new(16);
    messages.push(framed(b"abc")[..6].to_vec().into());
    assert_eq!(messages.next(), Ok(None));
    assert_eq!(messages.end(), Err(FrameError::Cut));
}
