//! Facet counts, in one statement so that they are of one snapshot.

use causeway_database::{Database, Query, query};
use causeway_proto::ids::AccountId;

use super::{
    StoreError,
    list::{ListPlan, ListQuery, expand_globs},
    read::rows_up_to,
};
use crate::application::{Facet, Facets, Field, Filter, Health, Source, Sync, View};

pub(super) async fn facets(
    database: &Database,
    account: &AccountId,
    filter: &Filter,
    fields: &[Field],
    most: usize,
) -> Result<Facets, StoreError> {
    let visible = expand_globs(database, account, &filter.visible).await?;
    let request = ListQuery::new(account, (filter, &visible), View::Basic, most);
    let plan = request.choose_plan(database).await?;
    let mut query = query("");
    // Without filters, each field is counted faster in an index of its own; otherwise the rows are filtered once for all fields.
    let source = match plan {
        ListPlan::InOrder => None,
        ListPlan::Lookups(_) | ListPlan::Windows => {
            query.push("WITH found AS MATERIALIZED (SELECT runtime_name, cluster, namespace, project, sync, health, source");
            request.push_query(&mut query, &plan);
            query.push(") ");
            Some(" FROM found WHERE 1 = 1")
        }
    };
    let from = |query: &mut Query| match source {
        Some(found) => {
            query.push(found);
        }
        None => request.push_query(query, &plan),
    };
    query.push("SELECT CAST(-1 AS BIGINT) AS field, '' AS value, count(*) AS number");
    from(&mut query);
    for (number, field) in (0_i64..).zip(fields) {
        query.push(" UNION ALL SELECT * FROM (SELECT ");
        query
            .push(" CAST(")
            .push_bind(number)
            .push(" AS BIGINT) AS field, ");
        query
            .push(value(*field))
            .push(" AS value, count(*) AS number");
        from(&mut query);
        query.push(" GROUP BY ").push(column(*field));
        query.push(" ORDER BY number DESC, value LIMIT ");
        // All states, because the stored codes sort differently from their names.
        let limit = if is_state(*field) { 100 } else { most };
        query.push_bind(rows_up_to(limit)).push(") AS counted");
    }
    let rows = query.fetch_all(database).await?;
    let mut total = 0;
    let mut counts: Vec<Vec<(String, u64)>> = vec![Vec::new(); fields.len()];
    for row in &rows {
        let number = row.try_get::<i64>(2)?.cast_unsigned();
        match usize::try_from(row.try_get::<i64>(0)?) {
            Ok(index) => counts[index].push((word(fields[index], row.try_get(1)?), number)),
            Err(_) => total = number,
        }
    }
    let facets = fields.iter().zip(counts).map(|(field, counts)| {
        let mut facet = Facet::new(*field, counts, most);
        let listed: u64 = facet.values.iter().map(|(_, number)| number).sum();
        facet.others = total - listed;
        facet
    });
    Ok(Facets {
        total,
        facets: facets.collect(),
    })
}

fn is_state(field: Field) -> bool {
    matches!(field, Field::Sync | Field::Health | Field::Source)
}

/// Column of a field; no database counts the last two.
fn column(field: Field) -> &'static str {
    match field {
        Field::Runtime => "runtime_name",
        Field::Cluster => "cluster",
        Field::Namespace => "namespace",
        Field::Project => "project",
        Field::Sync => "sync",
        Field::Health => "health",
        Field::Source => "source",
        Field::Operation | Field::Automated => "''",
    }
}

fn value(field: Field) -> &'static str {
    match field {
        Field::Sync => "CAST(sync AS TEXT)",
        Field::Health => "CAST(health AS TEXT)",
        Field::Source => "CAST(source AS TEXT)",
        Field::Runtime
        | Field::Cluster
        | Field::Namespace
        | Field::Project
        | Field::Operation
        | Field::Automated => column(field),
    }
}

/// Public name of a stored value.
fn word(field: Field, kept: String) -> String {
    let code = || kept.parse().unwrap_or_default();
    let word = match field {
        Field::Sync => Sync::from_code(code()).as_str(),
        Field::Health => Health::from_code(code()).as_str(),
        Field::Source => Source::from_code(code()).as_str(),
        Field::Runtime
        | Field::Cluster
        | Field::Namespace
        | Field::Project
        | Field::Operation
        | Field::Automated => return kept,
    };
    word.to_owned()
}
