//! Reads single text fields out of an encoded message without decoding the rest.
//!
//! What is read here decides who may do what, so a field that is there twice is refused: no reader behind the router can
//! then see another value.

use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use sha2::{Digest as _, Sha256};

/// A message that is not protobuf, or one that says a thing twice.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum FieldsError {
    #[error("the request is not a valid protobuf message")]
    Malformed,
    #[error("the request holds the same field twice")]
    Duplicate,
}

/// The texts of the fields with these numbers, in the same order; `None` where one is not set.
pub(crate) fn texts<const N: usize>(
    mut message: &[u8],
    numbers: [Option<u32>; N],
) -> Result<[Option<&str>; N], FieldsError> {
    let mut found = [None; N];
    while !message.is_empty() {
        let (number, wire) = decode_key(&mut message).map_err(|_| FieldsError::Malformed)?;
        let wanted = numbers.iter().position(|wanted| *wanted == Some(number));
        let Some(index) = wanted else {
            skip_field(wire, number, &mut message, DecodeContext::default())
                .map_err(|_| FieldsError::Malformed)?;
            continue;
        };
        let text = text(wire, &mut message).ok_or(FieldsError::Malformed)?;
        if found[index].replace(text).is_some() {
            return Err(FieldsError::Duplicate);
        }
    }
    Ok(found)
}

/// The texts of a field of several, in their order.
pub(crate) fn all(mut message: &[u8], wanted: u32) -> Result<Vec<&str>, FieldsError> {
    let mut found = Vec::new();
    while !message.is_empty() {
        let (number, wire) = decode_key(&mut message).map_err(|_| FieldsError::Malformed)?;
        if number == wanted {
            found.push(text(wire, &mut message).ok_or(FieldsError::Malformed)?);
        } else {
            skip_field(wire, number, &mut message, DecodeContext::default())
                .map_err(|_| FieldsError::Malformed)?;
        }
    }
    Ok(found)
}

/// The number of messages of a repeated field, with the SHA-256 of their bytes, each after its length in eight big-endian bytes.
pub(crate) fn summary(mut message: &[u8], wanted: u32) -> Result<String, FieldsError> {
    let (mut number_of, mut hash) = (0_usize, Sha256::new());
    while !message.is_empty() {
        let (number, wire) = decode_key(&mut message).map_err(|_| FieldsError::Malformed)?;
        if number == wanted {
            let bytes = bytes(wire, &mut message).ok_or(FieldsError::Malformed)?;
            number_of += 1;
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        } else {
            skip_field(wire, number, &mut message, DecodeContext::default())
                .map_err(|_| FieldsError::Malformed)?;
        }
    }
    let digest = hash.finalize();
    let digest = digest
        .iter()
        .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    Ok(format!("{number_of} sha256:{digest}"))
}

fn text<'m>(wire: WireType, message: &mut &'m [u8]) -> Option<&'m str> {
    std::str::from_utf8(bytes(wire, message)?).ok()
}

fn bytes<'m>(wire: WireType, message: &mut &'m [u8]) -> Option<&'m [u8]> {
    if wire != WireType::LengthDelimited {
        return None;
    }
    let length = usize::try_from(decode_varint(message).ok()?).ok()?;
    let (bytes, rest) = message.split_at_checked(length)?;
    *message = rest;
    Some(bytes)
}

#[cfg(test)]
mod tests;
