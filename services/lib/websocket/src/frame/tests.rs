use proptest::prelude::*;

use super::*;

fn read(bytes: &[u8], role: Role) -> Result<(usize, Option<Head>), Close> {
    HeadBytes::default().take(bytes, role)
}

fn code<T: std::fmt::Debug>(outcome: Result<T, Close>) -> u16 {
    outcome.unwrap_err().code().into()
}

#[test]
fn a_head_survives_its_way_in_every_length_and_role() {
    let opcodes = [Opcode::Binary, Opcode::Continuation];
    for (length, opcode) in [0, 1, 125, 126, 65_535, 65_536]
        .into_iter()
        .flat_map(|length| opcodes.map(|opcode| (length, opcode)))
    {
        for (mask, role) in [
            (None, Role::Dialling),
            (Some(Mask([1, 2, 3, 4])), Role::Accepting),
        ] {
            let head = Head {
                last: length % 2 == 0,
                opcode,
                length,
                mask,
            };
            let bytes = head.encode();
            let bytes = bytes.as_ref();
            assert_eq!(read(bytes, role), Ok((bytes.len(), Some(head))));
            assert_eq!(
                read(&bytes[..bytes.len() - 1], role),
                Ok((bytes.len() - 1, None))
            );
        }
    }
}

#[test]
fn a_length_has_one_form_only() {
    assert_eq!(code(read(&[0x82, 126, 0, 125], Role::Dialling)), 1002);
    let long = [&[0x82, 127][..], &65_535_u64.to_be_bytes()].concat();
    assert_eq!(code(read(&long, Role::Dialling)), 1002);
}

#[test]
fn only_the_dialling_end_masks() {
    assert_eq!(code(read(&[0x82, 0], Role::Accepting)), 1002);
    assert_eq!(code(read(&[0x82, 0x80, 1, 2, 3, 4], Role::Dialling)), 1002);
}

#[test]
fn a_close_frame_survives_its_way() {
    for close in [
        Close::new(CloseCode::Normal, ""),
        Close::new(CloseCode::Superseded, "generation 2"),
    ] {
        assert_eq!(read_close(&close_payload(&close)), Ok(close));
    }
    assert_eq!(read_close(&[]).unwrap().code(), CloseCode::Normal);
}

#[test]
fn a_close_frame_says_what_may_be_said_or_is_refused() {
    assert_eq!(code(read_close(&[3])), 1002);
    for never_sent in [0, 999, 1004, 1005, 1006, 1015, 2999, 5000] {
        let payload = u16::to_be_bytes(never_sent);
        assert_eq!(code(read_close(&payload)), 1002, "{never_sent}");
    }
    assert_eq!(code(read_close(&[0x03, 0xe8, 0xff])), 1007);
}

proptest! {
    #[test]
    fn a_mask_goes_on_where_it_stopped(
        key: [u8; 4],
        bytes in proptest::collection::vec(any::<u8>(), 0..100),
        cut in 0_usize..100,
    ) {
        let expected: Vec<u8> = bytes.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key).collect();
        let mut masked = bytes.clone();
        let (first, second) = masked.split_at_mut(cut.min(bytes.len()));
        let mut mask = Mask(key);
        mask.apply(first);
        mask.apply(second);
        prop_assert_eq!(masked, expected);
    }
}
