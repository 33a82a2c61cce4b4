//! Finds a call by the first characters of its id. Ids begin with their time, so that a prefix stands for a span of time.

use anyhow::bail;
use causeway_proto::{platform::v1 as pb, time::millis_to_timestamp};

use super::ChainArgs;
use crate::{connection::Connection, failure::Absent, pages};

/// Digits of an id that are its time in milliseconds.
const TIME_DIGITS: usize = 12;
/// Digits that a prefix needs; they stand for 65 seconds.
const FEWEST: usize = 8;
/// Digits of a whole id.
const WHOLE: usize = 32;
/// Milliseconds by which the time of a call may differ from that of its id.
const SLACK: i64 = 60_000;
const PAGE: u32 = 500;

/// The first digits of an id.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Prefix(String);

/// Returns the whole id for an id or its prefix.
pub(super) async fn complete(
    connection: &Connection,
    id: String,
    chain: ChainArgs,
) -> anyhow::Result<String> {
    let Some(prefix) = Prefix::read(&id)? else {
        return Ok(id);
    };
    let ids = list_ids(connection, &prefix, chain).await?;
    match ids.as_slice() {
        [] => Err(Absent(format!(
            "no call with an id that begins with '{id}'; see 'causeway audit list'"
        ))
        .into()),
        [id] => Ok(id.clone()),
        several => bail!("'{id}' is ambiguous: {}", several.join(", ")),
    }
}

async fn list_ids(
    connection: &Connection,
    prefix: &Prefix,
    chain: ChainArgs,
) -> anyhow::Result<Vec<String>> {
    let (since, until) = prefix.span();
    let mut audit = connection.audit();
    let found = pages::read_all(async |page_token| {
        let request = pb::ListAuditRecordsRequest {
            page_size: PAGE,
            page_token,
            since: Some(millis_to_timestamp(since)),
            until: Some(millis_to_timestamp(until)),
            platform: chain.platform,
            ..Default::default()
        };
        audit.list_audit_records(request).await
    });
    let ids = found.await?.records.into_iter().map(|it| it.audit_id);
    Ok(ids.filter(|id| prefix.is_of(id)).collect())
}

impl Prefix {
    /// Reads a prefix; none for a whole id.
    ///
    /// # Errors
    /// It is too short, or is not the beginning of an id.
    fn read(text: &str) -> anyhow::Result<Option<Self>> {
        let digits = digits(text);
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) || digits.len() > WHOLE {
            bail!("'{text}' is not an id of a call; see 'causeway audit list'");
        }
        if digits.len() < FEWEST {
            bail!("'{text}' is too short: pass at least {FEWEST} characters of the id");
        }
        Ok((digits.len() < WHOLE).then_some(Self(digits)))
    }

    fn is_of(&self, id: &str) -> bool {
        digits(id).starts_with(&self.0)
    }

    /// When calls with such ids were made, in milliseconds since 1970.
    fn span(&self) -> (i64, i64) {
        let digits = self.0.get(..TIME_DIGITS).unwrap_or(&self.0);
        let missing = 4 * (TIME_DIGITS - digits.len());
        let first = i64::from_str_radix(digits, 16).unwrap_or(0) << missing;
        let last = first + (1 << missing);
        ((first - SLACK).max(0), last + SLACK)
    }
}

fn digits(id: &str) -> String {
    id.trim().replace('-', "").to_ascii_lowercase()
}

#[cfg(test)]
mod tests;
