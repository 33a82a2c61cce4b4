//! Conversions of preferences and saved views.

use causeway_proto::{
    ids::{RoleName, UserId},
    platform::v1 as pb,
    time::millis_to_timestamp,
};
use causeway_shell::Caller;
use serde::de::IgnoredAny;

use crate::{
    convert::{FieldError, id},
    preferences::model::{Preferences, SavedView},
    users::model::in_order,
};

const LONGEST_CONTENT: usize = 64 << 10;
const LONGEST_NAME: usize = 64;
const LONGEST_QUERY: usize = 4 << 10;
const LONGEST_PAGE: usize = 32;
const MOST_ROLES: usize = 10;

/// Preferences as a request has them.
pub(crate) fn preferences(request: &pb::SetPreferencesRequest) -> Result<Preferences, FieldError> {
    let content = &request.content;
    if content.len() > LONGEST_CONTENT {
        return Err(FieldError::new("content", "longer than 64 KiB"));
    }
    serde_json::from_str::<IgnoredAny>(content)
        .map_err(|error| FieldError::new("content", format!("not JSON: {error}")))?;
    Ok(Preferences {
        content: content.clone(),
        version: request.version,
    })
}

/// A view as a request has it.
pub(crate) fn view(
    caller: &Caller,
    owner: &UserId,
    request: &pb::SaveViewRequest,
    now: i64,
) -> Result<SavedView, FieldError> {
    if request.query.len() > LONGEST_QUERY || request.query.chars().any(char::is_control) {
        let text = "must have at most 4 KiB and no control character";
        return Err(FieldError::new("query", text));
    }
    Ok(SavedView {
        account: caller.account.clone(),
        owner: owner.clone(),
        name: name(&request.name)?.to_owned(),
        page: page(&request.page)?.to_owned(),
        query: request.query.clone(),
        roles: roles(&request.roles)?,
        updated_at: now,
    })
}

/// The name of a view.
pub(crate) fn name(name: &str) -> Result<&str, FieldError> {
    let good = (1..=LONGEST_NAME).contains(&name.len()) && !name.chars().any(char::is_control);
    let text = "must have 1 to 64 bytes and no control character";
    good.then_some(name)
        .ok_or_else(|| FieldError::new("name", text))
}

fn page(page: &str) -> Result<&str, FieldError> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
    let good = (1..=LONGEST_PAGE).contains(&page.len()) && page.bytes().all(plain);
    let text = "must be the name of a page, for example apps";
    good.then_some(page)
        .ok_or_else(|| FieldError::new("page", text))
}

fn roles(names: &[String]) -> Result<Vec<RoleName>, FieldError> {
    if names.len() > MOST_ROLES {
        return Err(FieldError::new("roles", format!("more than {MOST_ROLES}")));
    }
    let names = names.iter().map(|name| id("roles", name));
    names.collect::<Result<_, _>>().map(in_order)
}

impl From<SavedView> for pb::SavedView {
    fn from(view: SavedView) -> Self {
        Self {
            name: view.name,
            query: view.query,
            page: view.page,
            roles: view.roles.into_iter().map(String::from).collect(),
            owner: view.owner.to_string(),
            updated_at: Some(millis_to_timestamp(view.updated_at)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(content: &str) -> Result<Preferences, FieldError> {
        preferences(&pb::SetPreferencesRequest {
            content: content.to_owned(),
            ..Default::default()
        })
    }

    #[test]
    fn preferences_are_json_of_a_bounded_size() {
        assert!(asked(r#"{"theme": "dark"}"#).is_ok());
        let longest = format!("\"{}\"", "a".repeat(LONGEST_CONTENT - 2));
        assert!(asked(&longest).is_ok());
        for bad in ["", "{", "dark", &format!("{longest} ")] {
            assert_eq!(asked(bad).unwrap_err().field, "content");
        }
    }

    #[test]
    fn names_and_pages_are_bounded() {
        assert!(name("broken in prod ü").is_ok() && page("apps").is_ok());
        assert!(name("").is_err() && name("a\nb").is_err() && name(&"a".repeat(65)).is_err());
        assert!(page("").is_err() && page("/apps").is_err() && page("Apps").is_err());
        let eleven: Vec<_> = (0..11).map(|number| format!("role-{number}")).collect();
        assert!(roles(&eleven).is_err() && roles(&eleven[..10]).is_ok());
    }
}
