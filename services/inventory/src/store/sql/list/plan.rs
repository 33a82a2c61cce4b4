//! How what is asked for is found: by what names values, or by what names a label that few have, or by looking at everything.

use causeway_assertion::ScopeRule;
use causeway_database::{Database, query};

use super::Question;
use crate::{
    application::{Must, Sort},
    store::{
        StoreError,
        visible::{Anchor, Plan, plan},
    },
};

/// Of a label that more applications have than this, rows are looked at in the order of the list rather than by the label, which
/// then are enough soon.
const FEW: i64 = if cfg!(test) { 3 } else { 5_000 };
/// A filter with more values for a label is looked for.
const MOST_VALUES: usize = 8;

/// How to find what is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::store::sql) enum Way<'a> {
    /// In the order of the list, where most match.
    All,
    /// At each of these.
    Anchors(Vec<Anchor<'a>>),
    /// In the order of the list, window by window, where few may match.
    Scan,
}

/// Whether a rule says nothing but that a label has a value.
fn is_by_one_label(rule: &ScopeRule) -> bool {
    let mut rule = rule.clone();
    let labels = std::mem::take(&mut rule.labels);
    labels.len() == 1 && rule.is_everything()
}

impl<'a> Question<'a> {
    pub(in crate::store::sql) async fn way(
        &self,
        database: &Database,
    ) -> Result<Way<'a>, StoreError> {
        if !self.filter.name.is_empty() {
            // Few have one name.
            return Ok(Way::All);
        }
        if let Some(anchors) = self.asked_labels(database).await? {
            return Ok(Way::Anchors(anchors));
        }
        match plan(self.visible) {
            Plan::Everything if self.filter.is_searching() => Ok(Way::Scan),
            Plan::Everything => Ok(Way::All),
            Plan::Scan => Ok(Way::Scan),
            Plan::Anchors(anchors) => self.with_rarest(database, anchors).await,
        }
    }

    /// The values of the label that the filter names, if few applications have them.
    async fn asked_labels(
        &self,
        database: &Database,
    ) -> Result<Option<Vec<Anchor<'a>>>, StoreError> {
        let mut best: Option<(i64, Vec<Anchor<'a>>)> = None;
        for requirement in self.filter.labels.requirements() {
            let Must::BeIn(values) = &requirement.must else {
                continue;
            };
            if values.len() > MOST_VALUES {
                continue;
            }
            let (mut count, mut anchors) = (0, Vec::new());
            for value in values {
                count += self.count(database, &requirement.label, value).await?;
                anchors.push(Anchor {
                    equal: Vec::new(),
                    label: Some((&requirement.label, value)),
                    rule: None,
                });
            }
            if best.as_ref().is_none_or(|(least, _)| count < *least) {
                best = Some((count, anchors));
            }
        }
        let few = best.filter(|(count, _)| *count <= FEW || self.asks_for_one_label());
        Ok(few.map(|(_, anchors)| anchors))
    }

    /// Whether every row of the label is one that is asked for, and in its order.
    fn asks_for_one_label(&self) -> bool {
        let filter = self.filter;
        filter.visible.is_everything() && filter.labels.requirements().len() == 1 && self.is_plain()
    }

    /// Whether the filter says nothing but of labels, and wants the order of keys.
    fn is_plain(&self) -> bool {
        let filter = self.filter;
        let texts = [
            &filter.runtime,
            &filter.cluster,
            &filter.namespace,
            &filter.name,
            &filter.project,
        ];
        texts.into_iter().all(String::is_empty)
            && filter.sync.is_empty()
            && filter.health.is_empty()
            && filter.source.is_empty()
            && filter.text.is_empty()
            && filter.sort == Sort::Runtime
    }

    /// The anchors of a scope, those by a label by the one that fewest have.
    async fn with_rarest(
        &self,
        database: &Database,
        mut anchors: Vec<Anchor<'a>>,
    ) -> Result<Way<'a>, StoreError> {
        let plain = self.is_plain() && self.filter.labels.is_everything();
        let mut sum = 0;
        for anchor in &mut anchors {
            let Some(rule) = anchor.rule else {
                continue;
            };
            if sum > FEW {
                return Ok(Way::Scan);
            }
            if anchor.label.is_none() {
                if self.filter.is_searching() || !anchor.is_all_of(rule) {
                    sum += self.count_equal(database, anchor).await?;
                }
                continue;
            }
            if plain && is_by_one_label(rule) {
                continue;
            }
            let mut least = i64::MAX;
            for (label, value) in &rule.labels {
                let count = self.count(database, label, value).await?;
                if count < least {
                    least = count;
                    anchor.label = Some((label, value));
                }
            }
            sum += least;
        }
        Ok(if sum <= FEW {
            Way::Anchors(anchors)
        } else {
            Way::Scan
        })
    }

    /// How many applications have the values of an anchor, as far as that matters.
    async fn count_equal(
        &self,
        database: &Database,
        anchor: &Anchor<'_>,
    ) -> Result<i64, StoreError> {
        let mut query = query(
            "SELECT count(*) FROM (SELECT 1 FROM application WHERE deleted = 0 AND account = ",
        );
        query.push_bind(self.account.as_str());
        for (column, value) in &anchor.equal {
            query.push(" AND ").push(column).push(" = ");
            query.push_bind(*value);
        }
        query
            .push(" LIMIT ")
            .push_bind(FEW + 1)
            .push(") AS counted");
        Ok(query.fetch_one(database).await?.try_get(0)?)
    }

    /// How many applications have a label, as far as that matters.
    async fn count(
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
        .bind(FEW + 1)
        .fetch_one(database)
        .await?;
        Ok(row.try_get(0)?)
    }
}
