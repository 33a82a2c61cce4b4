//! `causeway search`: applications, runtimes, clusters, resources, images and commits by a text.

use causeway_proto::inventory::v1 as pb;

use crate::{
    connection::Connection,
    output::{self, Cell, Format, Table},
    words,
};

const KINDS: [&str; 6] = [
    "application",
    "runtime",
    "cluster",
    "resource",
    "image",
    "commit",
];
const HASH_DIGITS: usize = 12;

/// Find applications, runtimes, clusters, resources, images and commits
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct SearchArgs {
    /// Words that names contain
    #[arg(value_name = "TEXT", required = true)]
    words: Vec<String>,
    /// Kind to find: application, runtime, cluster, resource, image or commit (repeatable)
    #[arg(long = "kind", value_name = "KIND", value_parser = parse_kind)]
    kinds: Vec<pb::SearchKind>,
    /// Maximum results of each kind, 1 to 50
    #[arg(long, value_name = "NUMBER", default_value = "10", value_parser = clap::value_parser!(u32).range(1..=50))]
    most: u32,
}

impl SearchArgs {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let request = pb::SearchRequest {
            text: self.words.join(" "),
            kinds: self.kinds.iter().map(|kind| (*kind).into()).collect(),
            most_results: self.most,
        };
        let found = connection.search().search(request).await?.into_inner();
        output::show(&found, format, |_| print(&found))
    }
}

fn print(found: &pb::SearchResponse) -> anyhow::Result<()> {
    if found.results.is_empty() {
        output::note("nothing found");
        return Ok(());
    }
    let mut table = Table::new(&["KIND", "NAME", "WHERE", "HEALTH", "DETAIL"]);
    for result in &found.results {
        let detail = [&result.detail, &result.application];
        let detail = detail.into_iter().find(|it| !it.is_empty());
        table.row(vec![
            Cell::new(kind(result)),
            Cell::new(name(result)),
            Cell::new(place(result)),
            Cell::state(health(result)),
            Cell::new(words::plain(detail.map_or("", String::as_str))),
        ]);
    }
    table.print()?;
    if !found.more.is_empty() {
        output::note("there are more results: raise --most, or search for more words");
    }
    Ok(())
}

fn kind(result: &pb::SearchResult) -> String {
    match &*result.resource {
        "" => {
            let index = usize::try_from(i32::from(result.kind()) - 1);
            let word = index.ok().and_then(|index| KINDS.get(index));
            word.copied().unwrap_or("").to_owned()
        }
        resource => words::plain(resource),
    }
}

fn name(result: &pb::SearchResult) -> String {
    if result.kind() == pb::SearchKind::Commit {
        return result.name.chars().take(HASH_DIGITS).collect();
    }
    words::plain(&result.name)
}

fn place(result: &pb::SearchResult) -> String {
    let parts = [&result.runtime, &result.cluster, &result.namespace];
    let parts = parts.into_iter().filter(|it| !it.is_empty());
    let place = parts.cloned().collect::<Vec<_>>().join("/");
    words::or_dash(&place).to_owned()
}

fn health(result: &pb::SearchResult) -> &'static str {
    if result.health() == pb::HealthStatus::Unspecified {
        return "";
    }
    words::health_status(result.health())
}

fn parse_kind(text: &str) -> Result<pb::SearchKind, String> {
    words::parse_name(&KINDS, text)
}
