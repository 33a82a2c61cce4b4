//! Pages of applications. The next page is fetched while the last one is read.

use anyhow::Context as _;
use bytes::Bytes;
use causeway_proto::{application, inventory::v1 as pb};
use prost::Message;
use tokio::sync::mpsc;

use crate::{connection::Connection, watch::Next};

const PAGE: u32 = 1_000;
/// How many pages wait to be read, beside the one that is read and the one that comes.
const WAITING: usize = 1;

/// `ListApplicationsResponse`, with applications that are still to be decoded: where it goes on is known before they are.
#[derive(Message)]
struct Page {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    applications: Vec<Bytes>,
    #[prost(string, tag = "2")]
    next_page_token: String,
}

/// Passes each page to `on_page` until it stops; `limit` sizes the pages. `on_page` may block.
pub(in crate::app) async fn pages<S: Send + 'static>(
    connection: &Connection,
    (filter, sort): (pb::ApplicationFilter, pb::ApplicationSort),
    enough: usize,
    mut state: S,
    mut see: impl FnMut(&mut S, Vec<pb::Application>) -> anyhow::Result<Next> + Send + 'static,
) -> anyhow::Result<S> {
    let (pages_tx, mut pages_rx) = mpsc::channel(WAITING);
    let mut seen = tokio::task::spawn_blocking(move || {
        while let Some(page) = pages_rx.blocking_recv() {
            match see(&mut state, decoded(page)?)? {
                Next::Continue => {}
                Next::Stop => break,
            }
        }
        Ok(state)
    });
    let page_size = u32::try_from(enough.saturating_add(1)).unwrap_or(PAGE);
    let request = pb::ListApplicationsRequest {
        filter: Some(filter),
        view: pb::ApplicationView::Basic.into(),
        page_size: page_size.min(PAGE),
        page_token: String::new(),
        sort: sort.into(),
    };
    let asked = tokio::select! {
        // First, as its end is what ends the reading where something went wrong.
        biased;
        asked = ask(connection, request, enough, pages_tx) => asked,
        // Enough was read: the page that is on its way is not waited for.
        seen = &mut seen => return seen.context("reading a page")?,
    };
    let state = seen.await.context("reading a page")??;
    asked?;
    Ok(state)
}

/// Fetches pages until the receiver is dropped.
async fn ask(
    connection: &Connection,
    mut request: pb::ListApplicationsRequest,
    enough: usize,
    pages_tx: mpsc::Sender<Page>,
) -> anyhow::Result<()> {
    let mut found = 0;
    loop {
        let page: Page = connection.listed_applications(request.clone()).await?;
        found += page.applications.len();
        request.page_token.clone_from(&page.next_page_token);
        let wanted = pages_tx.send(page).await.is_ok();
        if !wanted || found > enough || request.page_token.is_empty() {
            return Ok(());
        }
    }
}

fn decoded(page: Page) -> anyhow::Result<Vec<pb::Application>> {
    application::decode_all(page.applications)
        .context("reading an application: is the platform of another version?")
}
