//! `causeway app facets`: how many applications there are of each kind.

use causeway_proto::inventory::v1 as pb;

use super::filter::FilterArgs;
use crate::{
    connection::Connection,
    output::{self, Cell, Format, Table},
    words,
};

const FIELDS: [&str; 7] = [
    "runtime",
    "cluster",
    "namespace",
    "project",
    "sync",
    "health",
    "source",
];

/// Applications and fields to count.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct FacetsArgs {
    /// The same as --text
    #[arg(value_name = "WORDS", conflicts_with = "text")]
    words: Vec<String>,
    #[command(flatten)]
    filter: FilterArgs,
    /// Count by runtime, cluster, namespace, project, sync, health or source
    ///
    /// Repeatable; all by default.
    #[arg(long = "by", value_name = "FIELD", value_parser = parse_field)]
    fields: Vec<pb::ApplicationField>,
    /// Maximum values of each field, 1 to 100
    #[arg(long, value_name = "NUMBER", default_value = "10", value_parser = clap::value_parser!(u32).range(1..=100))]
    most: u32,
}

pub(super) async fn run(
    connection: &Connection,
    args: &FacetsArgs,
    format: Format,
) -> anyhow::Result<()> {
    let request = pb::ListApplicationFacetsRequest {
        filter: Some(args.filter.to_filter_with(&args.words)),
        fields: args.fields.iter().map(|field| (*field).into()).collect(),
        most_values: args.most,
        ..Default::default()
    };
    let mut client = connection.applications();
    let facets = client.list_application_facets(request).await?.into_inner();
    output::show(&facets, format, |_| print(&facets))
}

fn print(facets: &pb::ListApplicationFacetsResponse) -> anyhow::Result<()> {
    let mut columns = Table::new(&["FIELD", "VALUE", "APPLICATIONS"]);
    columns.row(vec![
        Cell::new("all"),
        Cell::new(""),
        Cell::new(facets.total),
    ]);
    for facet in &facets.facets {
        let index = usize::try_from(i32::from(facet.field()) - 1).unwrap_or(usize::MAX);
        let mut name = FIELDS.get(index).copied().unwrap_or("");
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

fn parse_field(text: &str) -> Result<pb::ApplicationField, String> {
    words::parse_name(&FIELDS, text)
}
