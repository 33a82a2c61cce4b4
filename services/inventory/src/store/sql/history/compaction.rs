//! Histories become thin, some entries in one transaction. What becomes of each is found out before, while others are written.

mod plan;

use causeway_database::{Error, query};

pub(in crate::store::sql) use plan::Plan;
use plan::Thinner;

use super::insert::{facts, parts, revisions};
use crate::{
    history::{Entry, Moment},
    store::{
        Outcome,
        sql::{batch::Batch, manifests::VALUES_AT_ONCE, read::signed},
    },
};

impl Batch<'_> {
    /// Does as it was planned; tells where to go on, if there are more.
    pub(in crate::store::sql) async fn thin(&mut self, plan: &Plan) -> Result<Outcome, Error> {
        for thinner in &plan.histories {
            if self.note(thinner).await? {
                self.carry_out(thinner).await?;
            }
        }
        Ok(Outcome::Thinned { next: plan.next })
    }

    /// Notes how far a history is thin; tells whether it still is what the plan was made of.
    async fn note(&mut self, thinner: &Thinner) -> Result<bool, Error> {
        let noted = query(
            "UPDATE story SET thinned_to = $2, thinnings = thinnings + 1 WHERE id = $1 AND thinnings = $3",
        )
        .bind(thinner.story)
        .bind(thinner.thinned_to)
        .bind(thinner.thinnings)
        .execute(self.transaction)
        .await?;
        Ok(noted > 0)
    }

    async fn carry_out(&mut self, thinner: &Thinner) -> Result<(), Error> {
        let story = thinner.story;
        if let Some(first) = thinner.first_kept {
            self.drop_before(story, first).await?;
        }
        for entry in &thinner.changes.rewritten {
            self.rewrite(story, entry).await?;
        }
        for some in thinner.changes.dropped.chunks(VALUES_AT_ONCE) {
            self.drop_some(story, some).await?;
        }
        // One that has nothing left is gone itself.
        query(
            "DELETE FROM story WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM history WHERE story = $1)",
        )
        .bind(story)
        .execute(self.transaction)
        .await?;
        Ok(())
    }

    async fn drop_before(&mut self, story: i64, first: Moment) -> Result<(), Error> {
        query("DELETE FROM history WHERE story = $1 AND (received_at, change) < ($2, $3)")
            .bind(story)
            .bind(first.at)
            .bind(signed(first.change))
            .execute(self.transaction)
            .await?;
        Ok(())
    }

    async fn drop_some(&mut self, story: i64, some: &[Moment]) -> Result<(), Error> {
        let mut query = query("DELETE FROM history WHERE story = ");
        query.push_bind(story).push(" AND received_at >= ");
        query.push_bind(some[0].at).push(" AND received_at <= ");
        query.push_bind(some[some.len() - 1].at);
        query.push(" AND change IN ");
        query.push_list(some.iter().map(|moment| signed(moment.change)));
        query.execute(self.transaction).await?;
        Ok(())
    }

    async fn rewrite(&mut self, story: i64, entry: &Entry) -> Result<(), Error> {
        let (uid, content) = parts(&entry.frame);
        query(
            "UPDATE history SET facts = $4, uid = $5, content = $6, revisions = $7
             WHERE story = $1 AND received_at = $2 AND change = $3",
        )
        .bind(story)
        .bind(entry.moment.at)
        .bind(signed(entry.moment.change))
        .bind(facts(entry))
        .bind(uid)
        .bind(content)
        .bind(revisions(entry))
        .execute(self.transaction)
        .await?;
        Ok(())
    }
}
