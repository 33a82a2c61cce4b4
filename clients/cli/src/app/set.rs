//! `causeway app set`: what a live application is rendered with.

mod commit;

use causeway_proto::{inventory::v1 as pb, proxy::v1 as proxy};
use tokio::time::Instant;

use super::{
    bulk::{self, CallText, Confirmation, RequestIdArgs, TargetArgs},
    find, revision,
    sync::choice::KeyValue,
};
use crate::{
    connection::Connection,
    output::{self, Format},
};

const CALL_TEXT: CallText = CallText {
    one: "it is set",
    many: "are set",
    dry_run: false,
};

const DRY_RUN_TEXT: CallText = CallText {
    one: "nothing is changed",
    many: "are tried and nothing is changed",
    dry_run: true,
};

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct SetArgs {
    #[command(flatten)]
    targets: TargetArgs,
    #[command(flatten)]
    source: SourceArgs,
    /// Change it even if Git manages the application and overwrites it
    #[arg(long)]
    force: bool,
    /// Show which fields would change without changing them; with --commit, the difference
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    commit: commit::CommitArgs,
    #[command(flatten)]
    ids: RequestIdArgs,
}

/// Source parameters to change.
#[derive(clap::Args, Debug, Clone)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true).args([
    "revision", "helm_set", "helm_set_string", "helm_unset", "values", "kustomize_image",
    "kustomize_unset_image", "directory_recurse", "directory_include", "directory_exclude",
    "sync_policy", "auto_prune", "self_heal",
]))]
struct SourceArgs {
    /// Source to change; sources are numbered from 1
    #[arg(
        long,
        value_name = "NUMBER",
        default_value = "0",
        hide_default_value = true
    )]
    source_position: u32,
    /// Set the target revision
    #[arg(long, value_name = "REVISION")]
    revision: Option<String>,
    /// Set a Helm parameter
    #[arg(long, visible_alias = "parameter", value_name = "NAME=VALUE")]
    helm_set: Vec<KeyValue>,
    /// Set a Helm parameter as a string
    #[arg(long, value_name = "NAME=VALUE")]
    helm_set_string: Vec<KeyValue>,
    /// Remove a Helm parameter
    #[arg(long, value_name = "NAME")]
    helm_unset: Vec<String>,
    /// Replace the Helm value files
    #[arg(long, value_name = "FILE")]
    values: Vec<String>,
    /// Set a Kustomize image
    #[arg(long, value_name = "[OLD=]IMAGE[:TAG][@DIGEST]")]
    kustomize_image: Vec<String>,
    /// Remove a Kustomize image
    #[arg(long, value_name = "NAME")]
    kustomize_unset_image: Vec<String>,
    /// Read directories recursively
    #[arg(long, value_name = "WHETHER", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    directory_recurse: Option<bool>,
    /// Glob of files to include; empty includes all
    #[arg(long, value_name = "GLOB")]
    directory_include: Option<String>,
    /// Glob of files to exclude; empty excludes none
    #[arg(long, value_name = "GLOB")]
    directory_exclude: Option<String>,
    /// Set whether new commits are synced automatically
    #[arg(long, value_enum, value_name = "POLICY")]
    sync_policy: Option<SyncPolicy>,
    /// Delete resources that were removed from Git; with automated sync
    #[arg(long, value_name = "WHETHER", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    auto_prune: Option<bool>,
    /// Revert changes in the cluster; with automated sync
    #[arg(long, value_name = "WHETHER", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    self_heal: Option<bool>,
}

#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum SyncPolicy {
    /// Users start syncs
    #[value(alias = "manual")]
    None,
    /// New commits are synced
    #[value(alias = "auto", alias = "automatic")]
    Automated,
}

impl From<SyncPolicy> for proxy::AutomatedSync {
    fn from(policy: SyncPolicy) -> Self {
        match policy {
            SyncPolicy::None => Self::Disabled,
            SyncPolicy::Automated => Self::Enabled,
        }
    }
}

pub(super) async fn run(
    connection: &Connection,
    args: &SetArgs,
    format: Format,
) -> anyhow::Result<()> {
    if args.commit.commit {
        return commit::run(connection, args, format).await;
    }
    let what = "Change";
    let question = Confirmation::unless_dry_run(args.dry_run);
    let targets = bulk::confirm_targets(connection, &args.targets, what, question).await?;
    if let Some(revision) = &args.source.revision {
        revision::check_all(connection, &targets, revision).await?;
    }
    let began = Instant::now();
    let responses = bulk::call_each(targets, &args.targets, args.ids, async |target, id| {
        let request = args.request(target, id);
        connection.actions().set_application_source(request).await
    });
    let responses = responses.await?;
    let (verb, text) = if args.dry_run {
        ("would change", DRY_RUN_TEXT)
    } else {
        ("changed", CALL_TEXT)
    };
    for (target, response) in &responses {
        let Ok(response) = response else { continue };
        if format == Format::Table {
            let name = find::full_name(target);
            let fields = response.changed_fields.iter();
            fields.for_each(|field| output::note(format!("{name}: {verb} {field}")));
        }
    }
    bulk::print_responses(text, responses, began, format)
}

impl SourceArgs {
    /// Names of what is set.
    fn names(&self) -> Vec<&str> {
        let parameters = self.helm_set.iter().chain(&self.helm_set_string);
        let parameters = parameters.map(KeyValue::name);
        let texts = [
            &self.helm_unset,
            &self.kustomize_image,
            &self.kustomize_unset_image,
        ];
        let texts = texts.into_iter().flatten().map(String::as_str);
        let flags = [
            (self.revision.is_some(), "the revision"),
            (!self.values.is_empty(), "the value files"),
            (self.directory_recurse.is_some(), "recursion"),
            (self.directory_include.is_some(), "included files"),
            (self.directory_exclude.is_some(), "excluded files"),
            (self.sync_policy.is_some(), "automated sync"),
            (self.auto_prune.is_some(), "pruning"),
            (self.self_heal.is_some(), "self-healing"),
        ];
        let flags = flags.into_iter().filter(|(is_set, _)| *is_set);
        let flags = flags.map(|(_, name)| name);
        parameters.chain(texts).chain(flags).collect()
    }
}

impl SetArgs {
    fn request(
        &self,
        target: &pb::Application,
        request_id: String,
    ) -> proxy::SetApplicationSourceRequest {
        let source = &self.source;
        let parameter = |force_string| {
            move |parameter: &KeyValue| proxy::HelmParameter {
                name: parameter.name().to_owned(),
                value: parameter.value().to_owned(),
                force_string,
            }
        };
        let plain = source.helm_set.iter().map(parameter(false));
        let texts = source.helm_set_string.iter().map(parameter(true));
        proxy::SetApplicationSourceRequest {
            runtime: target.runtime.clone(),
            namespace: target.namespace.clone(),
            name: target.name.clone(),
            request_id,
            source_position: source.source_position,
            target_revision: source.revision.clone().unwrap_or_default(),
            helm_parameters: plain.chain(texts).collect(),
            removed_helm_parameters: source.helm_unset.clone(),
            helm_value_files: source.values.clone(),
            kustomize_images: source.kustomize_image.clone(),
            removed_kustomize_images: source.kustomize_unset_image.clone(),
            directory_recurse: source.directory_recurse,
            directory_include: source.directory_include.clone(),
            directory_exclude: source.directory_exclude.clone(),
            force: self.force,
            dry_run: self.dry_run,
            automated_sync: source
                .sync_policy
                .map_or(proxy::AutomatedSync::Unspecified, Into::into)
                .into(),
            auto_prune: source.auto_prune,
            self_heal: source.self_heal,
        }
    }
}
