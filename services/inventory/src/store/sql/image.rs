//! Image uses of applications and of their resources.

use causeway_database::{Database, Error, Query, Row, Transaction, query};
use causeway_proto::ids::AccountId;
use futures::{FutureExt as _, TryStreamExt as _, future::BoxFuture};

use super::{
    SqlStore,
    batch::Batch,
    chunks::chunks,
    read::{rows_up_to, signed, traits},
};
use crate::{
    application::{Change, Scope, State, Uid},
    image::{ImageFilter, ImageName, ImagePage, ImageRest, ImageUse},
    resource::ApplicationName,
    store::{ImageReads, StoreError},
};

/// Rows scanned for one page.
const WINDOW: usize = if cfg!(test) { 6 } else { 10_000 };
const ORDER_COLUMNS: &str =
    "repository, tag, digest, image.runtime, at_cluster, at_namespace, at_name";

/// Owner name of an application's own images.
pub(super) fn own_application(change: &Change) -> ApplicationName {
    ApplicationName {
        cluster: change.scope.cluster.as_str().into(),
        namespace: change.object.namespace.clone(),
        name: change.object.name.clone(),
    }
}

/// Hash of the images of an application.
pub(super) fn images_hash(change: &Change, state: &State) -> i64 {
    ImageName::stamp(&state.images, Some(&own_application(change)))
}

impl Batch<'_> {
    /// Replaces the image uses of an object within an application.
    pub(super) async fn replace_images(
        &mut self,
        scope: &Scope,
        uid: &Uid,
        application: Option<&ApplicationName>,
        images: &[ImageName],
    ) -> Result<(), Error> {
        replace(self.transaction, (scope, uid), application, images).await
    }
}

/// Replaces the image uses of an object within an application.
pub(super) async fn replace(
    transaction: &mut Transaction,
    (scope, uid): (&Scope, &Uid),
    application: Option<&ApplicationName>,
    images: &[ImageName],
) -> Result<(), Error> {
    query("DELETE FROM image WHERE account = $1 AND runtime = $2 AND cluster = $3 AND uid = $4")
        .bind(scope.account.as_str())
        .bind(scope.runtime.as_str())
        .bind(scope.cluster.as_str())
        .bind(uid.as_str())
        .execute(transaction)
        .await?;
    let Some(application) = application else {
        return Ok(());
    };
    for chunk in chunks(images) {
        insert(transaction, (scope, uid), application, chunk).await?;
    }
    Ok(())
}

async fn insert(
    transaction: &mut Transaction,
    (scope, uid): (&Scope, &Uid),
    application: &ApplicationName,
    chunk: &[ImageName],
) -> Result<(), Error> {
    let mut query = query(
        "INSERT INTO image (account, runtime, cluster, uid, at_cluster, at_namespace, at_name, repository, tag, digest) VALUES ",
    );
    let mut separator = "";
    for image in chunk {
        query.push(separator);
        query.push_list([
            scope.account.as_str(),
            scope.runtime.as_str(),
            scope.cluster.as_str(),
            uid.as_str(),
            &application.cluster,
            &application.namespace,
            &application.name,
            &image.repository,
            &image.tag,
            &image.digest,
        ]);
        separator = ", ";
    }
    query.push(" ON CONFLICT DO NOTHING");
    query.execute(transaction).await?;
    Ok(())
}

/// Deletes the image uses of an application's own row.
pub(super) async fn delete_own(
    transaction: &mut Transaction,
    application: i64,
) -> Result<(), Error> {
    query(
        "DELETE FROM image WHERE (account, runtime, cluster, uid) IN (
             SELECT account, runtime, cluster, uid FROM application WHERE id = $1)",
    )
    .bind(application)
    .execute(transaction)
    .await?;
    Ok(())
}

fn image(row: &Row, first: usize) -> Result<ImageName, Error> {
    Ok(ImageName {
        repository: row.try_get(first)?,
        tag: row.try_get(first + 1)?,
        digest: row.try_get(first + 2)?,
    })
}

impl ImageReads for SqlStore {
    fn list_images<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a ImageFilter,
        after: Option<&'a ImageUse>,
        looked: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<ImagePage, StoreError>> {
        async move {
            let database = &self.database;
            let mut query = select(filter, account);
            if let Some(after) = after {
                let (image, application) = after.order();
                query.push(" AND (").push(ORDER_COLUMNS).push(") > ");
                let image = [&*image.repository, &image.tag, &image.digest];
                query.push_list(image.into_iter().chain(application));
            }
            if let Some(looked) = looked {
                // If the row is gone, the page begins after the last use returned, and scans some rows twice.
                query
                    .push(" AND ((")
                    .push(ORDER_COLUMNS)
                    .push(") > (SELECT ");
                query.push("repository, tag, digest, runtime, at_cluster, at_namespace, at_name");
                query.push(" FROM image WHERE account = ");
                query.push_bind(account.as_str());
                query.push(" AND id = ").push_bind(signed(looked));
                query.push(") OR NOT EXISTS (SELECT 1 FROM image WHERE account = ");
                query.push_bind(account.as_str());
                query
                    .push(" AND id = ")
                    .push_bind(signed(looked))
                    .push("))");
            }
            query
                .push(" ORDER BY ")
                .push(ORDER_COLUMNS)
                .push(", image.id LIMIT ");
            query.push_bind(rows_up_to(WINDOW));
            page(database, query, filter, limit).await
        }
        .boxed()
    }
}

fn select(filter: &ImageFilter, account: &AccountId) -> Query {
    let mut query = query(
        "SELECT application.runtime_name, application.namespace, application.name, application.cluster, application.runtime,
             repository, tag, digest, application.project, application.labels, image.id
         FROM image JOIN application ON application.account = image.account AND application.runtime = image.runtime
             AND application.cluster = at_cluster AND application.namespace = at_namespace
             AND application.name = at_name AND application.deleted = 0
         WHERE image.account = ",
    );
    query.push_bind(account.as_str());
    let columns = [
        (" AND application.runtime_name = ", &filter.runtime),
        (" AND at_namespace = ", &filter.namespace),
        (" AND at_name = ", &filter.name),
    ];
    for (column, wanted) in columns {
        if !wanted.is_empty() {
            query.push(column).push_bind(wanted.as_str());
        }
    }
    query
}

async fn page(
    database: &Database,
    query: Query,
    filter: &ImageFilter,
    limit: usize,
) -> Result<ImagePage, StoreError> {
    let mut page = ImagePage {
        items: Vec::new(),
        rest: ImageRest::End,
    };
    let (mut count, mut last) = (0, 0);
    let mut rows = query.fetch(database);
    while let Some(row) = rows.try_next().await? {
        let found = ImageUse {
            image: image(&row, 5)?,
            application: super::read::key(&row)?,
        };
        count += 1;
        last = row.try_get::<i64>(10)?.cast_unsigned();
        let traits = traits(row.try_get(8)?, row.try_get(9)?)?;
        // An application and its resources may report the same use.
        if !filter.matches(&found, &traits) || page.items.last() == Some(&found) {
            continue;
        }
        if page.items.len() >= limit {
            page.rest = ImageRest::More;
            return Ok(page);
        }
        page.items.push(found);
    }
    if count >= WINDOW {
        page.rest = ImageRest::ScanPosition(last);
    }
    Ok(page)
}
