//! Lists that come in pages.

use tonic::{Response, Status};

use crate::output::PageResponse;

/// Tells if a list was cut at its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Truncation {
    Complete,
    Truncated,
}

/// Reads all pages into one response; `fetch` gets the token of each page.
pub(crate) async fn read_all<R: PageResponse>(
    fetch: impl AsyncFnMut(String) -> Result<Response<R>, Status>,
) -> Result<R, Status> {
    Ok(read_while(fetch, |_| true).await?.0)
}

/// Reads pages into one response while `wants_more`, which gets the number of items so far.
pub(crate) async fn read_while<R: PageResponse>(
    mut fetch: impl AsyncFnMut(String) -> Result<Response<R>, Status>,
    mut wants_more: impl FnMut(usize) -> bool,
) -> Result<(R, Truncation), Status> {
    let (mut items, mut token) = (Vec::new(), String::new());
    loop {
        let mut page = fetch(token).await?.into_inner();
        items.append(page.items_mut());
        // Taken out: a merged response continues nowhere.
        token = std::mem::take(page.next_page_token_mut());
        let rest = match token.is_empty() {
            true => Truncation::Complete,
            false if wants_more(items.len()) => continue,
            false => Truncation::Truncated,
        };
        *page.items_mut() = items;
        return Ok((page, rest));
    }
}

#[cfg(test)]
mod tests;
