//! Bootstrap objects of Argo CD, and tokens for its API.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use jsonwebtoken::{EncodingKey, Header};
use serde_json::{Value, json};

use crate::{
    error::ClusterError,
    keys::{Authority, Identity, KeyError},
    objects::Objects,
    options::{ArgocdOptions, Scheme},
};

const ACCOUNT: &str = "causeway";
const READER: &str = "reader";
/// Issue time of tokens; any past time will do.
const ISSUED: i64 = 1_767_225_600;

/// Bootstrap objects and keys of one Argo CD.
pub(crate) struct Bootstrap {
    objects: Vec<Value>,
    token: String,
    reader_token: String,
}

impl Bootstrap {
    /// `further` are names and addresses of argocd-server beside those of this machine.
    pub(crate) fn make(
        options: &ArgocdOptions,
        authority: &Authority,
        further: &[String],
    ) -> Result<Self, ClusterError> {
        let secret = random();
        let token_id = random();
        let server = match options.scheme {
            Scheme::Http => None,
            Scheme::Https => {
                let further = further.iter().map(String::as_str);
                let names: Vec<_> = ["127.0.0.1", "localhost"]
                    .into_iter()
                    .chain(further)
                    .collect();
                Some(authority.server(&names)?)
            }
        };
        let namespace = &options.namespace;
        let objects = vec![
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}),
            map(namespace, "argocd-cm", &settings(options)),
            map(namespace, "argocd-rbac-cm", &rules(options)),
            map(namespace, "argocd-cmd-params-cm", &parameters(options)),
            secrets(namespace, &secret, &token_id, server.as_ref()),
            project(namespace),
        ];
        Ok(Self {
            objects,
            token: token(&secret, ACCOUNT, &token_id)?,
            reader_token: token(&secret, READER, &token_id)?,
        })
    }

    /// Token of the read-only account.
    pub(crate) fn reader_token(&self) -> &str {
        &self.reader_token
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    pub(crate) async fn apply(&self, objects: &Objects) -> Result<(), ClusterError> {
        for object in &self.objects {
            objects.apply(object).await?;
        }
        Ok(())
    }
}

fn settings(options: &ArgocdOptions) -> BTreeMap<String, String> {
    let own = [
        (format!("accounts.{ACCOUNT}"), "apiKey".to_owned()),
        (format!("accounts.{READER}"), "apiKey".to_owned()),
        (
            "timeout.reconciliation".to_owned(),
            format!("{}s", options.poll.as_secs()),
        ),
    ];
    own.into_iter().chain(options.settings.clone()).collect()
}

fn rules(options: &ArgocdOptions) -> BTreeMap<String, String> {
    let all = format!("g, {ACCOUNT}, role:admin\ng, {READER}, role:readonly\n");
    let policy = options.policy.clone().unwrap_or(all);
    BTreeMap::from([("policy.csv".to_owned(), policy)])
}

fn parameters(options: &ArgocdOptions) -> BTreeMap<String, String> {
    let insecure = (options.scheme == Scheme::Http).to_string();
    let mut all = BTreeMap::from([("server.insecure".to_owned(), insecure)]);
    if let Some(root) = &options.root_path {
        all.insert("server.rootpath".to_owned(), root.clone());
    }
    all
}

fn map(namespace: &str, name: &str, data: &BTreeMap<String, String>) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(namespace, name),
        "data": data,
    })
}

fn secrets(namespace: &str, secret: &str, token_id: &str, server: Option<&Identity>) -> Value {
    let tokens = json!([{"id": token_id, "iat": ISSUED}]).to_string();
    let mut data = BTreeMap::from([
        ("server.secretkey".to_owned(), secret.to_owned()),
        (format!("accounts.{ACCOUNT}.tokens"), tokens.clone()),
        (format!("accounts.{READER}.tokens"), tokens),
    ]);
    if let Some(server) = server {
        data.insert("tls.crt".to_owned(), server.certificate.clone());
        data.insert("tls.key".to_owned(), server.key.clone());
    }
    let data: BTreeMap<_, _> = data
        .into_iter()
        .map(|(name, value)| (name, STANDARD.encode(value)))
        .collect();
    json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "Opaque",
        "metadata": metadata(namespace, "argocd-secret"),
        "data": data,
    })
}

fn project(namespace: &str) -> Value {
    let any = json!({"group": "*", "kind": "*"});
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": "default", "namespace": namespace},
        "spec": {
            "sourceRepos": ["*"],
            "destinations": [{"namespace": "*", "server": "*"}],
            "clusterResourceWhitelist": [any],
        },
    })
}

fn metadata(namespace: &str, name: &str) -> Value {
    json!({
        "name": name,
        "namespace": namespace,
        "labels": {"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "argocd"},
    })
}

/// Signs a token as argocd-server does for an account.
fn token(secret: &str, account: &str, id: &str) -> Result<String, ClusterError> {
    let claims = json!({
        "iss": "argocd",
        "sub": format!("{account}:apiKey"),
        "jti": id,
        "iat": ISSUED,
        "nbf": ISSUED,
    });
    let key = EncodingKey::from_secret(secret.as_bytes());
    let signed = jsonwebtoken::encode(&Header::default(), &claims, &key);
    Ok(signed.map_err(KeyError::Token)?)
}

fn random() -> String {
    let bytes: [u8; 32] = rand::random();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
