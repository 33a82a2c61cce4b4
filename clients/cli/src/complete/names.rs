//! The names that there are.

use std::{collections::BTreeMap, time::Duration};

use anyhow::Context as _;
use causeway_proto::{inventory::v1 as pb, platform::v1 as platform};
use causeway_shell::OtlpArgs;
use clap::{Args as _, Command, FromArgMatches as _};

use super::{access, pods};
use crate::{
    connection::Connection,
    context::{ContextArgs, Entry},
    explain,
    run::SERVICE,
    words,
};

/// How long a person who types waits.
const DEADLINE: Duration = Duration::from_secs(1);
/// Maximum number of suggested names.
pub(super) const MOST: u32 = 500;

/// A name, and what to say beside it.
pub(super) type Candidate = (String, Option<String>);

/// Kind of names to complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameQuery {
    Contexts,
    Words,
    Applications,
    Runtimes,
    /// Of this kind.
    Resources(&'static str),
    Projects,
    Namespaces,
    Clusters,
    Users,
    Roles,
    ApiKeys,
    ServiceAccounts,
    Sessions,
    Providers,
    /// Of what is typed.
    Pods,
    /// The same.
    Containers,
}

/// Names of which some begin with what is typed.
///
/// # Errors
/// The platform is not known, does not answer in time or does not allow it.
pub(super) fn candidates(ask: NameQuery, current: &str) -> anyhow::Result<Vec<Candidate>> {
    match ask {
        NameQuery::Contexts => Ok(alone(context()?.names()?)),
        NameQuery::Words => Ok(explain::all()
            .map(|it| (it.word.to_owned(), Some(it.kind.to_owned())))
            .collect()),
        NameQuery::Applications
        | NameQuery::Runtimes
        | NameQuery::Resources(_)
        | NameQuery::Projects
        | NameQuery::Namespaces
        | NameQuery::Clusters
        | NameQuery::Users
        | NameQuery::Roles
        | NameQuery::ApiKeys
        | NameQuery::ServiceAccounts
        | NameQuery::Sessions
        | NameQuery::Providers
        | NameQuery::Pods
        | NameQuery::Containers => from_platform(&context()?.resolve()?, ask, current),
    }
}

/// Names that a platform knows.
///
/// # Errors
/// It does not answer in time or does not allow it.
pub(super) fn from_platform(
    entry: &Entry,
    ask: NameQuery,
    current: &str,
) -> anyhow::Result<Vec<Candidate>> {
    let work = async {
        let connection = Connection::open(entry)?;
        let asked = tokio::time::timeout(DEADLINE, asked(&connection, ask, current));
        asked.await.context("no answer in time")?
    };
    causeway_shell::run_command(SERVICE, "complete", &OtlpArgs::default(), work)
}

/// Which platform the flags that are typed already, or else the environment, name.
fn context() -> anyhow::Result<ContextArgs> {
    read(typed())
}

/// The command line as far as it is typed, with the word that is being typed.
pub(super) fn typed() -> Vec<String> {
    let typed = std::env::args().skip_while(|word| word != "--").skip(1);
    typed.collect()
}

pub(super) fn read(typed: Vec<String>) -> anyhow::Result<ContextArgs> {
    let command = ContextArgs::augment_args(Command::new("causeway"));
    let mut words = vec!["causeway".to_owned()];
    let mut typed = typed.into_iter().peekable();
    while let Some(word) = typed.next() {
        let name = word.split('=').next().unwrap_or_default();
        let known = command.get_arguments().any(|argument| {
            let longs = argument.get_long_and_visible_aliases().unwrap_or_default();
            longs.iter().any(|long| name == format!("--{long}"))
        });
        match (known, word.contains('='), typed.peek()) {
            (true, true, _) => words.push(word),
            // A flag whose value is being typed names nothing yet.
            (true, false, Some(value)) if !value.is_empty() => {
                words.push(format!("{word}={value}"));
            }
            _ => {}
        }
    }
    Ok(ContextArgs::from_arg_matches(
        &command.try_get_matches_from(words)?,
    )?)
}

async fn asked(
    connection: &Connection,
    ask: NameQuery,
    current: &str,
) -> anyhow::Result<Vec<Candidate>> {
    match ask {
        NameQuery::Applications => applications(connection, current).await,
        NameQuery::Runtimes => match runtimes(connection).await {
            Ok(runtimes) => Ok(runtimes),
            // Who may not see runtimes may see what is in them.
            Err(_) => values(connection, pb::ApplicationField::Runtime).await,
        },
        NameQuery::Resources(kind) => resources(connection, kind, current).await,
        NameQuery::Projects => values(connection, pb::ApplicationField::Project).await,
        NameQuery::Namespaces => values(connection, pb::ApplicationField::Namespace).await,
        NameQuery::Clusters => values(connection, pb::ApplicationField::Cluster).await,
        NameQuery::Users => access::users(connection).await,
        NameQuery::Roles => access::roles(connection).await,
        NameQuery::ApiKeys => access::api_keys(connection).await,
        NameQuery::ServiceAccounts => access::service_accounts(connection).await,
        NameQuery::Sessions => access::sessions(connection).await,
        NameQuery::Providers => access::providers(connection).await,
        NameQuery::Pods => pods::names(connection, &typed()).await,
        NameQuery::Containers => pods::containers(connection, &typed()).await,
        NameQuery::Contexts | NameQuery::Words => Ok(Vec::new()),
    }
}

fn alone(names: Vec<String>) -> Vec<Candidate> {
    names.into_iter().map(|name| (name, None)).collect()
}

async fn applications(connection: &Connection, current: &str) -> anyhow::Result<Vec<Candidate>> {
    let name = current.rsplit('/').next().unwrap_or_default();
    let request = pb::ListApplicationsRequest {
        filter: Some(pb::ApplicationFilter {
            text: name.replace(['*', '?'], ""),
            ..pb::ApplicationFilter::default()
        }),
        page_size: MOST,
        ..pb::ListApplicationsRequest::default()
    };
    let response = connection.applications().list_applications(request).await?;
    let found = response.into_inner().applications.into_iter().map(|it| {
        let status = it.status.as_ref();
        let state = format!("{} {}", words::sync(status), words::health(status));
        ([it.runtime, it.namespace, it.name], state)
    });
    Ok(named(found.collect(), current))
}

async fn resources(
    connection: &Connection,
    kind: &str,
    current: &str,
) -> anyhow::Result<Vec<Candidate>> {
    let request = pb::ListResourcesRequest {
        filter: Some(pb::ResourceFilter {
            kind: kind.to_owned(),
            ..pb::ResourceFilter::default()
        }),
        page_size: MOST,
        ..pb::ListResourcesRequest::default()
    };
    let response = connection.resources().list_resources(request).await?;
    let found = response.into_inner().resources.into_iter().map(|it| {
        let health = it.health.as_ref();
        let state = health.map_or("", |health| words::health_status(health.status()));
        ([it.runtime, it.namespace, it.name], state.to_owned())
    });
    Ok(named(found.collect(), current))
}

/// Objects by as much of their names as is typed: by the name alone where no other has it, as long as no slash is typed.
pub(super) fn named(found: Vec<([String; 3], String)>, current: &str) -> Vec<Candidate> {
    let mut count = BTreeMap::<String, usize>::new();
    for ([_, _, name], _) in &found {
        *count.entry(name.clone()).or_default() += 1;
    }
    let slashes = current.matches('/').count();
    let forms = found
        .into_iter()
        .flat_map(|([runtime, namespace, name], state)| {
            let short = format!("{namespace}/{name}");
            let whole = format!("{runtime}/{short}");
            let forms = match (slashes, count.get(&name)) {
                (0, Some(1)) => vec![name],
                (1, _) if short.starts_with(current) => vec![short],
                _ => vec![whole],
            };
            forms
                .into_iter()
                .map(move |form| (form, Some(state.clone())))
        });
    forms.collect()
}

async fn runtimes(connection: &Connection) -> anyhow::Result<Vec<Candidate>> {
    let request = platform::ListRuntimesRequest {
        page_size: MOST,
        page_token: String::new(),
    };
    let response = connection.runtimes().list_runtimes(request).await?;
    let runtimes = response.into_inner().runtimes.into_iter();
    Ok(alone(runtimes.map(|runtime| runtime.name).collect()))
}

/// The values that most applications have.
async fn values(
    connection: &Connection,
    field: pb::ApplicationField,
) -> anyhow::Result<Vec<Candidate>> {
    let request = pb::ListApplicationFacetsRequest {
        filter: None,
        fields: vec![field.into()],
        most_values: 100,
        ..Default::default()
    };
    let mut client = connection.applications();
    let facets = client.list_application_facets(request).await?.into_inner();
    let values = facets.facets.into_iter().flat_map(|facet| facet.values);
    let values = values.map(|it| (it.value, Some(format!("{} applications", it.count))));
    Ok(values.collect())
}
