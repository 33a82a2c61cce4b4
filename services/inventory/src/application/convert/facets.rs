//! Orders and counts.

use causeway_proto::inventory::v1 as pb;

use crate::{
    application::{Facet, Facets, Field, Filter, Sort, Source, Visible},
    convert::filter,
    report::FieldError,
};

const DEFAULT_VALUES: usize = 20;
const MOST_VALUES: usize = 100;

/// What is to be counted.
pub(crate) struct Count {
    pub(crate) filter: Filter,
    pub(crate) fields: Vec<Field>,
    pub(crate) most: usize,
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
        let fields = request.fields.iter().map(|code| to_field(*code));
        let mut fields = fields.collect::<Result<Vec<_>, _>>()?;
        fields.sort_unstable();
        fields.dedup();
        if fields.is_empty() {
            fields.extend(Field::ALL);
        }
        Ok(Self {
            filter: filter(request.filter.unwrap_or_default(), visible)?,
            fields,
            most,
        })
    }
}

fn to_field(code: i32) -> Result<Field, FieldError> {
    use pb::ApplicationField as Pb;
    let unknown = || FieldError::new("fields", format!("has {code}, which is no field"));
    match Pb::try_from(code).map_err(|_| unknown())? {
        Pb::Unspecified | Pb::Operation | Pb::Automated | Pb::Label => Err(unknown()),
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
        Pb::Created | Pb::Cluster | Pb::LastOperation => return Err(unknown()),
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
pub(crate) fn to_facets(facets: Facets) -> pb::ListApplicationFacetsResponse {
    pb::ListApplicationFacetsResponse {
        total: facets.total,
        facets: facets.facets.into_iter().map(to_facet).collect(),
        label_keys: Vec::new(),
    }
}

fn to_facet(facet: Facet) -> pb::ApplicationFacet {
    use pb::ApplicationField as Pb;
    let field = match facet.field {
        Field::Runtime => Pb::Runtime,
        Field::Cluster => Pb::Cluster,
        Field::Namespace => Pb::Namespace,
        Field::Project => Pb::Project,
        Field::Sync => Pb::Sync,
        Field::Health => Pb::Health,
        Field::Source => Pb::Source,
    };
    let value = |(value, count)| pb::FacetValue { value, count };
    pb::ApplicationFacet {
        field: field.into(),
        values: facet.values.into_iter().map(value).collect(),
        others: facet.others,
        label_key: String::new(),
    }
}
