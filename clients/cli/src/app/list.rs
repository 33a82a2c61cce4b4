//! `causeway app list`: tables are printed page by page, as they come.

use std::{num::NonZeroUsize, pin::pin, sync::Arc};

use causeway_proto::inventory::v1 as pb;
use futures::future::{self, Either};

use super::{filter::FilterArgs, find, print::Applications, watch};
use crate::{
    connection::Connection,
    output::{self, Columns as _, Format, PagedOutput, Progress, Table},
    pages::Truncation,
    selection::Selection,
    watch::Next,
    words,
};

/// Applications to list.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ListArgs {
    /// The same as --text
    #[arg(value_name = "WORDS", conflicts_with = "text")]
    pub(super) words: Vec<String>,
    #[command(flatten)]
    pub(super) filter: FilterArgs,
    /// Sort by runtime, name, namespace, project, sync, health, changed, created, cluster or last-operation
    ///
    /// 'health' lists degraded applications first; 'changed', 'created' and 'last-operation' list the newest first.
    #[arg(long, value_name = "ORDER", value_parser = parse_sort, default_value = "runtime")]
    pub(super) sort: pb::ApplicationSort,
    /// Reverse the order
    #[arg(long, conflicts_with = "watch")]
    pub(super) descending: bool,
    /// Skip so many applications
    #[arg(
        long,
        value_name = "NUMBER",
        default_value = "0",
        conflicts_with = "watch"
    )]
    pub(super) offset: u32,
    /// Limit the number of results
    #[arg(long, value_name = "NUMBER", conflicts_with = "watch")]
    pub(super) limit: Option<NonZeroUsize>,
    /// Stream changes after the list, as 'app watch' does
    #[arg(short, long)]
    watch: bool,
}

pub(super) async fn run(
    connection: &Connection,
    args: &ListArgs,
    format: Format,
) -> anyhow::Result<()> {
    let filter = args.filter.to_filter_with(&args.words);
    if args.watch {
        return watch::watch_all(connection, filter, format).await;
    }
    let limit = args.limit.map_or(usize::MAX, NonZeroUsize::get);
    let selection = Selection::from(&filter);
    let request = pb::ListApplicationsRequest {
        filter: Some(filter),
        sort: args.sort.into(),
        descending: args.descending,
        offset: args.offset,
        ..Default::default()
    };
    match print(connection, &selection, request, (limit, format)).await? {
        Truncation::Truncated => output::note(format!(
            "there are more than {limit}: raise --limit, or narrow the list"
        )),
        Truncation::Complete => {}
    }
    Ok(())
}

pub(super) fn parse_sort(text: &str) -> Result<pb::ApplicationSort, String> {
    let names = [
        "runtime",
        "name",
        "namespace",
        "project",
        "sync",
        "health",
        "changed",
        "created",
        "cluster",
        "last-operation",
    ];
    words::parse_name(&names, text)
}

/// Prints at most `limit` matches; returns if there are more.
async fn print(
    connection: &Connection,
    selection: &Selection,
    request: pb::ListApplicationsRequest,
    (limit, format): (usize, Format),
) -> anyhow::Result<Truncation> {
    if format != Format::Table || output::waits_for_all() {
        return collect_then_print(connection, selection, request, (limit, format)).await;
    }
    let (table, limiter) = (ListPrinter::new(), PageLimit::new(limit));
    let wanted = limiter.wanted();
    let state = (table, limiter);
    let read = find::for_each_page(connection, request, wanted, state, |state, page| {
        let (table, limiter) = state;
        let page = limiter.truncate(output::arranged(response(page))?.applications);
        table.page(&page)?;
        Ok(limiter.next())
    });
    let (table, limiter) = read.await?;
    if table.empty {
        selection.check(connection).await?;
    }
    table.end()?;
    Ok(limiter.truncation)
}

/// Reads the whole list first, for output that needs it.
async fn collect_then_print(
    connection: &Connection,
    selection: &Selection,
    request: pb::ListApplicationsRequest,
    (limit, format): (usize, Format),
) -> anyhow::Result<Truncation> {
    let progress = Arc::new(Progress::start("reading applications"));
    let filter = request.filter.clone().unwrap_or_default();
    let number = fetch_total(connection, filter, limit, Arc::clone(&progress));
    let sorts = output::waits_for_all();
    let limiter = PageLimit::new(limit);
    let wanted = limiter.wanted();
    let state = (limiter, Vec::new());
    let read = find::for_each_page(connection, request, wanted, state, move |state, page| {
        let (limiter, found) = state;
        if sorts {
            found.extend(page)
        } else {
            let page = output::arranged(response(page))?.applications;
            found.extend(limiter.truncate(page));
        }
        progress.reached(found.len());
        Ok(limiter.next())
    });
    let (mut limiter, mut found) = Box::pin(with_background(read, number)).await?;
    if sorts {
        found = limiter.truncate(output::arranged(response(found))?.applications);
    }
    if found.is_empty() {
        selection.check(connection).await?;
    }
    if format != Format::Table {
        output::document(&response(found), format)?;
        return Ok(limiter.truncation);
    }
    let mut table = ListPrinter::new();
    table.page(&found)?;
    table.end()?;
    Ok(limiter.truncation)
}

/// Fetches the number of applications for a visible progress line.
async fn fetch_total(
    connection: &Connection,
    filter: pb::ApplicationFilter,
    limit: usize,
    progress: Arc<Progress>,
) {
    if !progress.is_visible() {
        return;
    }
    let request = pb::ListApplicationFacetsRequest {
        filter: Some(filter),
        fields: vec![pb::ApplicationField::Runtime.into()],
        most_values: 1,
        ..Default::default()
    };
    let mut client = connection.applications();
    // Without the total the progress shows a count.
    if let Ok(counted) = client.list_application_facets(request).await {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        progress.expect(counted.into_inner().total.min(limit));
    }
}

/// Runs `other` beside `work`, and drops it when the work ends.
async fn with_background<T>(work: impl Future<Output = T>, other: impl Future<Output = ()>) -> T {
    let (work, other) = (pin!(work), pin!(other));
    match future::select(work, other).await {
        Either::Left((done, _)) => done,
        Either::Right(((), work)) => work.await,
    }
}

fn response(applications: Vec<pb::Application>) -> pb::ListApplicationsResponse {
    pb::ListApplicationsResponse {
        applications,
        ..Default::default()
    }
}

/// Counts the applications that are still wanted.
struct PageLimit {
    remaining: usize,
    truncation: Truncation,
}

impl PageLimit {
    fn new(limit: usize) -> Self {
        Self {
            remaining: limit,
            truncation: Truncation::Complete,
        }
    }

    /// Number to fetch: all if some of them are left out afterwards.
    fn wanted(&self) -> usize {
        if output::narrows() || output::waits_for_all() {
            usize::MAX
        } else {
            self.remaining
        }
    }

    /// Returns the part of a page that is within the limit.
    fn truncate(&mut self, mut page: Vec<pb::Application>) -> Vec<pb::Application> {
        if page.len() > self.remaining {
            page.truncate(self.remaining);
            self.truncation = Truncation::Truncated;
        }
        self.remaining -= page.len();
        page
    }

    fn next(&self) -> Next {
        match self.truncation {
            Truncation::Complete => Next::Continue,
            Truncation::Truncated => Next::Stop,
        }
    }
}

/// Prints a list page by page.
struct ListPrinter {
    lines: Table,
    sheet: PagedOutput,
    empty: bool,
}

impl ListPrinter {
    fn new() -> Self {
        Self {
            lines: Table::for_columns::<Applications>(),
            sheet: PagedOutput::open(),
            empty: true,
        }
    }

    fn page(&mut self, applications: &[pb::Application]) -> anyhow::Result<()> {
        if applications.is_empty() {
            return Ok(());
        }
        self.empty = false;
        for application in applications {
            self.lines.row(Applications::cells(application));
        }
        self.sheet.write(&self.lines.page())
    }

    fn end(self) -> anyhow::Result<()> {
        if self.empty {
            output::note(Applications::NONE);
        }
        self.sheet.close()
    }
}
