//! `causeway integration test`.

use anyhow::bail;
use causeway_proto::git::v1 as pb;

use super::{NameArgs, provider_word, repository_url};
use crate::{
    connection::Connection,
    output::{self, Format, Table},
    resource::runtime_of,
    words,
};

/// Test an integration at its host: its credential, rights and limits
///
/// The runtime asks the host who the credential is, what it may do and how many requests are left. With --repository it also
/// tests reading and pushing there. Nothing is written. Each problem is shown with its fix, and fails the command.
#[derive(clap::Args, Debug)]
pub(crate) struct TestArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Repository to test, as URL or as path under the URL of the integration
    #[arg(
        long,
        value_name = "REPOSITORY",
        default_value = "",
        hide_default_value = true
    )]
    repository: String,
}

impl TestArgs {
    pub(super) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let runtime = runtime_of(connection, self.name.runtime.runtime).await?;
        let name = self.name.name;
        let repository = if self.repository.is_empty() {
            String::new()
        } else {
            repository_url(connection, (&runtime, &name), self.repository).await?
        };
        let request = pb::TestIntegrationRequest {
            runtime,
            name: name.clone(),
            repository,
        };
        let tested = connection.integrations().test_integration(request).await?;
        let tested = tested.into_inner();
        match format {
            Format::Table => print(&tested)?,
            Format::Json | Format::Yaml => output::document(&tested, format)?,
        }
        match tested.problems.len() {
            0 => Ok(()),
            1 => bail!("the integration {name} has a problem"),
            count => bail!("the integration {name} has {count} problems"),
        }
    }
}

fn print(tested: &pb::TestIntegrationResponse) -> anyhow::Result<()> {
    let integration = tested.integration.clone().unwrap_or_default();
    let mut table = Table::plain();
    table.field("Integration", &integration.name);
    table.field("Provider", provider_word(integration.provider()));
    table.field("URL", words::plain(&integration.url));
    table.field("Works", words::yes_or_no(tested.works));
    table.field("User", or_unknown(&tested.user));
    table.field("Scopes", or_unknown(&tested.scopes.join(", ")));
    table.field("Rate limit", rate_limit(tested.rate_limit.as_ref()));
    if let Some(found) = &tested.repository {
        table.field("Repository", words::plain(&found.url));
        table.field("Can read", words::yes_or_no(found.can_read));
        table.field("Can push", words::yes_or_no(found.can_push));
        table.field("Default branch", or_unknown(&found.default_branch));
    }
    for (name, value) in capabilities(tested.capabilities.unwrap_or_default()) {
        table.field(name, value);
    }
    for problem in &tested.problems {
        table.field("Problem", words::plain(&problem.message));
    }
    table.print()
}

fn capabilities(host: pb::HostCapabilities) -> [(&'static str, &'static str); 5] {
    [
        ("Pull requests", words::yes_or_no(host.pull_requests)),
        ("Auto-merge", words::yes_or_no(host.auto_merge)),
        ("Head pin", words::yes_or_no(host.head_pin)),
        ("Commit statuses", words::yes_or_no(host.commit_statuses)),
        ("Webhooks", words::yes_or_no(host.webhooks)),
    ]
}

fn rate_limit(limit: Option<&pb::RateLimit>) -> String {
    let Some(limit) = limit else {
        return "not stated by the host".to_owned();
    };
    let until = words::moment(limit.resets_at.as_ref());
    match (limit.remaining, limit.limit) {
        (Some(left), Some(all)) => format!("{left} of {all} requests left until {until}"),
        (Some(left), None) => format!("{left} requests left until {until}"),
        (None, _) => format!("no requests until {until}"),
    }
}

fn or_unknown(text: &str) -> String {
    if text.is_empty() {
        "not stated by the host".to_owned()
    } else {
        words::plain(text)
    }
}
