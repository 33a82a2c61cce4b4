//! Live applications in the order of their keys, as far as a caller may see them.
//!
//! Named runtimes, namespaces, projects and names are looked up in an index that has the order of keys. Whatever else a scope
//! says is looked for window by window, so that the work for a page is bounded however little of the account is visible.

use causeway_proto::ids::AccountId;
use futures::TryStreamExt as _;
use sqlx::{Row as _, SqlitePool};

use super::{
    StoreError,
    read::{Query, Remembered, key, push_place, push_state, record, rows_up_to, select, signed},
};
use crate::{
    application::{Filter, Key, Looked, Page, Record, Rest, Traits, View, Visible},
    store::visible::{Anchor, Columns, Plan, plan, push_anchor, push_rules},
};

const KEY: &str = "runtime_name, namespace, name, cluster, runtime";

/// How many rows are looked at first; each window is twice the one before.
const FIRST_WINDOW: usize = if cfg!(test) { 2 } else { 4_000 };

/// How many windows there are for one page.
const WINDOWS: usize = if cfg!(test) { 2 } else { 5 };

/// What a page is asked for.
struct Question<'a> {
    account: &'a AccountId,
    filter: &'a Filter,
    view: View,
    limit: usize,
}

pub(super) async fn list(
    readers: &SqlitePool,
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
        Plan::Everything => question.all(readers, after, None).await,
        Plan::Anchors(anchors) => question.anchored(readers, after, &anchors).await,
        Plan::Scan => question.scanned(readers, after).await,
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
        readers: &SqlitePool,
        after: Option<&Key>,
        to: Option<&Key>,
    ) -> Result<Page<Record>, StoreError> {
        let mut query = self.select();
        push_place(&mut query, self.filter);
        push_state(&mut query, self.filter);
        push_rules(&mut query, &self.filter.visible, Columns::All);
        push_key(&mut query, ">", after);
        push_key(&mut query, "<=", to);
        self.page(readers, query).await
    }

    /// The nearest rows of each anchor, of those the nearest, and only these whole.
    async fn anchored(
        &self,
        readers: &SqlitePool,
        after: Option<&Key>,
        anchors: &[Anchor<'_>],
    ) -> Result<Page<Record>, StoreError> {
        let mut query = self.select();
        if let [anchor] = anchors {
            self.push_near(&mut query, anchor, after);
            return self.page(readers, query).await;
        }
        query.push(" AND id IN (SELECT id FROM (SELECT NULL AS id");
        for column in KEY.split(", ") {
            query.push(", NULL AS ").push(column);
        }
        query.push(" WHERE 1 = 0");
        for anchor in anchors {
            query.push(format!(" UNION SELECT * FROM (SELECT id, {KEY}"));
            query.push(" FROM application WHERE deleted = 0 AND account = ");
            query.push_bind(self.account.as_str().to_owned());
            self.push_near(&mut query, anchor, after);
            self.push_end(&mut query);
            query.push(")");
        }
        query.push(")");
        self.push_end(&mut query);
        query.push(")");
        self.page(readers, query).await
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
        readers: &SqlitePool,
        after: Option<&Key>,
    ) -> Result<Page<Record>, StoreError> {
        let mut whole = Page {
            items: Vec::new(),
            rest: Rest::End,
        };
        let (mut bytes, mut from) = (0, after.cloned());
        for window in 0..WINDOWS {
            let end = self
                .end(readers, from.as_ref(), FIRST_WINDOW << window)
                .await?;
            let to = end.as_ref().map(|end| &end.key);
            let page = self.all(readers, from.as_ref(), to).await?;
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
        readers: &SqlitePool,
        after: Option<&Key>,
        window: usize,
    ) -> Result<Option<Box<Looked>>, StoreError> {
        let mut query = Query::new(format!(
            "SELECT {KEY}, change FROM application WHERE id = ("
        ));
        query.push("SELECT id FROM application WHERE deleted = 0 AND account = ");
        query.push_bind(self.account.as_str().to_owned());
        push_place(&mut query, self.filter);
        push_key(&mut query, ">", after);
        query.push(format!(" ORDER BY {KEY} LIMIT 1 OFFSET "));
        query.push_bind(rows_up_to(window));
        query.push(")");
        let row = query.build().fetch_optional(readers).await?;
        let looked = |row: sqlx::sqlite::SqliteRow| {
            Ok(Box::new(Looked {
                key: key(&row)?,
                change: row.try_get::<i64, _>(5)?.cast_unsigned(),
            }))
        };
        row.map(looked).transpose()
    }

    fn push_end(&self, query: &mut Query) {
        query.push(format!(" ORDER BY {KEY} LIMIT "));
        query.push_bind(rows_up_to(self.limit + 1));
    }

    /// Those of the rows that are visible. Where the database let rows through that are not, the page may be short.
    async fn page(
        &self,
        readers: &SqlitePool,
        mut query: Query,
    ) -> Result<Page<Record>, StoreError> {
        self.push_end(&mut query);
        let mut page = Page {
            items: Vec::new(),
            rest: Rest::End,
        };
        let (mut bytes, mut last, mut count) = (0, None, 0);
        let mut rows = query.build().fetch(readers);
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

fn push_key(query: &mut Query, than: &str, key: Option<&Key>) {
    let Some(key) = key else {
        return;
    };
    query.push(format!(" AND ({KEY}) {than} ("));
    let mut values = query.separated(", ");
    for value in [
        &key.runtime_name,
        &key.namespace,
        &key.name,
        &key.cluster,
        &key.runtime,
    ] {
        values.push_bind(value.clone());
    }
    values.push_unseparated(")");
}

pub(super) async fn keys(
    readers: &SqlitePool,
    account: &AccountId,
    visible: &Visible,
    limit: usize,
) -> Result<Vec<Key>, StoreError> {
    let mut query = Query::new(format!("SELECT {KEY}, project, labels FROM application"));
    query.push(" WHERE deleted = 0 AND account = ");
    query.push_bind(account.as_str().to_owned());
    push_rules(&mut query, visible, Columns::All);
    query.push(format!(" ORDER BY {KEY} LIMIT "));
    query.push_bind(rows_up_to(limit));
    let rows = query.build().fetch_all(readers).await?;
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
    readers: &SqlitePool,
    account: &AccountId,
    change: u64,
) -> Result<Option<Key>, StoreError> {
    let row = sqlx::query(
        "SELECT runtime_name, namespace, name, cluster, runtime FROM application
         WHERE account = ?1 AND change = ?2 AND deleted = 0",
    )
    .bind(account.as_str())
    .bind(signed(change))
    .fetch_optional(readers)
    .await?;
    row.as_ref().map(key).transpose()
}
