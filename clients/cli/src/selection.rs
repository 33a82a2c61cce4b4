//! Names that select: of runtimes, clusters, projects and kinds. In every command alike a name that does not exist is an error
//! with the nearest names, never an empty result.

use causeway_proto::inventory::v1 as pb;
use causeway_shell::suggest_names;
use tonic::{Code, Status};

use crate::{connection::Connection, failure::Absent, resource::kind::Kind, runtime};

/// Most values that one field is counted by.
const MOST_VALUES: u32 = 100;

/// Kinds with commands of their own, which are empty where the kind is not installed.
const HAVE_VERBS: [&str; 4] = [
    "applicationsets.argoproj.io",
    "appprojects.argoproj.io",
    "rollouts.argoproj.io",
    "workflows.argoproj.io",
];

/// The names that a command selects by. Patterns are left out, as they may match nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    runtimes: Vec<String>,
    clusters: Vec<String>,
    projects: Vec<String>,
    /// As it was typed; empty for none.
    kind: String,
}

/// Existing names of one field.
#[derive(Debug, Default)]
struct Known {
    names: Vec<String>,
    /// True if these are all.
    complete: bool,
}

impl From<&pb::ApplicationFilter> for Selection {
    fn from(filter: &pb::ApplicationFilter) -> Self {
        Self {
            runtimes: exact(&filter.runtime, &filter.runtimes),
            clusters: exact(&filter.cluster, &filter.clusters),
            projects: exact(&filter.project, &filter.projects),
            kind: String::new(),
        }
    }
}

impl From<&pb::ResourceFilter> for Selection {
    fn from(filter: &pb::ResourceFilter) -> Self {
        Self {
            runtimes: exact(&filter.runtime, &[]),
            clusters: exact(&filter.cluster, &[]),
            projects: Vec::new(),
            kind: filter.kind.clone(),
        }
    }
}

fn exact(one: &str, several: &[String]) -> Vec<String> {
    let all = several.iter().map(String::as_str).chain([one]);
    let exact = all.filter(|it| !it.is_empty() && !it.contains(['*', '?']));
    exact.map(str::to_owned).collect()
}

impl Selection {
    /// Selects a runtime, and a cluster of it.
    pub(crate) fn of_runtime(runtime: &str, cluster: &str) -> Self {
        Self {
            runtimes: exact(runtime, &[]),
            clusters: exact(cluster, &[]),
            ..Self::default()
        }
    }

    /// Checks the names of a selection that matched nothing.
    ///
    /// # Errors
    /// One of them does not exist; the exit code is 4.
    pub(crate) async fn check(&self, connection: &Connection) -> anyhow::Result<()> {
        if *self == Self::default() {
            return Ok(());
        }
        let (runtimes, runtimes_of_reporters) = known_runtimes(connection).await?;
        check_each("runtime", &self.runtimes, &runtimes)?;
        if !self.projects.is_empty() {
            let field = pb::ApplicationField::Project;
            check_each("project", &self.projects, &values(connection, field).await?)?;
        }
        if self.clusters.is_empty() && self.kind.is_empty() {
            return Ok(());
        }
        let of = match self.runtimes.as_slice() {
            [] => &runtimes_of_reporters,
            named => named,
        };
        let groups = reporter_groups(connection, of).await?;
        let clusters = Known {
            names: groups.iter().map(|it| it.cluster.clone()).collect(),
            complete: !groups.is_empty(),
        };
        check_each("cluster", &self.clusters, &clusters)?;
        Ok(check_kind(&self.kind, &groups)?)
    }
}

/// The visible runtimes, and those whose reporters can be read.
async fn known_runtimes(connection: &Connection) -> anyhow::Result<(Known, Vec<String>)> {
    match runtime::list::list_all(connection).await {
        Ok(response) => {
            let names: Vec<_> = response.runtimes.into_iter().map(|it| it.name).collect();
            let known = Known {
                names: names.clone(),
                complete: true,
            };
            Ok((known, names))
        }
        Err(status) if status.code() == Code::PermissionDenied => {
            let known = values(connection, pb::ApplicationField::Runtime).await?;
            let names = known.names.clone();
            Ok((known, names))
        }
        Err(status) => Err(status.into()),
    }
}

/// The values of a field of the visible applications.
async fn values(connection: &Connection, field: pb::ApplicationField) -> Result<Known, Status> {
    let request = pb::ListApplicationFacetsRequest {
        fields: vec![field.into()],
        most_values: MOST_VALUES,
        ..pb::ListApplicationFacetsRequest::default()
    };
    let mut client = connection.applications();
    let facets = match client.list_application_facets(request).await {
        Ok(response) => response.into_inner().facets,
        Err(status) if status.code() == Code::PermissionDenied => return Ok(Known::default()),
        Err(status) => return Err(status),
    };
    let Some(facet) = facets.into_iter().next() else {
        return Ok(Known::default());
    };
    Ok(Known {
        complete: facet.others == 0,
        names: facet.values.into_iter().map(|it| it.value).collect(),
    })
}

async fn reporter_groups(
    connection: &Connection,
    runtimes: &[String],
) -> Result<Vec<pb::ReporterGroup>, Status> {
    let mut all = Vec::new();
    for runtime in runtimes {
        match runtime::groups(connection, runtime).await {
            Ok(groups) => all.extend(groups),
            // Nothing ever reported, or the caller may not read it.
            Err(status) if matches!(status.code(), Code::NotFound | Code::PermissionDenied) => {}
            Err(status) => return Err(status),
        }
    }
    Ok(all)
}

fn check_each(what: &str, wanted: &[String], known: &Known) -> Result<(), Absent> {
    for name in wanted {
        if known.complete && !known.names.contains(name) {
            let names = known.names.iter().map(String::as_str);
            return Err(unknown(what, name, names, &format!("causeway {what} list")));
        }
    }
    Ok(())
}

/// Fails for a kind of which nothing is reported.
fn check_kind(typed: &str, groups: &[pb::ReporterGroup]) -> Result<(), Absent> {
    if typed.is_empty() || groups.is_empty() || HAVE_VERBS.contains(&typed) {
        return Ok(());
    }
    let kind = typed.parse::<Kind>();
    let is_reported = |group: &pb::ReporterGroup| {
        let reported = group.kind.parse::<Kind>();
        group.kind == typed || (kind.is_ok() && reported.is_ok_and(|it| is_same(&kind, &it)))
    };
    if groups.iter().any(is_reported) {
        return Ok(());
    }
    let kinds = groups.iter().filter_map(|it| it.kind.split('.').next());
    let near = suggest_names(typed, kinds);
    let meant = if near.is_empty() {
        String::new()
    } else {
        format!("did you mean {}? ", near.join(", "))
    };
    Err(Absent(format!(
        "no runtime reports the kind '{typed}'; {meant}'causeway resource live' shows objects of any kind"
    )))
}

/// True if a typed kind is a reported one, whose name is a plural where it is not a known kind.
fn is_same(typed: &Result<Kind, String>, reported: &Kind) -> bool {
    let Ok(typed) = typed else { return false };
    let same_group = typed.group.is_none() || typed.group == reported.group;
    let (typed, reported) = (
        typed.kind.to_ascii_lowercase(),
        reported.kind.to_ascii_lowercase(),
    );
    same_group && [typed.clone(), format!("{typed}s"), format!("{typed}es")].contains(&reported)
}

/// Error of an unknown name: the nearest names, or else the command that lists them.
pub(crate) fn unknown<'a>(
    what: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    list: &str,
) -> Absent {
    let advice = match suggest_names(name, known).as_slice() {
        [] => format!("see '{list}'"),
        names => format!("did you mean {}?", names.join(", ")),
    };
    Absent(format!("no {what} '{name}'; {advice}"))
}

#[cfg(test)]
mod tests;
