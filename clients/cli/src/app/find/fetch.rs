//! Fetches pages of applications, one while the one before it is decoded.

use anyhow::Context as _;
use bytes::Bytes;
use causeway_proto::{application, inventory::v1 as pb};
use prost::Message;
use tokio::sync::mpsc;

use crate::{connection::Connection, watch::Next};

const PAGE: u32 = 1_000;
/// Pages that wait, besides the one that is read and the one that is fetched.
const BUFFERED_PAGES: usize = 1;

/// `ListApplicationsResponse` with undecoded applications: the next page is requested before they are decoded.
#[derive(Message)]
struct Page {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    applications: Vec<Bytes>,
    #[prost(string, tag = "2")]
    next_page_token: String,
}

/// Passes each page of a list to `on_page` until it stops, about after `limit` applications. `on_page` may block.
pub(in crate::app) async fn for_each_page<S: Send + 'static>(
    connection: &Connection,
    list: pb::ListApplicationsRequest,
    limit: usize,
    mut state: S,
    mut on_page: impl FnMut(&mut S, Vec<pb::Application>) -> anyhow::Result<Next> + Send + 'static,
) -> anyhow::Result<S> {
    let (pages_tx, mut pages_rx) = mpsc::channel(BUFFERED_PAGES);
    let mut reader = tokio::task::spawn_blocking(move || {
        while let Some(page) = pages_rx.blocking_recv() {
            match on_page(&mut state, decode(page)?)? {
                Next::Continue => {}
                Next::Stop => break,
            }
        }
        Ok(state)
    });
    let page_size = u32::try_from(limit.saturating_add(1)).unwrap_or(PAGE);
    let request = pb::ListApplicationsRequest {
        view: pb::ApplicationView::Basic.into(),
        page_size: page_size.min(PAGE),
        ..list
    };
    let fetched = tokio::select! {
        // First: after an error the dropped sender ends the reader, too.
        biased;
        fetched = fetch_pages(connection, request, limit, pages_tx) => fetched,
        // Enough was read: do not wait for the page that is being fetched.
        reader = &mut reader => return reader.context("reading a page")?,
    };
    let state = reader.await.context("reading a page")??;
    fetched?;
    Ok(state)
}

/// Fetches pages until the receiver is dropped.
async fn fetch_pages(
    connection: &Connection,
    mut request: pb::ListApplicationsRequest,
    limit: usize,
    pages_tx: mpsc::Sender<Page>,
) -> anyhow::Result<()> {
    let mut found = 0;
    loop {
        let page: Page = connection.listed_applications(request.clone()).await?;
        found += page.applications.len();
        request.page_token.clone_from(&page.next_page_token);
        request.offset = 0;
        let wanted = pages_tx.send(page).await.is_ok();
        if !wanted || found > limit || request.page_token.is_empty() {
            return Ok(());
        }
    }
}

fn decode(page: Page) -> anyhow::Result<Vec<pb::Application>> {
    application::decode_all(page.applications)
        .context("reading an application: is the platform of another version?")
}
