//! What tests need in a provider: organisations, users, tokens, keys, hooks and rules of branches.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::Gitea;
use crate::error::ClusterError;

/// A user with a token.
#[derive(Debug, Clone)]
pub struct GiteaUser {
    pub name: String,
    pub password: String,
    pub token: String,
}

/// Rights of a deploy key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeployKey {
    ReadOnly,
    Writes,
}

impl Gitea {
    /// # Errors
    /// Gitea refused it.
    pub async fn create_organisation(&self, name: &str) -> Result<(), ClusterError> {
        self.post("/orgs", json!({ "username": name })).await
    }

    /// Creates a private repository with one commit on `main`.
    ///
    /// # Errors
    /// Gitea refused it.
    pub async fn create_repository(&self, owner: &str, name: &str) -> Result<(), ClusterError> {
        let body =
            json!({ "name": name, "private": true, "default_branch": "main", "auto_init": true });
        self.post(&format!("/orgs/{owner}/repos"), body).await
    }

    /// Creates a user whose token has these scopes, such as `write:repository`.
    ///
    /// # Errors
    /// Gitea refused it.
    pub async fn create_user(
        &self,
        name: &str,
        scopes: &[&str],
    ) -> Result<GiteaUser, ClusterError> {
        let password = format!("{:032x}", rand::random::<u128>());
        let body = json!({
            "username": name, "password": password, "email": format!("{name}@example.com"), "must_change_password": false,
        });
        self.post("/admin/users", body).await?;
        let user = GiteaUser {
            name: name.to_owned(),
            password,
            token: String::new(),
        };
        let token = self.create_token(&user, "first", scopes).await?;
        Ok(GiteaUser { token, ..user })
    }

    /// Creates another token of a user.
    ///
    /// # Errors
    /// Gitea refused it.
    pub async fn create_token(
        &self,
        user: &GiteaUser,
        name: &str,
        scopes: &[&str],
    ) -> Result<String, ClusterError> {
        let path = format!("/users/{}/tokens", user.name);
        let body = json!({ "name": name, "scopes": scopes });
        let request = self.request(Method::POST, &path).json(&body);
        let request = request.basic_auth(&user.name, Some(&user.password));
        let made = self.send(request, &path).await?;
        Ok(made["sha1"].as_str().unwrap_or_default().to_owned())
    }

    /// Lets a user write to a repository, which is `owner/name`.
    ///
    /// # Errors
    /// Gitea refused it.
    pub async fn add_writer(&self, repository: &str, user: &str) -> Result<(), ClusterError> {
        let path = format!("/repos/{repository}/collaborators/{user}");
        let body = json!({ "permission": "write" });
        self.as_admin(Method::PUT, &path, body).await.map(drop)
    }

    /// # Errors
    /// Gitea refused it.
    pub async fn add_deploy_key(
        &self,
        repository: &str,
        public_key: &str,
        rights: DeployKey,
    ) -> Result<(), ClusterError> {
        let body = json!({
            "title": public_key.chars().take(60).collect::<String>(), "key": public_key, "read_only": rights == DeployKey::ReadOnly,
        });
        self.post(&format!("/repos/{repository}/keys"), body).await
    }

    /// Sends events to a URL on loopback, signed with a secret.
    ///
    /// # Errors
    /// Gitea refused it.
    pub async fn add_webhook(
        &self,
        repository: &str,
        url: &str,
        secret: &str,
        events: &[&str],
    ) -> Result<(), ClusterError> {
        let config = json!({ "url": url, "content_type": "json", "secret": secret });
        let body = json!({ "type": "gitea", "active": true, "events": events, "config": config });
        self.post(&format!("/repos/{repository}/hooks"), body).await
    }

    /// Requires statuses of these contexts and a number of approvals, of administrators too. Pushes are refused.
    ///
    /// # Errors
    /// Gitea refused it.
    pub async fn protect_branch(
        &self,
        repository: &str,
        branch: &str,
        contexts: &[&str],
        approvals: u32,
    ) -> Result<(), ClusterError> {
        let body = json!({
            "rule_name": branch,
            "enable_push": false,
            "enable_status_check": !contexts.is_empty(),
            "status_check_contexts": contexts,
            "required_approvals": approvals,
            "block_admin_merge_override": true,
        });
        let path = format!("/repos/{repository}/branch_protections");
        self.post(&path, body).await
    }

    /// Calls the API as the administrator, below `/api/v1`.
    ///
    /// # Errors
    /// Gitea refused it; the error has its words.
    pub async fn as_admin(
        &self,
        method: Method,
        path: &str,
        body: Value,
    ) -> Result<Value, ClusterError> {
        let request = self.request(method, path).json(&body);
        let token = format!("token {}", self.admin.token);
        self.send(request.header("authorization", token), path)
            .await
    }

    async fn post(&self, path: &str, body: Value) -> Result<(), ClusterError> {
        self.as_admin(Method::POST, path, body).await.map(drop)
    }

    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let url = format!("{}/api/v1{path}", self.url());
        self.http.request(method, url)
    }

    async fn send(
        &self,
        request: reqwest::RequestBuilder,
        path: &str,
    ) -> Result<Value, ClusterError> {
        let failed = |reason: String| ClusterError::Provider {
            request: path.to_owned(),
            reason,
            logs: self.logs(),
        };
        let answer = request
            .send()
            .await
            .map_err(|error| failed(error.to_string()))?;
        let status = answer.status();
        let text = answer
            .text()
            .await
            .map_err(|error| failed(error.to_string()))?;
        if !status.is_success() {
            return Err(failed(format!("{status} {text}")));
        }
        if status == StatusCode::NO_CONTENT || text.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_str(&text).map_err(|error| failed(error.to_string()))
    }
}

/// An Ed25519 key as `ssh` writes it: the name and the key, each after its length.
pub(super) fn public_key(raw: &[u8]) -> String {
    const NAME: &str = "ssh-ed25519";
    let mut bytes = Vec::new();
    for part in [NAME.as_bytes(), raw] {
        let length = u32::try_from(part.len()).expect("a key is short");
        bytes.extend(length.to_be_bytes());
        bytes.extend(part);
    }
    format!("{NAME} {}", STANDARD.encode(bytes))
}
