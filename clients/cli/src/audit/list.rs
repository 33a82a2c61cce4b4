//! `causeway audit list` and `get`.

use anyhow::{Context as _, bail};
use causeway_proto::{method::methods, platform::v1 as pb};

use super::ChainArgs;
use crate::{
    connection::Connection,
    moment::{Moment, moment},
    output::{self, Cell, Format, Table},
    words,
};

const PAGE: u32 = 500;

/// Which calls.
#[derive(clap::Args, Debug)]
pub(crate) struct ListArgs {
    /// Asked at this time or later: today, 36h, a date or RFC 3339
    #[arg(long, value_name = "TIME", value_parser = moment)]
    since: Option<Moment>,
    /// Asked before this time
    #[arg(long, value_name = "TIME", value_parser = moment)]
    until: Option<Moment>,
    /// Asked by this user
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// Calls of this RPC: its name, such as SyncApplication, or its whole path
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,
    /// Calls into this runtime
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,
    /// What was touched, as the list shows it
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
    /// How it ended
    #[arg(long, value_enum, value_name = "OUTCOME")]
    outcome: Option<OutcomeArg>,
    /// Only what was refused
    #[arg(long, conflicts_with = "outcome")]
    denied: bool,
    /// The call with this request id
    #[arg(long, value_name = "UUID")]
    request_id: Option<String>,
    /// At most so many
    #[arg(short, long, default_value_t = 50, value_name = "COUNT")]
    limit: usize,
    #[command(flatten)]
    chain: ChainArgs,
}

#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum OutcomeArg {
    /// It took effect
    Succeeded,
    /// It had no effect
    Failed,
    /// Nobody knows
    Unknown,
    /// It has not ended
    Pending,
}

impl ListArgs {
    fn request(&self) -> anyhow::Result<pb::ListAuditRecordsRequest> {
        let time = |moment: &Option<Moment>| moment.as_ref().map(|moment| moment.0);
        let outcome = match self.outcome {
            Some(OutcomeArg::Succeeded) => pb::Outcome::Succeeded,
            Some(OutcomeArg::Failed) => pb::Outcome::Failed,
            Some(OutcomeArg::Unknown) => pb::Outcome::Unknown,
            Some(OutcomeArg::Pending) | None => pb::Outcome::Unspecified,
        };
        let subject = self.user.as_ref().map(|user| {
            if user.contains(':') {
                user.clone()
            } else {
                format!("user:{user}")
            }
        });
        let method = self.method.as_deref().map(path).transpose()?;
        Ok(pb::ListAuditRecordsRequest {
            page_size: PAGE.min(u32::try_from(self.limit).unwrap_or(PAGE)).max(1),
            page_token: String::new(),
            since: time(&self.since),
            until: time(&self.until),
            subject: subject.unwrap_or_default(),
            method: method.unwrap_or_default(),
            runtime: self.runtime.clone().unwrap_or_default(),
            target: self.target.clone().unwrap_or_default(),
            outcome: outcome.into(),
            denied: self.denied,
            pending: self.outcome == Some(OutcomeArg::Pending),
            request_id: self.request_id.clone().unwrap_or_default(),
            platform: self.chain.platform,
        })
    }
}

/// The path of an RPC by its name.
fn path(name: &str) -> anyhow::Result<String> {
    if name.starts_with('/') {
        return Ok(name.to_owned());
    }
    let end = format!("/{name}");
    let mut found = methods().keys().filter(|path| path.ends_with(&end));
    match (found.next(), found.next()) {
        (Some(path), None) => Ok(path.clone()),
        (Some(one), Some(other)) => bail!("--method {name}: there is {one} and {other}: name one"),
        (None, _) => bail!("--method {name}: there is no such RPC; for example SyncApplication"),
    }
}

pub(super) async fn list(
    connection: &Connection,
    args: &ListArgs,
    format: Format,
) -> anyhow::Result<()> {
    let (mut request, mut all) = (args.request()?, pb::ListAuditRecordsResponse::default());
    while all.records.len() < args.limit {
        let mut audit = connection.audit();
        let page = audit.list_audit_records(request.clone()).await?;
        let page = page.into_inner();
        all.records.extend(page.records);
        request.page_token = page.next_page_token;
        if request.page_token.is_empty() {
            break;
        }
    }
    all.records.truncate(args.limit);
    let all = output::arranged(all)?;
    if format != Format::Table {
        return output::document(&all, format);
    }
    let mut columns = Table::new(&["TIME", "WHO", "WHAT", "RUNTIME", "TARGET", "OUTCOME", "ID"]);
    for record in &all.records {
        columns.row(vec![
            Cell::new(words::moment(record.intended_at.as_ref())),
            Cell::new(&record.subject),
            Cell::new(short(&record.method)),
            Cell::new(&record.runtime),
            Cell::new(&record.target),
            Cell::state(ended(record)),
            Cell::new(&record.audit_id),
        ]);
    }
    columns.print()
}

pub(super) async fn get(
    connection: &Connection,
    id: String,
    chain: ChainArgs,
    format: Format,
) -> anyhow::Result<()> {
    let request = pb::GetAuditRecordRequest {
        audit_id: id,
        platform: chain.platform,
    };
    let response = connection.audit().get_audit_record(request).await?;
    let record = response.into_inner().record;
    let record = record.context("the platform answered without the call")?;
    if format != Format::Table {
        return output::document(&record, format);
    }
    let mut columns = Table::plain();
    let code = tonic::Code::from_i32(i32::try_from(record.code).unwrap_or(2));
    for (name, value) in [
        ("id", record.audit_id.clone()),
        ("entry", record.sequence.to_string()),
        ("asked", words::moment(record.intended_at.as_ref())),
        ("ended", words::moment(record.ended_at.as_ref())),
        ("who", record.subject.clone()),
        ("by", record.credential.clone()),
        ("what", record.method.clone()),
        ("permission", record.permission.clone()),
        ("runtime", record.runtime.clone()),
        ("target", record.target.clone()),
        ("outcome", ended(&record).to_owned()),
        ("code", format!("{code:?}")),
        ("message", record.message.clone()),
        ("request id", record.request_id.clone()),
        ("trace id", record.trace_id.clone()),
        ("from", record.source_address.clone()),
    ] {
        columns.row(vec![Cell::new(name), Cell::new(value)]);
    }
    columns.print()
}

/// The name of an RPC without its service.
fn short(method: &str) -> &str {
    method.rsplit('/').next().unwrap_or_default()
}

fn ended(record: &pb::AuditRecord) -> &'static str {
    match record.outcome() {
        _ if record.denied => "Denied",
        pb::Outcome::Unspecified => "Pending",
        pb::Outcome::Succeeded => "Succeeded",
        pb::Outcome::Failed => "Failed",
        pb::Outcome::Unknown => "Unknown",
    }
}
