//! Live applications in the order of their keys, as far as a caller may see them.
//!
//! Named runtimes, namespaces, projects and names are looked up in an index that has the order of keys. Whatever else a scope
//! says is looked for window by window, so that the work for a page is bounded however little of the account is visible.

use causeway_database::{Database, Query, Row, query};
use causeway_proto::ids::AccountId;
use futures::TryStreamExt as _;

use super::{
    StoreError,
    read::{Remembered, columns, key, push_place, push_state, record, rows_up_to, select, signed},
};
use crate::{
    application::{Filter, Key, Looked, Page, Record, Rest, Traits, View, Visible},
    store::visible::{Anchor, Columns, Plan, plan, push_anchor, push_rules},
};

const KEY: &str = "runtime_name, namespace, name, cluster, runtime";

/// How many rows are looked at first; each window is twice the one before.
const FIRST_WINDOW: usize = if cfg!(test) { 2 } else { 2_000 };

/// How many windows there are for one page.
const WINDOWS: usize = if cfg!(test) { 2 } else { 6 };

/// What a page is asked for.
struct Question<'a> {
    account: &'a AccountId,
    filter: &'a Filter,
    view: View,
    limit: usize,
}

pub(super) async fn list(
    database: &Database,
    account: &AccountId,
    filter: &Filter,
    view: View,
    after: Option<&Key>,
    limit: usize,
) -> Result<Page<Record>, StoreError> {
    let question = Question {
        account,
        filter,
        view,
        limit,
    };
    match plan(&filter.visible) {
        Plan::Everything => question.all(database, after, None).await,
        Plan::Anchors(anchors) => question.anchored(database, after, &anchors).await,
        Plan::Scan => question.scanned(database, after).await,
    }
}

impl Question<'_> {
    fn select(&self) -> Query {
        let remembered = match self.filter.visible.is_everything() {
            true => Remembered::Nothing,
            false => Remembered::Labels,
        };
        let mut query = select(self.view, remembered, self.account);
        query.push(" AND deleted = 0");
        query
    }

    /// What is visible after a key, up to another.
    async fn all(
        &self,
        database: &Database,
        after: Option<&Key>,
        to: Option<&Key>,
    ) -> Result<Page<Record>, StoreError> {
        let mut query = self.select();
        push_place(&mut query, self.filter);
        push_state(&mut query, self.filter);
        push_rules(&mut query, &self.filter.visible, Columns::All);
        push_key(&mut query, ">", after);
        push_key(&mut query, "<=", to);
        self.page(database, query).await
    }

    /// The nearest rows of each anchor, of those the nearest, and only these whole.
    async fn anchored(
        &self,
        database: &Database,
        after: Option<&Key>,
        anchors: &[Anchor<'_>],
    ) -> Result<Page<Record>, StoreError> {
        if let [anchor] = anchors {
            let mut query = self.select();
            self.push_near(&mut query, anchor, after);
            return self.page(database, query).await;
        }
        // The order of a CROSS JOIN stands: ids first, or SQLite reads a whole index for the sake of its order. The first part is
        // of no row and names the columns with their types.
        let mut query = columns(self.view, Remembered::Labels);
        query.push(" FROM (SELECT id AS near_id FROM (SELECT id, ");
        query.push(KEY).push(" FROM application WHERE 1 = 0");
        for anchor in anchors {
            query.push(" UNION SELECT * FROM (SELECT id, ").push(KEY);
            query.push(" FROM application WHERE deleted = 0 AND account = ");
            query.push_bind(self.account.as_str());
            self.push_near(&mut query, anchor, after);
            self.push_end(&mut query);
            query.push(") AS near");
        }
        query.push(") AS nearest");
        self.push_end(&mut query);
        query.push(") AS found CROSS JOIN application WHERE id = near_id AND deleted = 0");
        query
            .push(" AND account = ")
            .push_bind(self.account.as_str());
        self.page(database, query).await
    }

    fn push_near(&self, query: &mut Query, anchor: &Anchor<'_>, after: Option<&Key>) {
        push_anchor(query, anchor, &self.filter.visible);
        push_place(query, self.filter);
        push_state(query, self.filter);
        push_key(query, ">", after);
    }

    /// Window by window, until the page is full or enough was looked at.
    async fn scanned(
        &self,
        database: &Database,
        after: Option<&Key>,
    ) -> Result<Page<Record>, StoreError> {
        let mut whole = Page {
            items: Vec::new(),
            rest: Rest::End,
        };
        let (mut bytes, mut from) = (0, after.cloned());
        for window in 0..WINDOWS {
            let end = self
                .end(database, from.as_ref(), FIRST_WINDOW << window)
                .await?;
            let to = end.as_ref().map(|end| &end.key);
            let page = self.all(database, from.as_ref(), to).await?;
            for record in page.items {
                if !whole.push(record, self.limit, &mut bytes) {
                    return Ok(whole);
                }
            }
            let full = whole.items.len() >= self.limit;
            match (page.rest, end) {
                (Rest::End, None) => {
                    whole.rest = Rest::End;
                    return Ok(whole);
                }
                (Rest::End, Some(end)) => {
                    from = Some(end.key.clone());
                    whole.rest = Rest::Looked(end);
                    if full {
                        return Ok(whole);
                    }
                }
                (rest @ (Rest::More | Rest::Looked(_)), _) => {
                    whole.rest = rest;
                    return Ok(whole);
                }
            }
        }
        Ok(whole)
    }

    /// The row that ends a window; nothing where fewer are left.
    async fn end(
        &self,
        database: &Database,
        after: Option<&Key>,
        window: usize,
    ) -> Result<Option<Box<Looked>>, StoreError> {
        let mut query = query("SELECT ");
        query
            .push(KEY)
            .push(", change FROM application WHERE id = (");
        query.push("SELECT id FROM application WHERE deleted = 0 AND account = ");
        query.push_bind(self.account.as_str());
        push_place(&mut query, self.filter);
        push_key(&mut query, ">", after);
        query.push(" ORDER BY ").push(KEY).push(" LIMIT 1 OFFSET ");
        query.push_bind(rows_up_to(window));
        query.push(")");
        let row = query.fetch_optional(database).await?;
        let looked = |row: Row| {
            Ok(Box::new(Looked {
                key: key(&row)?,
                change: row.try_get::<i64>(5)?.cast_unsigned(),
            }))
        };
        row.map(looked).transpose()
    }

    fn push_end(&self, query: &mut Query) {
        query.push(" ORDER BY ").push(KEY).push(" LIMIT ");
        query.push_bind(rows_up_to(self.limit + 1));
    }

    /// Those of the rows that are visible. Where the database let rows through that are not, the page may be short.
    async fn page(
        &self,
        database: &Database,
        mut query: Query,
    ) -> Result<Page<Record>, StoreError> {
        self.push_end(&mut query);
        let mut page = Page {
            items: Vec::new(),
            rest: Rest::End,
        };
        let (mut bytes, mut last, mut count) = (0, None, 0);
        let mut rows = query.fetch(database);
        while let Some(row) = rows.try_next().await? {
            let record = record(&row)?;
            count += 1;
            let looked = Looked {
                key: record.key.clone(),
                change: record.change,
            };
            if !self.filter.visible.contains(&record.key, &record.summary) {
                last = Some(looked);
                continue;
            }
            if !page.push(record, self.limit, &mut bytes) {
                return Ok(page);
            }
            last = None;
        }
        if count > self.limit {
            page.rest = last.map_or(Rest::More, |last| Rest::Looked(Box::new(last)));
        }
        Ok(page)
    }
}

fn push_key(query: &mut Query, than: &'static str, key: Option<&Key>) {
    let Some(key) = key else {
        return;
    };
    query
        .push(" AND (")
        .push(KEY)
        .push(") ")
        .push(than)
        .push(" ");
    query.push_list([
        key.runtime_name.as_str(),
        &key.namespace,
        &key.name,
        &key.cluster,
        &key.runtime,
    ]);
}

pub(super) async fn keys(
    database: &Database,
    account: &AccountId,
    visible: &Visible,
    limit: usize,
) -> Result<Vec<Key>, StoreError> {
    let mut query = query("SELECT ");
    query.push(KEY).push(", project, labels FROM application");
    query.push(" WHERE deleted = 0 AND account = ");
    query.push_bind(account.as_str());
    push_rules(&mut query, visible, Columns::All);
    query.push(" ORDER BY ").push(KEY).push(" LIMIT ");
    query.push_bind(rows_up_to(limit));
    let rows = query.fetch_all(database).await?;
    let mut keys = Vec::with_capacity(rows.len());
    for row in &rows {
        let key = key(row)?;
        let traits: Traits = super::read::traits(row.try_get(5)?, row.try_get(6)?)?;
        if visible.holds(&key, &traits) {
            keys.push(key);
        }
    }
    Ok(keys)
}

pub(super) async fn key_of(
    database: &Database,
    account: &AccountId,
    change: u64,
) -> Result<Option<Key>, StoreError> {
    let row = query(
        "SELECT runtime_name, namespace, name, cluster, runtime FROM application
         WHERE account = $1 AND change = $2 AND deleted = 0",
    )
    .bind(account.as_str())
    .bind(signed(change))
    .fetch_optional(database)
    .await?;
    row.as_ref().map(key).transpose()
}
