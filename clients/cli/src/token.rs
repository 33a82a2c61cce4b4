//! `causeway token`: what a single part takes, for who looks into one.

use anyhow::bail;
use causeway_proto::{
    method::{Method, methods},
    platform::v1 as pb,
    time::timestamp_to_millis,
};
use causeway_shell::suggest_names;

use crate::{
    connection::{Connection, shown},
    context::Target,
    output::{self, Format},
};

/// What `--help` says.
pub(crate) const ABOUT: &str = "\
Print an assertion for calling a single part directly, to look into it: good for one RPC and a minute

A part takes no API keys and no sessions. The router changes those into an assertion for each call: who asks, what they may see, for \
which part and which RPC. With one of your own you can ask a part itself, past the router, when you look for what is wrong:

  grpcurl -plaintext -H \"authorization: Bearer $(causeway token ListApplications)\" \\
      127.0.0.1:7411 causeway.inventory.v1.ApplicationService/ListApplications

It shows what you may see and no more. It is good for reads, of one RPC, for a minute at most, and ends earlier where your credential \
does. What changes something, or reads something secret, is signed for a single request: send that to the router, with your API key. \
A part says where it listens in its log, and answers 'grpcurl ADDRESS list' without a credential.";

/// What is to be called.
#[derive(clap::Args, Debug)]
pub(crate) struct TokenArgs {
    /// The RPC: its full path, or as much of its end as names only one, such as ApplicationService/ListApplications
    #[arg(value_name = "RPC")]
    method: String,
    /// The runtime whose part is to be called, where the RPC is one of a runtime's part
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,
}

impl TokenArgs {
    pub(crate) async fn run(self, target: Target, format: Format) -> anyhow::Result<()> {
        let method = find(&self.method)?;
        let request = pb::IssueAssertionRequest {
            credential: shown(&target.entry)?,
            method: method.path.clone(),
            runtime: self.runtime.unwrap_or_default(),
        };
        let connection = Connection::anonymous(&target.entry)?;
        let answer = connection.authorization().issue_assertion(request).await?;
        let answer = answer.into_inner();
        if format != Format::Table {
            return output::document(&answer, format);
        }
        let ends = answer.expires_at.as_ref().map_or(0, timestamp_to_millis);
        let ends = jiff::Timestamp::from_millisecond(ends)?;
        output::note(format!(
            "for {} at {}, until {ends}",
            method.path, answer.part
        ));
        output::line(answer.assertion)
    }
}

/// The one RPC that a text is the end of.
fn find(text: &str) -> anyhow::Result<&'static Method> {
    let wanted = text.trim_start_matches('/').replace('/', ".");
    let end = format!(".{wanted}");
    let named = |method: &&Method| format!(".{}", dotted(method)).ends_with(&end);
    let found: Vec<_> = methods().values().filter(named).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => {
            let names: Vec<_> = methods().values().map(short).collect();
            let meant = suggest_names(text, names.iter().map(String::as_str));
            match meant.as_slice() {
                [] => bail!(
                    "there is no RPC '{text}': grpcurl's 'list' and 'describe' at the platform's address show all"
                ),
                meant => bail!(
                    "there is no RPC '{text}': did you mean {}?",
                    meant.join(", ")
                ),
            }
        }
        several => {
            let names: Vec<_> = several.iter().map(|method| short(method)).collect();
            bail!("several RPCs are named so: {}; name one", names.join(", "))
        }
    }
}

/// For example `causeway.inventory.v1.ApplicationService.ListApplications`.
fn dotted(method: &Method) -> String {
    method.path.trim_start_matches('/').replace('/', ".")
}

/// For example `ApplicationService/ListApplications`.
fn short(method: &Method) -> String {
    let path = method.path.as_str();
    path.rsplit('.').next().unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_rpc_is_named_by_any_end_of_its_path() {
        let path = "/causeway.inventory.v1.ApplicationService/ListApplications";
        for text in [
            path,
            "causeway.inventory.v1.ApplicationService/ListApplications",
            "causeway.inventory.v1.ApplicationService.ListApplications",
            "ApplicationService/ListApplications",
            "ListApplications",
        ] {
            assert_eq!(find(text).unwrap().path, path, "{text}");
        }
    }

    #[test]
    fn an_unknown_or_ambiguous_rpc_is_refused_with_similar_names() {
        let told = |text| find(text).unwrap_err().to_string();
        assert_eq!(
            told("ListSessions"),
            "several RPCs are named so: SessionService/ListSessions, TunnelService/ListSessions; name one"
        );
        let near = told("ApplicationService/ListAplications");
        assert!(
            near.contains("did you mean ApplicationService/ListApplications"),
            "{near}"
        );
        assert!(told("zzz").contains("there is no RPC 'zzz'"));
        assert!(find("Applications").is_err(), "half a word names nothing");
    }
}
