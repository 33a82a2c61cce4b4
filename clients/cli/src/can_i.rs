//! `causeway can-i`: whether something is allowed, and which rule says so.

use anyhow::Context as _;
use causeway_proto::platform::v1 as pb;

use crate::{
    connection::Connection,
    failure::No,
    output::{self, Format},
    role::{conditions, text},
};

/// Whether something is allowed; exit code 0 for yes and 1 for no
#[derive(clap::Args, Debug)]
pub(crate) struct CanIArgs {
    /// What is to be done, for example get, list, sync, refresh, create or revoke; several separated by commas
    #[arg(value_name = "VERB[,VERB]", value_delimiter = ',', required = true)]
    verbs: Vec<String>,
    /// To what: app, runtime, role, user, api-key, … or one of them, for example app/guestbook
    #[arg(value_name = "ENTITY[/NAME]")]
    entity: String,
    /// In this runtime
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,
    /// In this cluster
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,
    /// In this Argo CD project
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// In this namespace
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Option<String>,
    /// With this label, as KEY=VALUE; may be given again
    #[arg(short, long = "label", value_name = "KEY=VALUE", value_parser = label)]
    labels: Vec<(String, String)>,
    /// By this user rather than by yourself
    #[arg(long = "as", value_name = "USER")]
    user: Option<String>,
}

fn label(text: &str) -> Result<(String, String), String> {
    let label = text.split_once('=').ok_or("a label is KEY=VALUE")?;
    Ok((label.0.to_owned(), label.1.to_owned()))
}

impl CanIArgs {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        if self.verbs.len() > 1 {
            return self.run_several(connection, format).await;
        }
        let request = self.into_request();
        let response = connection.permissions().check_permission(request).await?;
        let response = response.into_inner();
        match format {
            Format::Table => print(&response)?,
            Format::Json | Format::Yaml => output::document(&response, format)?,
        }
        response.allowed.then_some(()).context(No)
    }

    /// Asks about all verbs in one call.
    async fn run_several(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        anyhow::ensure!(self.user.is_none(), "--as takes one verb at a time");
        let verbs = self.verbs.clone();
        let request = self.into_requests();
        let response = connection.permissions().check_permissions(request).await?;
        let response = response.into_inner();
        match format {
            Format::Table => {
                for (verb, decision) in verbs.iter().zip(&response.decisions) {
                    output::line(format!("{verb}: {}", answer(decision)))?;
                }
            }
            Format::Json | Format::Yaml => output::document(&response, format)?,
        }
        let all = response.decisions.iter().all(|decision| decision.allowed);
        all.then_some(()).context(No)
    }

    fn into_requests(self) -> pb::CheckPermissionsRequest {
        let verbs = self.verbs.clone();
        let first = self.into_request();
        let entity = first.permission.split('.').next().unwrap_or_default();
        pb::CheckPermissionsRequest {
            permissions: verbs
                .iter()
                .map(|verb| format!("{entity}.{verb}"))
                .collect(),
            targets: first.target.into_iter().collect(),
        }
    }

    fn into_request(self) -> pb::CheckPermissionRequest {
        let verb = self.verbs.first().map(String::as_str).unwrap_or_default();
        let (entity, name) = match self.entity.split_once('/') {
            Some((entity, name)) => (entity, name),
            None => (self.entity.as_str(), ""),
        };
        let target = pb::Target {
            runtime: self.runtime.unwrap_or_default(),
            cluster: self.cluster.unwrap_or_default(),
            project: self.project.unwrap_or_default(),
            namespace: self.namespace.unwrap_or_default(),
            name: name.to_owned(),
            labels: self.labels.into_iter().collect(),
        };
        pb::CheckPermissionRequest {
            permission: format!("{}.{verb}", singular(entity)),
            target: Some(target),
            user: self.user.unwrap_or_default(),
        }
    }
}

/// The contract's word for what people call an entity.
fn singular(entity: &str) -> &str {
    match entity {
        "app" | "apps" => "application",
        other => other.strip_suffix('s').unwrap_or(other),
    }
}

fn answer(decision: &pb::PermissionDecision) -> String {
    match (decision.allowed, decision.conditional) {
        (false, _) => format!("no: {}", decision.reason),
        (true, false) => "yes".to_owned(),
        (true, true) => "yes, where a rule selects it".to_owned(),
    }
}

fn print(response: &pb::CheckPermissionResponse) -> anyhow::Result<()> {
    if !response.allowed {
        return output::line(format!("no: {}", response.reason));
    }
    let certain = |rules: &[pb::GrantingRule]| {
        let mut rules = rules.iter();
        rules.any(|rule| !rule.conditional)
    };
    let limited = !response.limits.is_empty() && !certain(&response.limits);
    let answer = if certain(&response.rules) && !limited {
        "yes"
    } else {
        "yes, where a rule selects it"
    };
    output::line(answer)?;
    rules("", &response.rules)?;
    rules("the API key's own role allows it too: ", &response.limits)
}

fn rules(prefix: &str, rules: &[pb::GrantingRule]) -> anyhow::Result<()> {
    for found in rules {
        let rule = found.rule.clone().unwrap_or_default();
        let only = if found.conditional {
            format!(" (only where {})", conditions(&rule).join(" and "))
        } else {
            String::new()
        };
        let (role, number) = (&found.role, found.number);
        output::line(format!(
            "  {prefix}role {role}, rule {number}: {}{only}",
            text(&rule)
        ))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
