//! Integrations in Secrets of one namespace. The credential stays sealed there.

use std::collections::BTreeMap;

use causeway_argocd::Cluster;
use causeway_assertion::Sealed;
use k8s_openapi::{ByteString, api::core::v1::Secret};
use kube::api::ObjectMeta;
use serde_json::Value;

use super::{
    Integration, IntegrationName, NewIntegration, Provider, RepositoryError, SealedSecret,
};
use crate::{
    kube::objects::{ObjectError, ObjectName, Objects},
    outcome::{Attempt, REQUESTS_ANNOTATION, RequestIdentity, RequestRecords, RequestState},
    scope::Requester,
};

/// The label of Secrets with an integration; its value is the name.
const LABEL: &str = "causeway.dev/integration";
const PREFIX: &str = "causeway-integration-";
/// So many are listed.
const MOST: usize = 500;

/// The Secrets. Cheap to clone.
#[derive(Clone)]
pub(super) struct Secrets {
    objects: Objects,
    namespace: String,
}

impl Secrets {
    pub(super) fn new(cluster: Cluster, namespace: String) -> Self {
        let objects = Objects::new(cluster, ("", "v1", "Secret", "secrets"));
        Self { objects, namespace }
    }

    pub(super) fn namespace(&self) -> &str {
        &self.namespace
    }

    pub(super) async fn create(
        &self,
        new: NewIntegration,
        request: &RequestIdentity,
        requester: &Requester,
    ) -> Result<(Integration, Attempt), RepositoryError> {
        let name = new.name.clone();
        let listed = self.objects.list_by(&self.namespace, LABEL).await;
        check_number(&name, &listed.map_err(RepositoryError::Cluster)?)?;
        let secret = self.secret(new, request, requester);
        let secret = serde_json::to_value(secret);
        let secret = secret.map_err(|_| RepositoryError::Damaged(name.to_string()))?;
        match self.objects.create(&self.namespace, &secret).await {
            Ok(created) => Ok((read(&name, created)?.0, Attempt::ThisCall)),
            Err(ObjectError::Exists) => self.created_before(&name, request, requester).await,
            Err(error) => Err(RepositoryError::Cluster(error)),
        }
    }

    pub(super) async fn get(
        &self,
        name: &IntegrationName,
    ) -> Result<(Integration, SealedSecret), RepositoryError> {
        read(name, self.object(name).await?)
    }

    /// All by name; a damaged one is left out and logged.
    pub(super) async fn list(&self) -> Result<Vec<Integration>, RepositoryError> {
        let listed = self.objects.list_by(&self.namespace, LABEL).await;
        let listed = listed.map_err(RepositoryError::Cluster)?;
        let mut found = Vec::new();
        for object in listed.into_iter().take(MOST) {
            let label = object
                .pointer("/metadata/labels")
                .and_then(|it| it.get(LABEL));
            let label = label.and_then(Value::as_str).unwrap_or_default().to_owned();
            match label.parse().and_then(|name| read(&name, object)) {
                Ok((integration, _)) => found.push(integration),
                Err(error) => tracing::warn!(%error, integration = label, "left out of the list"),
            }
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }

    pub(super) async fn delete(&self, name: &IntegrationName) -> Result<(), RepositoryError> {
        // A Secret of this name that is no integration stays.
        self.object(name).await?;
        let deleted = self.objects.delete(&self.name(name)).await;
        deleted.map_err(|error| of(name, error))
    }

    async fn object(&self, name: &IntegrationName) -> Result<Value, RepositoryError> {
        let found = self.objects.get(&self.name(name)).await;
        let found = found.map_err(|error| of(name, error))?;
        let label = found
            .pointer("/metadata/labels")
            .and_then(|it| it.get(LABEL));
        if label.and_then(Value::as_str) == Some(&name.to_string()) {
            Ok(found)
        } else {
            Err(RepositoryError::Unknown(name.to_string()))
        }
    }

    async fn created_before(
        &self,
        name: &IntegrationName,
        request: &RequestIdentity,
        requester: &Requester,
    ) -> Result<(Integration, Attempt), RepositoryError> {
        let object = self.objects.get(&self.name(name)).await;
        let object = object.map_err(|error| of(name, error))?;
        let annotations = object.pointer("/metadata/annotations").cloned();
        let annotations: BTreeMap<String, String> = annotations
            .and_then(|it| serde_json::from_value(it).ok())
            .unwrap_or_default();
        match RequestRecords::of(&annotations).standing(request, requester.asked_at)? {
            RequestState::Done(_) => Ok((read(name, object)?.0, Attempt::EarlierCall)),
            RequestState::New | RequestState::Forgotten => {
                Err(RepositoryError::Taken(name.to_string()))
            }
        }
    }

    fn name(&self, name: &IntegrationName) -> ObjectName {
        ObjectName {
            namespace: self.namespace.clone(),
            name: format!("{PREFIX}{name}"),
        }
    }

    fn secret(
        &self,
        new: NewIntegration,
        request: &RequestIdentity,
        requester: &Requester,
    ) -> Secret {
        let at = i64::try_from(requester.asked_at).unwrap_or_default() * 1000;
        let sealed = new.credential.0;
        let labels = [
            (LABEL.to_owned(), new.name.to_string()),
            (
                "app.kubernetes.io/managed-by".to_owned(),
                "causeway".to_owned(),
            ),
        ];
        let record = RequestRecords::default().with(request, at);
        let data = [
            ("provider", new.provider.to_string().into_bytes()),
            ("url", new.url.into_bytes()),
            ("createdBy", requester.user.as_str().as_bytes().to_vec()),
            ("createdAt", at.to_string().into_bytes()),
            ("encapsulatedKey", sealed.encapsulated_key),
            ("ciphertext", sealed.ciphertext),
        ];
        Secret {
            metadata: ObjectMeta {
                name: Some(self.name(&new.name).name),
                labels: Some(labels.into()),
                annotations: Some([(REQUESTS_ANNOTATION.to_owned(), record)].into()),
                ..Default::default()
            },
            data: Some(
                data.map(|(key, value)| (key.to_owned(), ByteString(value)))
                    .into(),
            ),
            type_: Some("causeway.dev/integration".to_owned()),
            ..Default::default()
        }
    }
}

/// A list shows so many only, so that another one would be created unseen.
fn check_number(name: &IntegrationName, listed: &[Value]) -> Result<(), RepositoryError> {
    let name = name.to_string();
    let is_it = |object: &Value| object["metadata"]["labels"][LABEL] == *name;
    if listed.len() < MOST || listed.iter().any(is_it) {
        return Ok(());
    }
    Err(RepositoryError::Full(MOST))
}

fn of(name: &IntegrationName, error: ObjectError) -> RepositoryError {
    match error {
        ObjectError::NotFound => RepositoryError::Unknown(name.to_string()),
        other @ (ObjectError::NoKind(_)
        | ObjectError::Exists
        | ObjectError::Conflict
        | ObjectError::Invalid(_)
        | ObjectError::Cluster(_)) => RepositoryError::Cluster(other),
    }
}

fn read(
    name: &IntegrationName,
    object: Value,
) -> Result<(Integration, SealedSecret), RepositoryError> {
    let secret: Option<Secret> = serde_json::from_value(object).ok();
    let damaged = || RepositoryError::Damaged(name.to_string());
    let mut data = secret.and_then(|secret| secret.data).ok_or_else(damaged)?;
    let mut bytes = |key: &str| data.remove(key).map(|value| value.0).ok_or_else(damaged);
    let sealed = Sealed {
        encapsulated_key: bytes("encapsulatedKey")?,
        ciphertext: bytes("ciphertext")?,
    };
    let mut text = |key: &str| String::from_utf8(bytes(key)?).map_err(|_| damaged());
    let provider = text("provider")?;
    let provider = Provider::ALL
        .into_iter()
        .find(|it| it.to_string() == provider);
    let integration = Integration {
        name: name.clone(),
        provider: provider.ok_or_else(damaged)?,
        url: text("url")?,
        created_at: text("createdAt")?.parse().map_err(|_| damaged())?,
        created_by: text("createdBy")?,
    };
    Ok((integration, SealedSecret(sealed)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn another_integration_than_the_list_can_show_is_refused() {
        let integration =
            |number: usize| json!({ "metadata": { "labels": { LABEL: format!("i{number}") } } });
        let mut listed: Vec<Value> = (1..MOST).map(integration).collect();
        let new = "new".parse().unwrap();
        assert!(check_number(&new, &listed).is_ok());
        listed.push(integration(MOST));
        let refused = check_number(&new, &listed).unwrap_err().to_string();
        assert!(
            refused.contains("500 integrations") && refused.contains("delete"),
            "{refused}"
        );
        // A repeated request finds its first outcome.
        assert!(check_number(&"i7".parse().unwrap(), &listed).is_ok());
    }
}
