//! Chooses the plan of a list: in order, by index lookups, or by windows.

use causeway_assertion::ScopeRule;
use causeway_database::{Database, query};

use super::ListQuery;
use crate::{
    application::{Filter, LabelSelector, Must, Sort},
    store::{
        StoreError,
        predicates::{IndexPredicate, ScopePlan, plan_scope},
    },
};

/// Maximum number of rows of a lookup. With more matches, a scan in list order fills the page sooner.
const MAX_LOOKUP_ROWS: i64 = if cfg!(test) { 3 } else { 5_000 };
/// Maximum number of values of a label requirement that are looked up.
const MAX_VALUES: usize = 8;

/// Plan of a list.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::store::sql) enum ListPlan<'a> {
    /// Scan in list order; most rows match.
    InOrder,
    /// Index lookups.
    Lookups(Vec<IndexPredicate<'a>>),
    /// Scan in list order, window by window; few rows may match.
    Windows,
}

/// True if a rule has a single label and no other selector.
fn is_by_one_label(rule: &ScopeRule) -> bool {
    let mut rule = rule.clone();
    let labels = std::mem::take(&mut rule.labels);
    labels.len() == 1 && rule.is_everything()
}

impl<'a> ListQuery<'a> {
    pub(in crate::store::sql) async fn choose_plan(
        &self,
        database: &Database,
    ) -> Result<ListPlan<'a>, StoreError> {
        if !self.filter.name.is_empty() {
            // A name is selective in every index.
            return Ok(ListPlan::InOrder);
        }
        if let Some(predicates) = self.label_lookups(database).await? {
            return Ok(ListPlan::Lookups(predicates));
        }
        match plan_scope(self.visible) {
            ScopePlan::Everything if self.filter.is_searching() => Ok(ListPlan::Windows),
            ScopePlan::Everything => Ok(ListPlan::InOrder),
            ScopePlan::Scan => Ok(ListPlan::Windows),
            ScopePlan::Lookups(predicates) => self.scope_lookups(database, predicates).await,
        }
    }

    /// Lookups by the most selective label of the filter, if few applications have it.
    async fn label_lookups(
        &self,
        database: &Database,
    ) -> Result<Option<Vec<IndexPredicate<'a>>>, StoreError> {
        let mut best: Option<(i64, Vec<IndexPredicate<'a>>)> = None;
        for requirement in self.filter.labels.requirements() {
            let Must::BeIn(values) = &requirement.must else {
                continue;
            };
            if values.len() > MAX_VALUES {
                continue;
            }
            let (mut count, mut predicates) = (0, Vec::new());
            for value in values {
                count += self
                    .count_label(database, &requirement.label, value)
                    .await?;
                predicates.push(IndexPredicate {
                    equal: Vec::new(),
                    label: Some((&requirement.label, value)),
                    rule: None,
                });
            }
            if best.as_ref().is_none_or(|(least, _)| count < *least) {
                best = Some((count, predicates));
            }
        }
        let few = best.filter(|(count, _)| *count <= MAX_LOOKUP_ROWS || self.is_single_label());
        Ok(few.map(|(_, predicates)| predicates))
    }

    /// True if a label is the only condition, so that the label index has exactly the rows in order.
    fn is_single_label(&self) -> bool {
        let filter = self.filter;
        filter.visible.is_everything() && filter.labels.requirements().len() == 1 && self.is_plain()
    }

    /// True if the filter has only labels, in the order of keys.
    fn is_plain(&self) -> bool {
        let filter = self.filter;
        let texts = [
            &filter.runtime,
            &filter.cluster,
            &filter.namespace,
            &filter.name,
            &filter.project,
        ];
        let without_labels = Filter {
            labels: LabelSelector::default(),
            ..filter.clone()
        };
        texts.into_iter().all(String::is_empty)
            && !without_labels.is_searching()
            && filter.sort == Sort::Runtime
    }

    /// Lookups of a scope; those by label use the most selective one.
    async fn scope_lookups(
        &self,
        database: &Database,
        mut predicates: Vec<IndexPredicate<'a>>,
    ) -> Result<ListPlan<'a>, StoreError> {
        let plain = self.is_plain() && self.filter.labels.is_everything();
        let mut sum = 0;
        for predicate in &mut predicates {
            let Some(rule) = predicate.rule else {
                continue;
            };
            if sum > MAX_LOOKUP_ROWS {
                return Ok(ListPlan::Windows);
            }
            if predicate.label.is_none() {
                if self.filter.is_searching() || !predicate.covers_rule(rule) {
                    sum += self.count_lookup(database, predicate).await?;
                }
                continue;
            }
            if plain && is_by_one_label(rule) {
                continue;
            }
            let mut least = i64::MAX;
            for (label, value) in &rule.labels {
                let count = self.count_label(database, label, value).await?;
                if count < least {
                    least = count;
                    predicate.label = Some((label, value));
                }
            }
            sum += least;
        }
        Ok(if sum <= MAX_LOOKUP_ROWS {
            ListPlan::Lookups(predicates)
        } else {
            ListPlan::Windows
        })
    }

    /// Counts the rows of a lookup, up to the limit.
    async fn count_lookup(
        &self,
        database: &Database,
        predicate: &IndexPredicate<'_>,
    ) -> Result<i64, StoreError> {
        let mut query = query(
            "SELECT count(*) FROM (SELECT 1 FROM application WHERE deleted = 0 AND account = ",
        );
        query.push_bind(self.account.as_str());
        for (column, value) in &predicate.equal {
            query.push(" AND ").push(column).push(" = ");
            query.push_bind(*value);
        }
        query
            .push(" LIMIT ")
            .push_bind(MAX_LOOKUP_ROWS + 1)
            .push(") AS counted");
        Ok(query.fetch_one(database).await?.try_get(0)?)
    }

    /// Counts the applications with a label, up to the limit.
    async fn count_label(
        &self,
        database: &Database,
        label: &str,
        value: &str,
    ) -> Result<i64, StoreError> {
        let row = query(
            "SELECT count(*) FROM (SELECT 1 FROM application_label
             WHERE of_account = $1 AND label = $2 AND value = $3 LIMIT $4) AS counted",
        )
        .bind(self.account.as_str())
        .bind(label)
        .bind(value)
        .bind(MAX_LOOKUP_ROWS + 1)
        .fetch_one(database)
        .await?;
        Ok(row.try_get(0)?)
    }
}
