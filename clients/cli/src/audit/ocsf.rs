//! Calls as events of the class API Activity (6003) of the Open Cybersecurity Schema Framework, one event for each call when it
//! has ended.

use std::{collections::BTreeMap, net::SocketAddr};

use causeway_proto::{
    access::v1::Kind,
    method::method,
    platform::v1::{self as pb, audit_entry::Body},
    time::timestamp_to_millis,
};
use prost_types::Timestamp;
use serde_json::{Value, json};
use tonic::Code;

const SCHEMA: &str = "1.8.0";
const CLASS: u64 = 6003;
const APPLICATION: u64 = 6;

/// Joins intents and outcomes of one chain.
pub(super) struct Events {
    chain: String,
    open: BTreeMap<u64, (i64, pb::AuditIntent)>,
}

/// A call and how it ended.
struct Call<'a> {
    sequence: u64,
    at: i64,
    intent: &'a pb::AuditIntent,
    end: Option<End<'a>>,
}

struct End<'a> {
    at: i64,
    outcome: pb::Outcome,
    code: u32,
    message: &'a str,
    denied: bool,
}

impl Events {
    pub(super) fn new(chain: &str) -> Self {
        Self {
            chain: chain.to_owned(),
            open: BTreeMap::new(),
        }
    }

    /// The event that an entry completes. An outcome whose intent was not exported completes none.
    pub(super) fn add(&mut self, entry: pb::AuditEntry) -> Option<Value> {
        let at = millis(entry.at.as_ref());
        match entry.body? {
            Body::Intent(intent) => {
                self.open.insert(entry.sequence, (at, intent));
                None
            }
            Body::Denial(denial) => {
                let end = End {
                    at,
                    outcome: pb::Outcome::Failed,
                    code: denial.code,
                    message: &denial.message,
                    denied: true,
                };
                let intent = denial.intent.as_ref()?;
                let (sequence, end) = (entry.sequence, Some(end));
                Some(self.event(&Call {
                    sequence,
                    at,
                    intent,
                    end,
                }))
            }
            Body::Outcome(outcome) => {
                let (asked_at, intent) = self.open.remove(&outcome.closes)?;
                let end = End {
                    at,
                    outcome: outcome.outcome(),
                    code: outcome.code,
                    message: &outcome.message,
                    denied: outcome.code == 7,
                };
                Some(self.event(&Call {
                    sequence: outcome.closes,
                    at: asked_at,
                    intent: &intent,
                    end: Some(end),
                }))
            }
            Body::Checkpoint(_) | Body::Retention(_) => None,
        }
    }

    /// The calls that have not ended.
    pub(super) fn open(&self) -> impl Iterator<Item = Value> {
        self.open.iter().map(|(sequence, (at, intent))| {
            self.event(&Call {
                sequence: *sequence,
                at: *at,
                intent,
                end: None,
            })
        })
    }

    fn event(&self, call: &Call<'_>) -> Value {
        let (activity, activity_name) = activity(call.intent);
        let (status, status_name) = status(call.end.as_ref());
        let denied = call.end.as_ref().is_some_and(|end| end.denied);
        let (action, action_name) = if denied {
            (2, "Denied")
        } else {
            (1, "Allowed")
        };
        let (disposition, disposition_name) = if denied {
            (2, "Blocked")
        } else {
            (1, "Allowed")
        };
        let mut event = json!({
            "category_uid": APPLICATION,
            "category_name": "Application Activity",
            "class_uid": CLASS,
            "class_name": "API Activity",
            "activity_id": activity,
            "activity_name": activity_name,
            "type_uid": CLASS * 100 + activity,
            "type_name": format!("API Activity: {activity_name}"),
            "severity_id": 1,
            "severity": "Informational",
            "time": call.at,
            "status_id": status,
            "status": status_name,
            "action_id": action,
            "action": action_name,
            "disposition_id": disposition,
            "disposition": disposition_name,
            "metadata": self.metadata(call),
            "actor": actor(&self.chain, call.intent),
            "api": api(call),
            "src_endpoint": source(&call.intent.source_address),
        });
        if let Some(end) = &call.end {
            event["status_code"] = json!(end.code.to_string());
            event["status_detail"] = json!(end.message);
            event["unmapped"] = json!({"ended_time": end.at, "permission": call.intent.permission});
        }
        let resources = resources(call.intent);
        if !resources.is_empty() {
            event["resources"] = Value::Array(resources);
        }
        if !call.intent.trace_id.is_empty() {
            event["trace"] = json!({"uid": call.intent.trace_id});
        }
        event
    }

    fn metadata(&self, call: &Call<'_>) -> Value {
        json!({
            "version": SCHEMA,
            "profiles": ["security_control", "trace"],
            "product": {"name": "Causeway", "vendor_name": "Causeway", "version": env!("CARGO_PKG_VERSION")},
            "log_name": "audit",
            "tenant_uid": self.chain,
            "original_event_uid": call.intent.audit_id,
            "uid": call.intent.audit_id,
            "sequence": call.sequence,
            "correlation_uid": call.intent.request_id,
        })
    }
}

fn activity(intent: &pb::AuditIntent) -> (u64, &'static str) {
    let action = intent.permission.rsplit('.').next().unwrap_or_default();
    let reads = method(&intent.method)
        .is_some_and(|method| !matches!(method.kind, Kind::Mutation | Kind::Session));
    match action {
        "create" => (1, "Create"),
        "delete" | "revoke" => (4, "Delete"),
        "get" | "list" | "watch" => (2, "Read"),
        _ if reads => (2, "Read"),
        "" => (99, "Other"),
        _ => (3, "Update"),
    }
}

fn status(end: Option<&End<'_>>) -> (u64, &'static str) {
    match end.map(|end| end.outcome) {
        Some(pb::Outcome::Succeeded) => (1, "Success"),
        Some(pb::Outcome::Failed) => (2, "Failure"),
        Some(pb::Outcome::Unknown | pb::Outcome::Unspecified) | None => (0, "Unknown"),
    }
}

fn actor(chain: &str, intent: &pb::AuditIntent) -> Value {
    let (kind, name) = intent
        .subject
        .split_once(':')
        .unwrap_or(("", &intent.subject));
    let type_id = if kind == "user" { 1 } else { 3 };
    let mut user = json!({
        "name": name,
        "uid": intent.subject,
        "type_id": type_id,
        "account": {"name": chain, "uid": chain},
    });
    if let Some(key) = intent.credential.strip_prefix("key:") {
        user["programmatic_credentials"] = json!([{"uid": key, "type": "API key"}]);
    }
    let mut actor = json!({"user": user});
    if let Some(session) = intent.credential.strip_prefix("session:") {
        actor["session"] = json!({"uid": session});
    }
    actor
}

fn api(call: &Call<'_>) -> Value {
    let path = call.intent.method.trim_start_matches('/');
    let (service, operation) = path.split_once('/').unwrap_or(("", path));
    let mut api = json!({
        "operation": operation,
        "service": {"name": service},
        "request": {"uid": call.intent.request_id},
    });
    if let Some(end) = &call.end {
        let code = Code::from_i32(i32::try_from(end.code).unwrap_or(2));
        api["response"] = json!({"code": end.code, "message": end.message});
        if code != Code::Ok {
            api["response"]["error"] = json!(format!("{code:?}"));
        }
    }
    api
}

fn source(address: &str) -> Value {
    match address.parse::<SocketAddr>() {
        Ok(address) => json!({"ip": address.ip().to_string(), "port": address.port()}),
        Err(_) if address.is_empty() => json!({"name": "unknown"}),
        Err(_) => match address.parse::<std::net::IpAddr>() {
            Ok(ip) => json!({"ip": ip.to_string()}),
            Err(_) => json!({"name": address}),
        },
    }
}

fn resources(intent: &pb::AuditIntent) -> Vec<Value> {
    let mut resources = Vec::new();
    if !intent.target.is_empty() {
        let entity = intent.permission.split('.').next().unwrap_or_default();
        resources.push(json!({"name": intent.target, "type": entity}));
    }
    if !intent.runtime.is_empty() {
        resources.push(json!({"name": intent.runtime, "type": "runtime"}));
    }
    resources
}

fn millis(time: Option<&Timestamp>) -> i64 {
    time.map_or(0, timestamp_to_millis)
}
