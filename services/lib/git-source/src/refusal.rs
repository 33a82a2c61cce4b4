//! Why a source is refused: a reason for programs, a sentence and the fix for users.

/// An escape or a mistake. The text is a sentence with the fix behind a semicolon.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the spec cannot be read: {cause}; correct this field")]
    SpecMalformed { cause: String },
    #[error("{field} is empty; set it")]
    FieldMissing { field: &'static str },
    #[error("the name has {length} characters; create the source with a name of at most {most}")]
    NameTooLong { length: usize, most: usize },
    #[error("{field} has {number} entries; list at most {most}")]
    TooManyEntries {
        field: &'static str,
        number: usize,
        most: usize,
    },
    #[error("source.repoURL is no URL of one repository; write it without patterns and spaces")]
    RepositoryInvalid,
    #[error(
        "source.path {path:?} leaves the repository; write a path from its root, without '..' and backslashes"
    )]
    PathEscapes { path: String },
    #[error(
        "sourceNamespace {namespace:?} is no name of a namespace; use a-z, 0-9 and '-', at most 63"
    )]
    SourceNamespaceInvalid { namespace: String },
    #[error(
        "sourceNamespace {namespace} is the namespace of Argo CD, whose Applications may use every project; choose another namespace"
    )]
    SourceNamespaceReserved { namespace: String },
    #[error(
        "destinations[{index}] must name its cluster in one way; set either server or name, not both"
    )]
    DestinationAmbiguous { index: usize },
    #[error(
        "destinations[{index}] includes {namespace}, the namespace of Argo CD, so Applications could deploy projects and cluster Secrets; name the namespaces, or use a pattern that excludes it"
    )]
    DestinationReachesArgocd { index: usize, namespace: String },
    #[error(
        "{field} has {value:?}, which is negated, too long or has spaces; write patterns of what is allowed"
    )]
    PatternInvalid { field: &'static str, value: String },
    #[error(
        "namespace {namespace} belongs to the source {owner}; choose another sourceNamespace, or delete that source"
    )]
    NamespaceClaimed { namespace: String, owner: String },
    #[error(
        "AppProject {project} accepts Applications of {namespace} by the pattern {pattern:?}, so the source could use that project; remove the pattern from its sourceNamespaces"
    )]
    NamespaceOpenToProject {
        namespace: String,
        project: String,
        pattern: String,
    },
    #[error(
        "AppProject {project} exists and was not created for this source; delete it, or rename the source"
    )]
    ProjectNotOwned { project: String },
    #[error(
        "Application {application} exists and was not created for this source; delete it, or rename the source"
    )]
    ApplicationNotOwned { application: String },
    #[error(
        "sourceNamespace changed from {from} to {to} while {number} Applications exist in {from}; set it back, or delete the source and create it again"
    )]
    RenamedWhileInUse {
        from: String,
        to: String,
        number: usize,
    },
    #[error(
        "the repository has {kind} {name} for namespace {namespace}; remove metadata.namespace, or set it to {expected}"
    )]
    ApplicationOutsideNamespace {
        kind: String,
        name: String,
        namespace: String,
        expected: String,
    },
    #[error("{kind} {name} uses the project default; set its project to {expected}")]
    ProjectDefault {
        kind: String,
        name: String,
        expected: String,
    },
    #[error("{kind} {name} has a template as its project; set its project to {expected}")]
    ProjectTemplated {
        kind: String,
        name: String,
        expected: String,
    },
    #[error("{kind} {name} has a pattern as its project; set its project to {expected}")]
    ProjectPattern {
        kind: String,
        name: String,
        expected: String,
    },
    #[error("{kind} {name} uses the project {project}; set its project to {expected}")]
    ProjectForeign {
        kind: String,
        name: String,
        project: String,
        expected: String,
    },
    #[error(
        "ApplicationSet {name} has a templatePatch that sets the project; remove project from it"
    )]
    TemplatePatchSetsProject { name: String },
    #[error(
        "the repository has the RestrictedGitSource {name}; remove it, only admins create sources"
    )]
    ContainsGitSource { name: String },
    #[error(
        "the repository has the Secret {name}, which could be a cluster or a credential of Argo CD; remove it"
    )]
    ContainsSecret { name: String },
    #[error("the repository has the Namespace {name}; remove it, or name it {expected}")]
    ContainsNamespace { name: String, expected: String },
    #[error(
        "the repository has {kind} {name}; keep only Applications and ApplicationSets in the folder"
    )]
    KindNotAllowed { kind: String, name: String },
    #[error("the folder has a symbolic link out of the repository; replace it by a file")]
    SymlinkEscapes,
}

impl Refusal {
    /// The reason of the condition.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Self::SpecMalformed { .. } => "SpecMalformed",
            Self::FieldMissing { .. } => "FieldMissing",
            Self::NameTooLong { .. } => "NameTooLong",
            Self::TooManyEntries { .. } => "TooManyEntries",
            Self::RepositoryInvalid => "RepositoryInvalid",
            Self::PathEscapes { .. } => "PathEscapes",
            Self::SourceNamespaceInvalid { .. } => "SourceNamespaceInvalid",
            Self::SourceNamespaceReserved { .. } => "SourceNamespaceReserved",
            Self::DestinationAmbiguous { .. } => "DestinationAmbiguous",
            Self::DestinationReachesArgocd { .. } => "DestinationReachesArgocd",
            Self::PatternInvalid { .. } => "PatternInvalid",
            Self::NamespaceClaimed { .. } => "NamespaceClaimed",
            Self::NamespaceOpenToProject { .. } => "NamespaceOpenToProject",
            Self::ProjectNotOwned { .. } => "ProjectNotOwned",
            Self::ApplicationNotOwned { .. } => "ApplicationNotOwned",
            Self::RenamedWhileInUse { .. } => "RenamedWhileInUse",
            Self::ApplicationOutsideNamespace { .. } => "ApplicationOutsideNamespace",
            Self::ProjectDefault { .. } => "ProjectDefault",
            Self::ProjectTemplated { .. } => "ProjectTemplated",
            Self::ProjectPattern { .. } => "ProjectPattern",
            Self::ProjectForeign { .. } => "ProjectForeign",
            Self::TemplatePatchSetsProject { .. } => "TemplatePatchSetsProject",
            Self::ContainsGitSource { .. } => "ContainsGitSource",
            Self::ContainsSecret { .. } => "ContainsSecret",
            Self::ContainsNamespace { .. } => "ContainsNamespace",
            Self::KindNotAllowed { .. } => "KindNotAllowed",
            Self::SymlinkEscapes => "SymlinkEscapes",
        }
    }
}
