//! Between the contract of Git and the domain.

pub(crate) mod pull_request;

use causeway_argocd::redact::Redactor;
use causeway_assertion::Sealed;
use causeway_git::{
    Commit, Credential, ExpectedFile, FileEdit, Preview, RepositoryPath, Secret, SigningKey,
};
use causeway_git_provider::{AutoMerge, BudgetState, Capabilities, HeadPin, Support};
use causeway_patch::{
    DocumentSelector, Edit, Format, ImageReference, KustomizeImage, Operation, Path, Value,
};
use causeway_proto::{git::v1 as pb, ids::RequestId, time::millis_to_timestamp};
use prost::Message as _;
use serde::de::IgnoredAny;

use super::{FieldError, read_set_source};
use crate::{
    git::{
        ApiToken, CommitOrder, Integration, IntegrationTest, NewIntegration, OpenCredential,
        PlanOrder, PlannedChange, PlannedEdit, ProblemKind, Provider, RepositoryError,
        SealedSecret, Target, TokenKind,
    },
    outcome::Attempt,
    scope::Requester,
};

const LONGEST_URL: usize = 1024;
const LONGEST_CIPHERTEXT: usize = 32 << 10;
const LONGEST_CONTENT: usize = 1 << 20;
const LONGEST_VALUE: usize = 64 << 10;
const MOST_EDITS: usize = 200;
/// Stands for a file that must not be there.
const ABSENT: &str = "absent";

/// The number of a provider in the contract, which sealed credentials are bound to.
pub(crate) fn provider_number(provider: Provider) -> i32 {
    to_provider(provider) as i32
}

fn to_provider(provider: Provider) -> pb::Provider {
    match provider {
        Provider::Git => pb::Provider::Git,
        Provider::Github => pb::Provider::Github,
        Provider::Gitlab => pb::Provider::Gitlab,
        Provider::BitbucketCloud => pb::Provider::BitbucketCloud,
        Provider::BitbucketDataCenter => pb::Provider::BitbucketDataCenter,
        Provider::AzureDevops => pb::Provider::AzureDevops,
        Provider::Gitea => pb::Provider::Gitea,
    }
}

fn read_provider(number: i32) -> Result<Provider, FieldError> {
    let mut all = Provider::ALL.into_iter();
    let found = all.find(|provider| provider_number(*provider) == number);
    found.ok_or(FieldError::Choice {
        field: "provider",
        value: number,
        choices: "PROVIDER_GIT, PROVIDER_GITHUB, PROVIDER_GITLAB, PROVIDER_BITBUCKET_CLOUD, PROVIDER_BITBUCKET_DATA_CENTER, PROVIDER_AZURE_DEVOPS or PROVIDER_GITEA",
    })
}

/// Decodes an opened credential.
pub(crate) fn read_credential(bytes: &[u8]) -> Result<OpenCredential, RepositoryError> {
    let read = pb::Credential::decode(bytes).map_err(|_| RepositoryError::Credential)?;
    let credential = match read.secret.ok_or(RepositoryError::Credential)? {
        pb::credential::Secret::Password(password) => Credential::Basic {
            user: read.user,
            password: Secret::new(&password),
        },
        pb::credential::Secret::SshKey(key) => Credential::Ssh {
            private_key: Secret::new(&key.private_key),
            known_hosts: key.known_hosts,
        },
    };
    let signing_key = given(read.signing_key).map(|key| SigningKey::parse(&key));
    Ok(OpenCredential {
        credential,
        signing_key: signing_key.transpose()?,
    })
}

/// Decodes an opened credential for the API of its host; none if it is an SSH key.
pub(crate) fn read_token(bytes: &[u8]) -> Result<Option<ApiToken>, RepositoryError> {
    let credential = pb::Credential::decode(bytes).map_err(|_| RepositoryError::Credential)?;
    match credential.secret.ok_or(RepositoryError::Credential)? {
        pb::credential::Secret::SshKey(_) => Ok(None),
        pb::credential::Secret::Password(password) => {
            let is_jwt = password.starts_with("eyJ") && password.matches('.').count() == 2;
            Ok(Some(ApiToken {
                user: credential.user,
                token: causeway_git_provider::Secret::new(&password),
                kind: if is_jwt {
                    TokenKind::Jwt
                } else {
                    TokenKind::Opaque
                },
            }))
        }
    }
}

pub(crate) fn read_create(
    request: pb::CreateIntegrationRequest,
) -> Result<NewIntegration, RepositoryError> {
    let sealed = request.credential.unwrap_or_default();
    if sealed.ciphertext.len() > LONGEST_CIPHERTEXT {
        return Err(RepositoryError::Sealed);
    }
    let url = request.url.trim_end_matches('/').to_owned();
    if url.is_empty() || url.len() > LONGEST_URL {
        return Err(rule("url", "must have 1 to 1,024 characters").into());
    }
    Ok(NewIntegration {
        name: request.name.parse()?,
        provider: read_provider(request.provider)?,
        url,
        credential: SealedSecret(Sealed {
            encapsulated_key: sealed.encapsulated_key.into(),
            ciphertext: sealed.ciphertext.into(),
        }),
    })
}

pub(crate) fn read_commit(
    request: pb::CommitChangeRequest,
) -> Result<CommitOrder, RepositoryError> {
    Ok(CommitOrder {
        request_id: request.request_id.parse().map_err(FieldError::RequestId)?,
        target: Target {
            integration: request.integration.parse()?,
            repository: request.repository,
            branch: request.branch,
        },
        message: request.message,
        edits: read_edits(request.edits)?,
    })
}

pub(crate) fn read_preview(
    request: pb::PreviewChangeRequest,
) -> Result<(Target, Vec<FileEdit>), RepositoryError> {
    let target = Target {
        integration: request.integration.parse()?,
        repository: request.repository,
        branch: request.branch,
    };
    Ok((target, read_edits(request.edits)?))
}

pub(crate) fn read_plan(
    request: pb::PlanSourceChangeRequest,
    requester: &Requester,
) -> Result<PlanOrder, RepositoryError> {
    let mut change = request.change.unwrap_or_default();
    // It is no request of its own: what is committed later has its own id.
    change.request_id = RequestId::generate().to_string();
    (change.namespace, change.name) = (request.namespace, request.name);
    let (application, source) = read_set_source(change, requester)?;
    let file = given(request.file).map(|it| RepositoryPath::parse(&it));
    Ok(PlanOrder {
        application,
        source,
        integration: given(request.integration)
            .map(|it| it.parse())
            .transpose()?,
        file: file.transpose()?,
        branch: given(request.branch),
    })
}

pub(crate) fn to_plan_response(
    planned: Vec<PlannedChange>,
    redactor: &Redactor,
) -> pb::PlanSourceChangeResponse {
    let changes = planned.into_iter().map(|change| {
        let shown = to_preview_response(change.preview);
        let edits = change.edits.into_iter();
        pb::PlannedChange {
            integration: change.target.integration.to_string(),
            repository: change.target.repository,
            branch: change.target.branch,
            base: shown.base,
            edits: edits.map(|edit| to_edit(edit, redactor)).collect(),
            files: shown.files,
        }
    });
    let changes = changes.collect();
    pb::PlanSourceChangeResponse { changes }
}

fn to_edit(edit: PlannedEdit, redactor: &Redactor) -> pb::FileEdit {
    use pb::file_edit::Edit as Of;
    let (path, document, edit) = match edit {
        PlannedEdit::Value {
            path,
            document,
            at,
            operation,
            expected,
        } => {
            let expected = shown_expected(&at, &expected, redactor);
            let at = at.to_string();
            let edit = match operation {
                Operation::Set(value) => Of::SetValue(pb::SetValue {
                    at,
                    value: value.to_string(),
                    expected,
                }),
                Operation::Append(value) => Of::AppendItem(pb::AppendItem {
                    at,
                    value: value.to_string(),
                }),
                Operation::Remove => Of::RemoveValue(pb::RemoveValue { at, expected }),
            };
            let document = match document {
                DocumentSelector::Only => String::new(),
                other @ (DocumentSelector::Index(_) | DocumentSelector::Object { .. }) => {
                    other.to_string()
                }
            };
            (path, document, edit)
        }
        PlannedEdit::Image { path, image } => {
            let edit = Of::SetKustomizeImage(pb::SetKustomizeImage {
                name: image.name,
                new_name: image.new_name.unwrap_or_default(),
                new_tag: image.new_tag.unwrap_or_default(),
                digest: image.digest.unwrap_or_default(),
                expected: String::new(),
            });
            (path, String::new(), edit)
        }
    };
    pb::FileEdit {
        path: path.to_string(),
        document,
        edit: Some(edit),
    }
}

/// The present value; empty where it may be a secret, so that the edit holds for any.
fn shown_expected(at: &Path, expected: &Value, redactor: &Redactor) -> String {
    let line = format!("{at}: {expected}");
    if redactor.text(&line) == line {
        expected.to_string()
    } else {
        String::new()
    }
}

fn read_edits(edits: Vec<pb::FileEdit>) -> Result<Vec<FileEdit>, RepositoryError> {
    if edits.len() > MOST_EDITS {
        let (field, number, most) = ("edits", edits.len(), MOST_EDITS);
        return Err(FieldError::Many {
            field,
            number,
            most,
        }
        .into());
    }
    edits.into_iter().map(read_edit).collect()
}

fn read_edit(edit: pb::FileEdit) -> Result<FileEdit, RepositoryError> {
    use pb::file_edit::Edit as Of;
    let path = RepositoryPath::parse(&edit.path)?;
    let document = read_document(&edit.document);
    match edit
        .edit
        .ok_or_else(|| rule("edits", "must each say what is changed"))?
    {
        Of::SetValue(set) => {
            let operation = Operation::Set(read_value("set_value.value", &set.value)?);
            values(path, document, &set.at, operation, &set.expected)
        }
        Of::RemoveValue(remove) => values(
            path,
            document,
            &remove.at,
            Operation::Remove,
            &remove.expected,
        ),
        Of::AppendItem(item) => {
            let operation = Operation::Append(read_value("append_item.value", &item.value)?);
            values(path, document, &item.at, operation, "")
        }
        Of::SetImage(set) => Ok(FileEdit::Image {
            path,
            document,
            at: Path::parse(&set.at)?,
            image: ImageReference::parse(&set.image)?,
            expected: given(set.expected)
                .map(|it| ImageReference::parse(&it))
                .transpose()?,
        }),
        Of::SetKustomizeImage(set) => Ok(FileEdit::KustomizeImage {
            path,
            image: KustomizeImage {
                name: set.name,
                new_name: given(set.new_name),
                new_tag: given(set.new_tag),
                digest: given(set.digest),
            },
            expected: given(set.expected),
        }),
        Of::SetChartDependency(set) => Ok(FileEdit::ChartDependency {
            path,
            name: set.name,
            version: set.version,
            expected: given(set.expected),
        }),
        Of::WriteFile(write) if write.content.len() > LONGEST_CONTENT => {
            Err(rule("write_file.content", "must have at most 1 MiB").into())
        }
        Of::WriteFile(write) => Ok(FileEdit::Write {
            path,
            content: write.content.into(),
            expected: read_expected(write.expected),
        }),
        Of::CopyPath(copy) => Ok(FileEdit::Copy {
            from: RepositoryPath::parse(&copy.from)?,
            to: path,
        }),
        Of::DeletePath(delete) => Ok(FileEdit::Delete {
            path,
            expected: read_expected(delete.expected),
        }),
    }
}

fn values(
    path: RepositoryPath,
    document: DocumentSelector,
    at: &str,
    operation: Operation,
    expected: &str,
) -> Result<FileEdit, RepositoryError> {
    let expected = match expected {
        "" => None,
        text => Some(read_value("expected", text)?),
    };
    let edits = vec![Edit::new(Path::parse(at)?, operation).expecting(expected)];
    Ok(FileEdit::Values {
        path,
        document,
        edits,
    })
}

/// Empty, a position from 0, or KIND/NAME.
fn read_document(text: &str) -> DocumentSelector {
    match (text.parse(), text.split_once('/')) {
        (Ok(index), _) => DocumentSelector::Index(index),
        (Err(_), Some((kind, name))) => DocumentSelector::Object {
            kind: kind.to_owned(),
            name: name.to_owned(),
        },
        (Err(_), None) => DocumentSelector::Only,
    }
}

/// Reads JSON text with all digits of its numbers.
fn read_value(field: &'static str, text: &str) -> Result<Value, RepositoryError> {
    let wrong = || {
        rule(
            field,
            "must be JSON text of at most 64 KiB, for example \"v2\" with its quotes",
        )
    };
    let is_one_value = serde_json::from_str::<IgnoredAny>(text).is_ok();
    if text.len() > LONGEST_VALUE || !is_one_value {
        return Err(wrong().into());
    }
    let content = format!("{{\"value\":{text}}}");
    let (only, path) = (DocumentSelector::Only, Path::parse("value")?);
    let value = causeway_patch::read(Format::Json, content.as_bytes(), &only, &path)?;
    Ok(value.ok_or_else(wrong)?)
}

fn read_expected(text: String) -> Option<ExpectedFile> {
    match text.as_str() {
        "" => None,
        ABSENT => Some(ExpectedFile::Absent),
        _ => Some(ExpectedFile::Blob(text)),
    }
}

fn given(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn rule(field: &'static str, rule: &'static str) -> FieldError {
    FieldError::Rule { field, rule }
}

impl From<Integration> for pb::Integration {
    fn from(integration: Integration) -> Self {
        Self {
            name: integration.name.to_string(),
            provider: to_provider(integration.provider).into(),
            url: integration.url,
            created_at: Some(millis_to_timestamp(integration.created_at)),
            created_by: integration.created_by,
        }
    }
}

pub(crate) fn to_create_response(
    (integration, attempt): (Integration, Attempt),
    request_id: String,
) -> pb::CreateIntegrationResponse {
    pb::CreateIntegrationResponse {
        integration: Some(integration.into()),
        request_id,
        repeated_request: attempt == Attempt::EarlierCall,
    }
}

impl From<IntegrationTest> for pb::TestIntegrationResponse {
    fn from(test: IntegrationTest) -> Self {
        let works = test.is_working();
        let user = test.user.unwrap_or_default();
        let problems = test.problems.into_iter();
        let problems = problems.map(|problem| pb::IntegrationProblem {
            kind: to_problem_kind(problem.kind).into(),
            message: problem.message,
        });
        Self {
            integration: Some(test.integration.into()),
            works,
            user: user.login,
            scopes: user.scopes.unwrap_or_default(),
            rate_limit: test.budget.map(to_rate_limit),
            capabilities: Some(to_capabilities(test.capabilities)),
            repository: test.repository.map(|found| pb::RepositoryAccess {
                url: found.url,
                can_read: found.can_read,
                can_push: found.can_push,
                default_branch: found.default_branch.unwrap_or_default(),
                archived: found.is_archived,
            }),
            problems: problems.collect(),
        }
    }
}

fn to_rate_limit(budget: BudgetState) -> pb::RateLimit {
    pb::RateLimit {
        remaining: budget.left,
        limit: budget.limit,
        resets_at: Some(budget.until.into()),
    }
}

fn to_capabilities(found: Capabilities) -> pb::HostCapabilities {
    let is_present = |support| support == Support::Present;
    pb::HostCapabilities {
        pull_requests: is_present(found.pull_requests),
        head_pin: found.head_pin == HeadPin::Atomic,
        auto_merge: found.auto_merge == AutoMerge::Provider,
        commit_statuses: is_present(found.statuses),
        webhooks: is_present(found.webhooks),
        webhook_deliveries: is_present(found.deliveries),
        rate_limit: is_present(found.rate_limit),
    }
}

fn to_problem_kind(kind: ProblemKind) -> pb::integration_problem::Kind {
    use pb::integration_problem::Kind;
    match kind {
        ProblemKind::CredentialRefused => Kind::CredentialRefused,
        ProblemKind::CredentialTooWeak => Kind::CredentialTooWeak,
        ProblemKind::OtherProvider => Kind::OtherProvider,
        ProblemKind::HtmlAnswer => Kind::HtmlAnswer,
        ProblemKind::HostFailed => Kind::HostFailed,
        ProblemKind::NoAnswer => Kind::NoAnswer,
        ProblemKind::RateLimited => Kind::RateLimited,
        ProblemKind::RepositoryUnknown => Kind::RepositoryUnknown,
        ProblemKind::RepositoryArchived => Kind::RepositoryArchived,
        ProblemKind::RuntimeRuleMissing => Kind::RuntimeRuleMissing,
        ProblemKind::UrlUnusable => Kind::UrlUnusable,
        ProblemKind::NotTested => Kind::NotTested,
    }
}

pub(crate) fn to_commit_response(commit: Commit, request_id: String) -> pb::CommitChangeResponse {
    pb::CommitChangeResponse {
        commit: commit.id,
        request_id,
        repeated_request: commit.is_repeat,
    }
}

pub(crate) fn to_preview_response(preview: Preview) -> pb::PreviewChangeResponse {
    let files = preview.files.into_iter();
    let files = files.map(|file| pb::FileDiff {
        path: file.path,
        diff: file.text,
    });
    pb::PreviewChangeResponse {
        base: preview.base,
        files: files.collect(),
    }
}

#[cfg(test)]
mod tests;
