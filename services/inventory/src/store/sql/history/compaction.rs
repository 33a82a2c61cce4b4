//! Compaction of histories in small transactions. What to change is planned before, outside the transaction.

mod plan;

use causeway_database::{Error, query};

pub(in crate::store::sql) use plan::CompactionPlan;
use plan::HistoryPlan;

use super::insert::{encode_facts, frame_columns, revisions};
use crate::{
    history::{Entry, Moment},
    store::{
        Outcome,
        sql::{batch::Batch, manifests::MAX_VALUES, read::signed},
    },
};

impl Batch<'_> {
    /// Applies a plan.
    pub(in crate::store::sql) async fn compact(
        &mut self,
        plan: &CompactionPlan,
    ) -> Result<Outcome, Error> {
        for history in &plan.histories {
            if self.claim(history).await? {
                self.apply_plan(history).await?;
            }
        }
        Ok(Outcome::Compacted { next: plan.next })
    }

    /// Saves how far the history is compacted. False if another replica has compacted it since it was planned.
    async fn claim(&mut self, plan: &HistoryPlan) -> Result<bool, Error> {
        let claimed = query(
            "UPDATE story SET thinned_to = $2, thinnings = thinnings + 1 WHERE id = $1 AND thinnings = $3",
        )
        .bind(plan.history)
        .bind(plan.compacted_to)
        .bind(plan.compactions)
        .execute(self.transaction)
        .await?;
        Ok(claimed > 0)
    }

    async fn apply_plan(&mut self, plan: &HistoryPlan) -> Result<(), Error> {
        let history = plan.history;
        if let Some(first) = plan.first_kept {
            self.delete_before(history, first).await?;
        }
        for entry in &plan.changes.rewritten {
            self.rewrite_entry(history, entry).await?;
        }
        for moments in plan.changes.dropped.chunks(MAX_VALUES) {
            self.delete_entries(history, moments).await?;
        }
        // The last entry of a deleted application may have expired.
        query(
            "DELETE FROM story WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM history WHERE story = $1)",
        )
        .bind(history)
        .execute(self.transaction)
        .await?;
        Ok(())
    }

    async fn delete_before(&mut self, history: i64, first: Moment) -> Result<(), Error> {
        query("DELETE FROM history WHERE story = $1 AND (received_at, change) < ($2, $3)")
            .bind(history)
            .bind(first.at)
            .bind(signed(first.change))
            .execute(self.transaction)
            .await?;
        Ok(())
    }

    async fn delete_entries(&mut self, history: i64, moments: &[Moment]) -> Result<(), Error> {
        let mut query = query("DELETE FROM history WHERE story = ");
        query.push_bind(history).push(" AND received_at >= ");
        query.push_bind(moments[0].at).push(" AND received_at <= ");
        query.push_bind(moments[moments.len() - 1].at);
        query.push(" AND change IN ");
        query.push_list(moments.iter().map(|moment| signed(moment.change)));
        query.execute(self.transaction).await?;
        Ok(())
    }

    async fn rewrite_entry(&mut self, history: i64, entry: &Entry) -> Result<(), Error> {
        let (uid, content) = frame_columns(&entry.frame);
        query(
            "UPDATE history SET facts = $4, uid = $5, content = $6, revisions = $7
             WHERE story = $1 AND received_at = $2 AND change = $3",
        )
        .bind(history)
        .bind(entry.moment.at)
        .bind(signed(entry.moment.change))
        .bind(encode_facts(entry))
        .bind(uid)
        .bind(content)
        .bind(revisions(entry))
        .execute(self.transaction)
        .await?;
        Ok(())
    }
}
