//! Writes of resources by the ordering rules of `order.rs`, and propagation of an application's change to its resources.

mod propagation;
pub(super) mod read;

use causeway_database::{Error, query};
use causeway_proto::ids::{AccountId, RuntimeId};

pub(super) use propagation::has_pending;

use super::{
    batch::{Batch, NOTHING},
    current::to_json,
    image::own_application,
    prepared_write::Report,
    read::{from_json, life, traits},
};
use crate::{
    application::{Change, Health, Scope, ScopeTraits, Uid},
    image::ImageName,
    order::{self, Displacement, Head, Merge, Position},
    resource::{ApplicationName, FormerOwner, OwnerApplication, Resource, moved_on},
    store::Outcome,
};

/// Row of the reported resource.
struct CurrentResource {
    head: Head,
    belongs: Option<OwnerApplication>,
    past: Vec<FormerOwner>,
    /// Hash of the images.
    images: i64,
}

/// Rows that a report is merged with.
#[derive(Default)]
struct CurrentResources {
    own: Option<CurrentResource>,
    namesake: Option<(i64, Uid, Position)>,
}

/// Owning application of a resource, now and before.
struct Ownership {
    belongs: Option<OwnerApplication>,
    past: Vec<FormerOwner>,
}

impl Batch<'_> {
    pub(super) async fn apply_resource(
        &mut self,
        change: &Change<Resource>,
    ) -> Result<Outcome, Error> {
        let current = self.load_resource(change).await?;
        let merge = order::merge(
            change.position,
            change.life(),
            change.continuity,
            current.own.as_ref().map(|own| own.head),
            current.namesake.as_ref().map(|(_, _, position)| *position),
        );
        if merge == Merge::Superseded || self.is_fenced(change) {
            return Ok(Outcome::Superseded);
        }
        let named: Vec<_> = change.state.iter().filter_map(|it| it.manifest).collect();
        let missing = self
            .missing_manifests(&change.scope.account, &named)
            .await?;
        if !missing.is_empty() {
            return Ok(Outcome::Missing(missing));
        }
        self.merge_resource(merge, change, current).await?;
        Ok(Outcome::Stored)
    }

    async fn merge_resource(
        &mut self,
        merge: Merge,
        change: &Change<Resource>,
        current: CurrentResources,
    ) -> Result<(), Error> {
        let state = change.state.as_ref();
        match merge {
            Merge::Superseded => Ok(()),
            Merge::Live { displaces } => {
                if let (Displacement::Namesake, Some((id, uid, _))) = (displaces, current.namesake)
                {
                    self.displace_resource(id, &uid, &change.scope).await?;
                }
                let number = self.next_change(&change.scope.account).await?;
                let application = state.and_then(|state| state.application.as_ref());
                let whose = (&change.scope.account, &change.scope.runtime);
                let belongs = self.belonging(whose, application).await?;
                let images = state.map_or(&[][..], |state| &state.images);
                let stamp = ImageName::stamp(images, application);
                let same = stamp == current.own.as_ref().map_or(0, |own| own.images);
                let past = current.own.map_or_else(Vec::new, |own| {
                    moved_on(own.past, own.belongs, belongs.as_ref(), number)
                });
                self.upsert_resource(change, state, Ownership { belongs, past }, Some(number))
                    .await?;
                if same {
                    return Ok(());
                }
                self.replace_images(&change.scope, &change.uid, application, images)
                    .await
            }
            Merge::Gone => {
                let number = self.next_change(&change.scope.account).await?;
                self.delete_resource(change, current.own, Some(number))
                    .await
            }
            Merge::Buried => self.delete_resource(change, current.own, None).await,
        }
    }

    /// Turns a resource into a tombstone, which keeps its last ownership.
    async fn delete_resource(
        &mut self,
        change: &Change<Resource>,
        own: Option<CurrentResource>,
        number: Option<u64>,
    ) -> Result<(), Error> {
        let images = own.as_ref().map_or(0, |own| own.images);
        let ties = own.map_or_else(Ownership::none, |own| Ownership {
            belongs: own.belongs,
            past: own.past,
        });
        self.upsert_resource(change, None, ties, number).await?;
        if images == 0 {
            return Ok(());
        }
        self.replace_images(&change.scope, &change.uid, None, &[])
            .await
    }

    /// Loads the reported resource and another live one under its name.
    async fn load_resource(
        &mut self,
        change: &Change<Resource>,
    ) -> Result<CurrentResources, Error> {
        let rows = query(
            "SELECT id, uid, resource_version, epoch, sequence, deleted, belongs, past, images FROM resource
             WHERE account = $1 AND runtime = $2 AND cluster = $3 AND resource = $4 AND uid = $5
             UNION ALL
             SELECT id, uid, resource_version, epoch, sequence, deleted, '', '', 0 FROM resource
             WHERE account = $1 AND runtime = $2 AND cluster = $3 AND resource = $4 AND namespace = $6 AND name = $7
               AND deleted = 0 AND uid <> $5",
        )
        .bind(change.scope.account.as_str())
        .bind(change.scope.runtime.as_str())
        .bind(change.scope.cluster.as_str())
        .bind(change.scope.kind.as_str())
        .bind(change.uid.as_str())
        .bind(&*change.object.namespace)
        .bind(&*change.object.name)
        .fetch_all(&mut *self.transaction)
        .await?;
        let mut current = CurrentResources::default();
        for row in rows {
            let position = Position {
                resource_version: row.try_get::<i64>(2)?.cast_unsigned(),
                epoch: row.try_get::<i64>(3)?.cast_unsigned(),
                sequence: row.try_get::<i64>(4)?.cast_unsigned(),
            };
            let life = life(row.try_get(5)?);
            let uid = Uid::from(row.try_get::<&str>(1)?);
            if uid == change.uid {
                current.own = Some(CurrentResource {
                    head: Head { position, life },
                    belongs: from_json(row.try_get(6)?)?,
                    past: from_json(row.try_get(7)?)?,
                    images: row.try_get(8)?,
                });
            } else {
                current.namesake = Some((row.try_get(0)?, uid, position));
            }
        }
        Ok(current)
    }

    /// Loads the owning application by name.
    pub(super) async fn belonging(
        &mut self,
        (account, runtime): (&AccountId, &RuntimeId),
        application: Option<&ApplicationName>,
    ) -> Result<Option<OwnerApplication>, Error> {
        let Some(application) = application else {
            return Ok(None);
        };
        let row = query(
            "SELECT project, labels FROM application
             WHERE account = $1 AND runtime = $2 AND cluster = $3 AND namespace = $4 AND name = $5 AND deleted = 0",
        )
        .bind(account.as_str())
        .bind(runtime.as_str())
        .bind(&*application.cluster)
        .bind(&*application.namespace)
        .bind(&*application.name)
        .fetch_optional(&mut *self.transaction)
        .await?;
        row.map(|row| {
            Ok(OwnerApplication {
                application: application.clone(),
                traits: traits(row.try_get(0)?, row.try_get(1)?)?,
            })
        })
        .transpose()
    }

    /// Updates the images and the resources of an application after its report.
    pub(super) async fn follow_application(
        &mut self,
        merge: Merge,
        report: &Report,
        previous: Option<ScopeTraits>,
        previous_images: i64,
    ) -> Result<(), Error> {
        let change = &report.change;
        let state = change.state.as_ref();
        let state = state.filter(|_| matches!(merge, Merge::Live { .. }));
        let images_hash = if state.is_some() { report.images } else { 0 };
        let application = own_application(change);
        if images_hash != previous_images {
            let images = state.map_or(&[][..], |state| &state.images);
            self.replace_images(&change.scope, &change.uid, Some(&application), images)
                .await?;
        }
        let traits = state.map(|state| &state.summary.traits);
        // Only a change of the traits moves resources into or out of a scope.
        if previous.as_ref() == traits {
            return Ok(());
        }
        self.propagate(&change.scope, application, traits).await
    }

    /// Turns the previous owner of a name into a tombstone. Its position stays, so that its own deletion may still arrive.
    async fn displace_resource(&mut self, id: i64, uid: &Uid, scope: &Scope) -> Result<(), Error> {
        let number = self.next_change(&scope.account).await?;
        query(
            "UPDATE resource SET deleted = 1, change = $2, received_at = $3, basic = $4, detail = $4, manifest = $4, images = 0
             WHERE id = $1",
        )
        .bind(id)
        .bind(number.cast_signed())
        .bind(self.now)
        .bind(NOTHING)
        .execute(self.transaction)
        .await?;
        self.replace_images(scope, uid, None, &[]).await
    }

    async fn upsert_resource(
        &mut self,
        change: &Change<Resource>,
        state: Option<&Resource>,
        ties: Ownership,
        number: Option<u64>,
    ) -> Result<(), Error> {
        let upsert = query(
            "INSERT INTO resource (account, runtime, cluster, resource, uid, runtime_name, namespace, name,
                 resource_version, epoch, sequence, deleted, change, received_at, belongs, past,
                 kind, at_cluster, at_namespace, at_name, labels, health, root_digest, manifest, basic, detail, images)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
                 $21, $22, $23, $24, $25, $26, $27)
             ON CONFLICT (account, runtime, cluster, resource, uid) DO UPDATE SET
                 runtime_name = excluded.runtime_name, namespace = excluded.namespace, name = excluded.name,
                 resource_version = excluded.resource_version, epoch = excluded.epoch,
                 sequence = excluded.sequence, deleted = excluded.deleted, change = coalesce(excluded.change, resource.change),
                 received_at = excluded.received_at, belongs = excluded.belongs, past = excluded.past,
                 kind = CASE excluded.kind WHEN '' THEN resource.kind ELSE excluded.kind END, at_cluster = excluded.at_cluster, at_namespace = excluded.at_namespace,
                 at_name = excluded.at_name, labels = excluded.labels, health = excluded.health,
                 root_digest = excluded.root_digest, manifest = excluded.manifest, basic = excluded.basic,
                 detail = excluded.detail, images = excluded.images",
        )
        .bind(change.scope.account.as_str())
        .bind(change.scope.runtime.as_str())
        .bind(change.scope.cluster.as_str())
        .bind(change.scope.kind.as_str())
        .bind(change.uid.as_str())
        .bind(change.runtime_name.as_str())
        .bind(&*change.object.namespace)
        .bind(&*change.object.name)
        .bind(change.position.resource_version.cast_signed())
        .bind(change.position.epoch.cast_signed())
        .bind(change.position.sequence.cast_signed())
        .bind(i64::from(state.is_none()))
        .bind(number.map(u64::cast_signed))
        .bind(self.now)
        .bind(to_json(&ties.belongs))
        .bind(to_json(&ties.past));
        bind_state(upsert, state).execute(self.transaction).await?;
        Ok(())
    }
}

fn bind_state(
    upsert: causeway_database::Query,
    state: Option<&Resource>,
) -> causeway_database::Query {
    let application = state.and_then(|state| state.application.as_ref());
    upsert
        .bind(state.map_or("", |state| &*state.kind))
        .bind(application.map_or("", |it| &*it.cluster))
        .bind(application.map_or("", |it| &*it.namespace))
        .bind(application.map_or("", |it| &*it.name))
        .bind(state.map_or_else(String::new, |state| to_json(&*state.labels)))
        .bind(
            state
                .map_or(Health::Unspecified, |state| state.health)
                .code(),
        )
        .bind(state.map_or(NOTHING, |state| &state.root_digest.as_bytes()[..]))
        .bind(
            state
                .and_then(|state| state.manifest.as_ref())
                .map_or(NOTHING, |digest| &digest.as_bytes()[..]),
        )
        .bind(state.map_or(NOTHING, |state| &state.basic[..]))
        .bind(state.map_or(NOTHING, |state| &state.detail[..]))
        .bind(state.map_or(0, |state| ImageName::stamp(&state.images, application)))
}

impl Ownership {
    fn none() -> Self {
        Self {
            belongs: None,
            past: Vec::new(),
        }
    }
}
