//! `causeway app list`: tables are printed page by page, as they come.

use std::{pin::pin, sync::Arc};

use causeway_proto::inventory::v1 as pb;
use futures::future::{self, Either};

use super::{
    find::{self, Rest},
    print,
};
use crate::{
    connection::Connection,
    output::{self, Format, Lines, Progress, Sheet},
    watch::Next,
};

const LIST: &str = "causeway.inventory.v1.ListApplicationsResponse";

/// Prints at most `limit` matches; returns if there are more.
pub(super) async fn run(
    connection: &Connection,
    filter: pb::ApplicationFilter,
    sort: pb::ApplicationSort,
    limit: usize,
    format: Format,
) -> anyhow::Result<Rest> {
    if format != Format::Table || output::waits_for_all() {
        return whole(connection, filter, sort, limit, format).await;
    }
    let (table, taken) = (Table::new(), Taken::most(limit));
    let enough = taken.enough();
    let state = (table, taken);
    let read = find::pages(connection, (filter, sort), enough, state, |state, page| {
        let (table, taken) = state;
        let page = taken.of(output::arranged(LIST, response(page))?.applications);
        table.page(&page)?;
        Ok(taken.next())
    });
    let (table, taken) = read.await?;
    table.end()?;
    Ok(taken.rest)
}

/// Reads the whole list first, for output that needs it.
async fn whole(
    connection: &Connection,
    filter: pb::ApplicationFilter,
    sort: pb::ApplicationSort,
    limit: usize,
    format: Format,
) -> anyhow::Result<Rest> {
    let progress = Arc::new(Progress::start("reading applications"));
    let number = tell_number(connection, filter.clone(), limit, Arc::clone(&progress));
    let sorts = output::waits_for_all();
    let taken = Taken::most(limit);
    let enough = taken.enough();
    let state = (taken, Vec::new());
    let read = find::pages(
        connection,
        (filter, sort),
        enough,
        state,
        move |state, page| {
            let (taken, found) = state;
            match sorts {
                true => found.extend(page),
                false => {
                    let page = output::arranged(LIST, response(page))?.applications;
                    found.extend(taken.of(page));
                }
            }
            progress.reached(found.len());
            Ok(taken.next())
        },
    );
    let (mut taken, mut found) = beside(read, number).await?;
    if sorts {
        found = taken.of(output::arranged(LIST, response(found))?.applications);
    }
    if format != Format::Table {
        output::document(LIST, &response(found), format)?;
        return Ok(taken.rest);
    }
    let mut table = Table::new();
    table.page(&found)?;
    table.end()?;
    Ok(taken.rest)
}

/// Asks how many there are, where somebody sees how many of them have been read.
async fn tell_number(
    connection: &Connection,
    filter: pb::ApplicationFilter,
    limit: usize,
    progress: Arc<Progress>,
) {
    if !progress.is_seen() {
        return;
    }
    let request = pb::ListApplicationFacetsRequest {
        filter: Some(filter),
        fields: vec![pb::ApplicationField::Runtime.into()],
        most_values: 1,
    };
    let mut client = connection.applications();
    // Without an answer the count goes on without an end.
    if let Ok(counted) = client.list_application_facets(request).await {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        progress.expect(counted.into_inner().total.min(limit));
    }
}

/// Work with something beside it that is given up with it.
async fn beside<T>(work: impl Future<Output = T>, other: impl Future<Output = ()>) -> T {
    let (work, other) = (pin!(work), pin!(other));
    match future::select(work, other).await {
        Either::Left((done, _)) => done,
        Either::Right(((), work)) => work.await,
    }
}

fn response(applications: Vec<pb::Application>) -> pb::ListApplicationsResponse {
    pb::ListApplicationsResponse {
        applications,
        next_page_token: String::new(),
    }
}

/// How many have been taken of those that are wanted.
struct Taken {
    room: usize,
    rest: Rest,
}

impl Taken {
    fn most(limit: usize) -> Self {
        Self {
            room: limit,
            rest: Rest::None,
        }
    }

    /// How many to ask for: all where some of them are left out afterwards.
    fn enough(&self) -> usize {
        match output::narrows() || output::waits_for_all() {
            true => usize::MAX,
            false => self.room,
        }
    }

    /// Those that there is room for.
    fn of(&mut self, mut page: Vec<pb::Application>) -> Vec<pb::Application> {
        if page.len() > self.room {
            page.truncate(self.room);
            self.rest = Rest::More;
        }
        self.room -= page.len();
        page
    }

    fn next(&self) -> Next {
        match self.rest {
            Rest::None => Next::Continue,
            Rest::More => Next::Stop,
        }
    }
}

/// A table that grows.
struct Table {
    lines: Lines,
    sheet: Sheet,
    empty: bool,
}

impl Table {
    fn new() -> Self {
        Self {
            lines: print::lines(),
            sheet: Sheet::open(),
            empty: true,
        }
    }

    fn page(&mut self, applications: &[pb::Application]) -> anyhow::Result<()> {
        if applications.is_empty() {
            return Ok(());
        }
        self.empty = false;
        for application in applications {
            self.lines.row(print::row(application));
        }
        self.sheet.write(&self.lines.page())
    }

    fn end(self) -> anyhow::Result<()> {
        if self.empty {
            output::note("no applications");
        }
        self.sheet.close()
    }
}
