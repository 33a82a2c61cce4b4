//! `causeway app facets`: how many applications there are of each kind.

use causeway_proto::inventory::v1 as pb;

use super::filter::FilterArgs;
use crate::{
    connection::Connection,
    output::{self, Cell, Format, Table},
    selection::Selection,
    watch, words,
};

const FIELDS: [&str; 9] = [
    "runtime",
    "cluster",
    "namespace",
    "project",
    "sync",
    "health",
    "source",
    "operation",
    "automated",
];

/// Applications and fields to count.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct FacetsArgs {
    /// The same as --text
    #[arg(value_name = "WORDS", conflicts_with = "text")]
    words: Vec<String>,
    #[command(flatten)]
    filter: FilterArgs,
    /// Count by runtime, cluster, namespace, project, sync, health, source, operation or automated
    ///
    /// Repeatable; all by default.
    #[arg(long = "by", value_name = "FIELD", value_parser = parse_field)]
    fields: Vec<pb::ApplicationField>,
    /// Count by the values of this label (repeatable)
    #[arg(long = "by-label", value_name = "KEY")]
    labels: Vec<String>,
    /// Count each field without its own filter
    #[arg(long)]
    own_filter_left_out: bool,
    /// Print the counts again whenever they change
    #[arg(short, long, conflicts_with_all = ["labels", "own_filter_left_out", "most"])]
    watch: bool,
    /// Maximum values of each field, 1 to 100
    #[arg(long, value_name = "NUMBER", default_value = "10", value_parser = clap::value_parser!(u32).range(1..=100))]
    most: u32,
}

pub(super) async fn run(
    connection: &Connection,
    args: &FacetsArgs,
    format: Format,
) -> anyhow::Result<()> {
    if args.watch {
        return watch(connection, args, format).await;
    }
    let request = pb::ListApplicationFacetsRequest {
        filter: Some(args.filter.to_filter_with(&args.words)),
        fields: args.fields.iter().map(|field| (*field).into()).collect(),
        most_values: args.most,
        own_condition_left_out: args.own_filter_left_out,
        label_keys: args.labels.clone(),
    };
    let mut client = connection.applications();
    let facets = client.list_application_facets(request).await?.into_inner();
    if facets.total == 0 {
        let filter = args.filter.to_filter_with(&args.words);
        Selection::from(&filter).check(connection).await?;
    }
    output::show(&facets, format, |_| print(&facets))
}

/// Prints counts without the filter of each field itself, and again when they change.
async fn watch(connection: &Connection, args: &FacetsArgs, format: Format) -> anyhow::Result<()> {
    let fields = match &args.fields[..] {
        [] => (1..=9).collect(),
        fields => fields.iter().map(|field| (*field).into()).collect(),
    };
    let view = pb::View {
        id: "facets".to_owned(),
        filter: Some(args.filter.to_filter_with(&args.words)),
        facets: fields,
        ..Default::default()
    };
    let open = async |cursor| {
        let view = pb::View {
            cursor,
            ..view.clone()
        };
        let request = pb::WatchViewsRequest { views: vec![view] };
        let mut client = connection.views();
        Ok(client.watch_views(request).await?.into_inner())
    };
    let show = |response: &pb::WatchViewsResponse| {
        if response.facets.is_empty() {
            return Ok(());
        }
        let facets = pb::ListApplicationFacetsResponse {
            total: response.total,
            facets: response.facets.clone(),
            ..Default::default()
        };
        if format == Format::Table {
            return print(&facets);
        }
        output::stream_document(&facets, format)
    };
    watch::follow(open, |response| &response.cursor, show).await
}

fn print(facets: &pb::ListApplicationFacetsResponse) -> anyhow::Result<()> {
    let mut columns = Table::new(&["FIELD", "VALUE", "APPLICATIONS"]);
    columns.row(vec![
        Cell::new("all"),
        Cell::new(""),
        Cell::new(facets.total),
    ]);
    for facet in &facets.facets {
        let mut name = name(facet);
        for value in &facet.values {
            columns.row(vec![
                Cell::new(name),
                Cell::state(words::or_dash(&value.value)),
                Cell::new(value.count),
            ]);
            name = "";
        }
        if facet.others > 0 {
            columns.row(vec![
                Cell::new(name),
                Cell::new("(others)"),
                Cell::new(facet.others),
            ]);
        }
    }
    columns.print()
}

fn name(facet: &pb::ApplicationFacet) -> &str {
    let index = usize::try_from(i32::from(facet.field()) - 1).unwrap_or(usize::MAX);
    let field = FIELDS.get(index).copied();
    field.unwrap_or(&facet.label_key)
}

fn parse_field(text: &str) -> Result<pb::ApplicationField, String> {
    words::parse_name(&FIELDS, text)
}
