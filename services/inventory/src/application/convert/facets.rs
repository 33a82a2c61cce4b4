//! Orders and counts.

use causeway_proto::inventory::v1 as pb;

use crate::{
    application::{
        Facet, FacetCounts, FacetQuery, Field, Filter, LabelFacet, Sort, Source, Visible, is_label,
    },
    convert::filter,
    report::FieldError,
};

const DEFAULT_VALUES: usize = 20;
const MOST_VALUES: usize = 100;
/// Label keys of one request.
const MOST_LABELS: usize = 10;

/// What is to be counted.
pub(crate) struct Count {
    pub(crate) filter: Filter,
    pub(crate) query: FacetQuery,
}

impl Count {
    /// What a caller asks for of what it may see.
    pub(crate) fn read(
        request: pb::ListApplicationFacetsRequest,
        visible: Visible,
    ) -> Result<Self, FieldError> {
        let most = match usize::try_from(request.most_values) {
            Ok(0) => DEFAULT_VALUES,
            Ok(most) if most <= MOST_VALUES => most,
            Ok(_) | Err(_) => return Err(FieldError::new("most_values", "must be 1 to 100")),
        };
        let mut fields = to_fields("fields", &request.fields)?;
        if fields.is_empty() && request.label_keys.is_empty() {
            fields.extend(Field::ALL);
        }
        Ok(Self {
            filter: filter(request.filter.unwrap_or_default(), visible)?,
            query: FacetQuery {
                fields,
                labels: labels(request.label_keys)?,
                most,
                own_condition_left_out: request.own_condition_left_out,
            },
        })
    }
}

/// Fields without repetition, in their order.
pub(crate) fn to_fields(field: &str, codes: &[i32]) -> Result<Vec<Field>, FieldError> {
    let fields = codes.iter().map(|code| to_field(field, *code));
    let mut fields = fields.collect::<Result<Vec<_>, _>>()?;
    fields.sort_unstable();
    fields.dedup();
    Ok(fields)
}

fn labels(keys: Vec<String>) -> Result<Vec<String>, FieldError> {
    let field = "label_keys";
    if keys.len() > MOST_LABELS {
        let problem = format!("has {} keys: at most {MOST_LABELS}", keys.len());
        return Err(FieldError::new(field, problem));
    }
    match keys.iter().find(|key| !is_label(key)) {
        Some(_) => Err(FieldError::new(field, "has an entry that is no label key")),
        None => Ok(keys),
    }
}

fn to_field(field: &str, code: i32) -> Result<Field, FieldError> {
    use pb::ApplicationField as Pb;
    let unknown = || FieldError::new(field, format!("has {code}, which is no field"));
    match Pb::try_from(code).map_err(|_| unknown())? {
        Pb::Unspecified => Err(unknown()),
        Pb::Label => {
            let problem = "must not have LABEL: name the labels in `label_keys`";
            Err(FieldError::new(field, problem))
        }
        Pb::Operation => Ok(Field::Operation),
        Pb::Automated => Ok(Field::Automated),
        Pb::Runtime => Ok(Field::Runtime),
        Pb::Cluster => Ok(Field::Cluster),
        Pb::Namespace => Ok(Field::Namespace),
        Pb::Project => Ok(Field::Project),
        Pb::Sync => Ok(Field::Sync),
        Pb::Health => Ok(Field::Health),
        Pb::Source => Ok(Field::Source),
    }
}

pub(crate) fn to_source(code: i32) -> Option<Source> {
    Some(match pb::SourceKind::try_from(code).ok()? {
        pb::SourceKind::Unspecified => Source::Unspecified,
        pb::SourceKind::Git => Source::Git,
        pb::SourceKind::Helm => Source::Helm,
        pb::SourceKind::Several => Source::Several,
    })
}

pub(crate) fn sort(code: i32) -> Result<Sort, FieldError> {
    use pb::ApplicationSort as Pb;
    let unknown = || FieldError::new("sort", format!("is {code}, which is no order"));
    Ok(match Pb::try_from(code).map_err(|_| unknown())? {
        Pb::Created => Sort::Created,
        Pb::Cluster => Sort::Cluster,
        Pb::LastOperation => Sort::LastOperation,
        Pb::Unspecified | Pb::Runtime => Sort::Runtime,
        Pb::Name => Sort::Name,
        Pb::Namespace => Sort::Namespace,
        Pb::Project => Sort::Project,
        Pb::Sync => Sort::Sync,
        Pb::Health => Sort::Health,
        Pb::Changed => Sort::Changed,
    })
}

/// Counts as they are told.
pub(crate) fn to_facets(counts: FacetCounts) -> pb::ListApplicationFacetsResponse {
    let labels = counts.labels.into_iter().map(to_label_facet);
    let facets = counts.facets.facets.into_iter().map(to_facet);
    pb::ListApplicationFacetsResponse {
        total: counts.facets.total,
        facets: facets.chain(labels).collect(),
        label_keys: to_values(counts.label_keys),
    }
}

/// The counts of a field as they are told.
pub(crate) fn to_facet(facet: Facet) -> pb::ApplicationFacet {
    use pb::ApplicationField as Pb;
    let field = match facet.field {
        Field::Runtime => Pb::Runtime,
        Field::Cluster => Pb::Cluster,
        Field::Namespace => Pb::Namespace,
        Field::Project => Pb::Project,
        Field::Sync => Pb::Sync,
        Field::Health => Pb::Health,
        Field::Source => Pb::Source,
        Field::Operation => Pb::Operation,
        Field::Automated => Pb::Automated,
    };
    pb::ApplicationFacet {
        field: field.into(),
        values: to_values(facet.values),
        others: facet.others,
        label_key: String::new(),
    }
}

fn to_label_facet(facet: LabelFacet) -> pb::ApplicationFacet {
    pb::ApplicationFacet {
        field: pb::ApplicationField::Label.into(),
        values: to_values(facet.values),
        others: facet.others,
        label_key: facet.label,
    }
}

fn to_values(values: Vec<(String, u64)>) -> Vec<pb::FacetValue> {
    let values = values.into_iter();
    values
        .map(|(value, count)| pb::FacetValue { value, count })
        .collect()
}
