//! Selection of the applications that a command acts on.

use std::num::NonZeroUsize;

use causeway_assertion::glob_matches;
use causeway_proto::inventory::v1 as pb;

use crate::{
    app::find::{self, NameArgs},
    connection::Connection,
    failure::Absent,
    name::{FullName, stated},
    prompt::ConfirmArgs,
    selection::Selection,
};

/// Flags that select applications by names or by properties.
#[derive(clap::Args, Debug, Clone)]
#[command(group = clap::ArgGroup::new("which").required(true).multiple(true)
    .args(["names", "selector", "runtime", "namespace", "project", "cluster", "all"]))]
pub(crate) struct TargetArgs {
    /// One or more of NAME, NAMESPACE/NAME or RUNTIME/NAMESPACE/NAME
    #[arg(value_name = "NAME", value_parser = stated)]
    names: Vec<String>,
    /// Select by labels, for example 'team=payments,tier in (gold,iron)'
    #[arg(short = 'l', long, value_name = "SELECTOR", value_parser = stated, conflicts_with = "names")]
    selector: Option<String>,
    /// Select by runtime; '*' and '?' are wildcards
    #[arg(long, value_name = "PATTERN", value_parser = stated)]
    runtime: Option<String>,
    /// Select by namespace
    #[arg(short, long, value_name = "NAMESPACE", value_parser = stated)]
    namespace: Option<String>,
    /// Select by Argo CD project
    #[arg(short, long, value_name = "PROJECT", value_parser = stated, conflicts_with = "names")]
    project: Option<String>,
    /// Select by cluster, by its name in the runtime
    #[arg(long, value_name = "NAME", value_parser = stated, conflicts_with = "names")]
    cluster: Option<String>,
    /// Select all applications
    #[arg(long, conflicts_with = "names")]
    all: bool,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
    /// Number of parallel calls
    #[arg(long, value_name = "NUMBER", default_value = "16")]
    pub(super) parallel: NonZeroUsize,
}

impl TargetArgs {
    /// True if they are selected by properties.
    pub(super) fn is_selection(&self) -> bool {
        self.names.is_empty()
    }

    /// True if several applications may match.
    pub(crate) fn may_be_many(&self) -> bool {
        self.is_selection() || self.names.len() > 1
    }

    /// Returns the full name if exactly one was passed.
    pub(crate) fn full_name(&self) -> Option<FullName> {
        let [name] = self.names.as_slice() else {
            return None;
        };
        let (runtime, namespace) = (self.runtime.as_deref(), self.namespace.as_deref());
        let name = FullName::read(name, runtime, namespace).ok()?;
        (!name.runtime.is_empty() && !name.namespace.is_empty()).then_some(name)
    }

    /// Finds each application once, in the basic view.
    ///
    /// # Errors
    /// A name is not that of one application.
    pub(crate) async fn find(
        &self,
        connection: &Connection,
    ) -> anyhow::Result<Vec<pb::Application>> {
        let (found, absent) = self.find_existing(connection).await?;
        match absent.into_iter().next() {
            Some(absent) => Err(absent.into()),
            None => Ok(found),
        }
    }

    /// Finds each existing application once, in the basic view, and the errors of unknown names.
    ///
    /// # Errors
    /// A name is that of several applications.
    pub(crate) async fn find_existing(
        &self,
        connection: &Connection,
    ) -> anyhow::Result<(Vec<pb::Application>, Vec<Absent>)> {
        if self.is_selection() {
            let found = find::list_all(connection, self.filter()).await?;
            let found = found.into_iter().filter(|it| self.matches_runtime(it));
            let found: Vec<_> = found.collect();
            if found.is_empty() {
                Selection::from(&self.filter()).check(connection).await?;
            }
            return Ok((found, Vec::new()));
        }
        let (mut found, mut absent): (Vec<pb::Application>, _) = (Vec::new(), Vec::new());
        for name in &self.names {
            let name = NameArgs {
                name: name.clone(),
                runtime: self.runtime.clone(),
                namespace: self.namespace.clone(),
            };
            let target = match find::resolve(connection, &name).await {
                Ok(target) => target,
                Err(error) => {
                    absent.push(error.downcast::<Absent>()?);
                    continue;
                }
            };
            if !found
                .iter()
                .any(|it| it.uid == target.uid && it.runtime == target.runtime)
            {
                found.push(target);
            }
        }
        Ok((found, absent))
    }

    fn filter(&self) -> pb::ApplicationFilter {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let exact = self.runtime.clone().filter(|it| !is_pattern(it));
        pb::ApplicationFilter {
            runtime: exact.unwrap_or_default(),
            cluster: text(&self.cluster),
            namespace: text(&self.namespace),
            project: text(&self.project),
            label_selector: text(&self.selector),
            ..pb::ApplicationFilter::default()
        }
    }

    fn matches_runtime(&self, application: &pb::Application) -> bool {
        let pattern = self.runtime.as_deref().filter(|it| is_pattern(it));
        pattern.is_none_or(|pattern| glob_matches(pattern, &application.runtime))
    }
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

#[cfg(test)]
mod tests;
