//! The table of every RPC, read from the contract at start: what it does, which part serves it and where it is reachable
//! over HTTP. What is not in the table is not served; no address is ever built from a request.

mod rule;

use std::{collections::HashMap, fmt};

use causeway_proto::{
    access::v1::{Kind, Side},
    method,
};
use causeway_shell::suggest;
use http::uri::PathAndQuery;
use prost_reflect::{Cardinality, FieldDescriptor, Kind as FieldKind, MethodDescriptor};

use crate::{
    template::{RequestPath, Template, TemplateError},
    transcode::mask,
};

const CURSOR: &str = "cursor";
/// Longer paths are not worth the comparison.
const COMPARED_BYTES: usize = 200;

/// Every RPC of the contract.
#[derive(Debug)]
pub(crate) struct Table {
    methods: Vec<Method>,
    by_path: HashMap<String, usize>,
    bindings: Vec<Binding>,
}

/// One RPC.
#[derive(Debug)]
pub(crate) struct Method {
    /// What the contract says about it.
    pub(crate) contract: method::Method,
    pub(crate) shape: Shape,
    /// The path of its gRPC requests, ready to be sent.
    pub(crate) target: PathAndQuery,
    /// What it touches.
    template: Option<Template>,
}

/// Which sides of a call are streams.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Shape {
    Unary,
    ServerStream,
    RequestStream,
}

/// One way to reach an RPC over HTTP.
#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) verb: http::Method,
    pub(crate) template: Template,
    pub(crate) body: Body,
    /// The fields that the template fills, in its order.
    pub(crate) fields: Vec<FieldDescriptor>,
    /// True if it is the RPC's own path, which every RPC has, instead of one that the contract gives it.
    pub(crate) plain: bool,
    /// Which of the RPC's paths it is, from 0 on.
    pub(crate) place: usize,
    method: usize,
}

/// What the HTTP body fills.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    Nothing,
    /// All that the path leaves.
    Message,
    Field(FieldDescriptor),
}

/// What a verb and a path lead to.
#[derive(Debug)]
pub(crate) enum Lookup<'t, 'p> {
    Found(&'t Method, &'t Binding, Vec<&'p str>),
    /// The path exists, for these verbs.
    OtherVerb(Vec<&'t http::Method>),
    Unknown,
}

/// A contract that cannot be served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TableError {
    #[error("the contract has no option {0}")]
    NoOption(&'static str),
    #[error("{0} is no path of a request")]
    NoPath(String),
    #[error("{0} has no part: set (causeway.access.v1.part) on the service")]
    NoPart(String),
    #[error("{0} has no row of callers: set (causeway.access.v1.access) on the RPC")]
    NoAccess(String),
    #[error("{0} changes something but its request has no string field request_id")]
    NoRequestId(String),
    #[error("{method}: {source}")]
    Template {
        method: String,
        source: TemplateError,
    },
    #[error(
        "{method}: its HTTP binding names the field '{field}', which its request lacks or which is not a single text"
    )]
    NoField { method: String, field: String },
    #[error("{0}: an RPC with a stream of requests cannot have an HTTP binding")]
    Stream(String),
    #[error("{0}: its HTTP binding has no verb")]
    NoVerb(String),
    #[error("two HTTP bindings would match the same path: {0} and {1}")]
    Overlap(String, String),
}

impl Table {
    /// Reads the contract.
    pub(crate) fn new<'m>(
        methods: impl Iterator<Item = &'m method::Method>,
    ) -> Result<Self, TableError> {
        let mut table = Self {
            methods: Vec::new(),
            by_path: HashMap::new(),
            bindings: Vec::new(),
        };
        for method in methods {
            table.add(method)?;
        }
        check_overlaps(&table.bindings)?;
        Ok(table)
    }

    /// Every way to reach an RPC over HTTP, in the order of the contract.
    pub(crate) fn bindings(&self) -> impl Iterator<Item = (&Method, &Binding)> {
        let bindings = self.bindings.iter();
        bindings.map(|binding| (&self.methods[binding.method], binding))
    }

    /// The RPC of a gRPC path.
    pub(crate) fn method(&self, path: &str) -> Option<&Method> {
        self.by_path.get(path).map(|index| &self.methods[*index])
    }

    /// The binding of an HTTP request.
    pub(crate) fn lookup<'t, 'p>(
        &'t self,
        verb: &http::Method,
        path: &'p RequestPath<'_>,
    ) -> Lookup<'t, 'p> {
        let mut others = Vec::new();
        for binding in &self.bindings {
            let Some(values) = binding.template.values(path) else {
                continue;
            };
            if binding.verb == verb {
                return Lookup::Found(&self.methods[binding.method], binding, values);
            }
            others.push(&binding.verb);
        }
        if others.is_empty() {
            Lookup::Unknown
        } else {
            Lookup::OtherVerb(others)
        }
    }

    /// Returns the template most similar to an unknown path.
    pub(crate) fn nearest(&self, path: &str) -> Option<&Template> {
        if path.len() > COMPARED_BYTES {
            return None;
        }
        let bindings = self.bindings.iter().enumerate();
        let known = bindings.filter(|(_, binding)| !binding.plain);
        // The version is part of every path and would make all of them similar.
        let unversioned = |path: &str| path.strip_prefix("/v1").unwrap_or(path).to_owned();
        let known =
            known.map(|(index, binding)| (unversioned(&binding.template.to_string()), index));
        let index = *suggest(&unversioned(path), known).first()?;
        Some(&self.bindings[index].template)
    }

    fn add(&mut self, contract: &method::Method) -> Result<(), TableError> {
        let index = self.methods.len();
        let mut method = Method {
            contract: contract.clone(),
            shape: shape(&contract.descriptor),
            target: PathAndQuery::try_from(contract.path.as_str())
                .map_err(|_| TableError::NoPath(contract.path.clone()))?,
            template: None,
        };
        check_row(&method)?;
        if !contract.target.is_empty() {
            method.template = Some(rule::target(contract)?);
        }
        for (place, rule) in rule::all(&contract.descriptor)?.iter().enumerate() {
            let binding = rule::binding(&method, (index, place), rule)?;
            method
                .template
                .get_or_insert_with(|| binding.template.clone());
            self.bindings.push(binding);
        }
        self.bindings.extend(rule::plain(&method, index));
        self.by_path.insert(contract.path.clone(), index);
        self.methods.push(method);
        Ok(())
    }
}

impl Method {
    /// True if the contract gives it a path of its own.
    pub(crate) fn is_named(&self) -> bool {
        self.template.is_some()
    }

    /// The path of its gRPC requests.
    pub(crate) fn path(&self) -> &str {
        &self.contract.path
    }

    /// True if it is served inside of runtimes.
    pub(crate) fn is_inside_runtime(&self) -> bool {
        self.contract.side == Side::Runtime
    }

    /// The number of the field that names the runtime, if the request has one.
    pub(crate) fn runtime(&self) -> Option<u32> {
        self.text_field("runtime")
    }

    /// The number of the field that makes repeats of a request the same.
    pub(crate) fn request_id(&self) -> Option<u32> {
        self.text_field("request_id")
    }

    /// The number of the field that says after what a stream goes on, where each answer says how far it came.
    pub(crate) fn cursor(&self) -> Option<u32> {
        self.answered_cursor()?;
        self.text_field(CURSOR)
    }

    /// The field of each answer of a stream that says how far it came.
    pub(crate) fn answered_cursor(&self) -> Option<FieldDescriptor> {
        let streams = self.shape == Shape::ServerStream;
        let field = self
            .contract
            .descriptor
            .output()
            .get_field_by_name(CURSOR)?;
        (streams && is_text(&field)).then_some(field)
    }

    /// True if a key of the query says which fields of the answer are wanted. What changes something answers whole.
    pub(crate) fn is_mask(&self, key: &str) -> bool {
        let free = |name| {
            let input = self.contract.descriptor.input();
            input.get_field_by_name(name).is_none()
        };
        let named = key == mask::NAME || key == mask::SHORT_NAME && free(mask::SHORT_NAME);
        named && self.contract.kind != Kind::Mutation
    }

    /// The number of a field of the request that holds one text.
    pub(crate) fn text_field(&self, name: &str) -> Option<u32> {
        let field = self.contract.descriptor.input().get_field_by_name(name)?;
        is_text(&field).then(|| field.number())
    }

    /// The number of a field of the request that holds several texts.
    pub(crate) fn texts_field(&self, name: &str) -> Option<u32> {
        let field = self.contract.descriptor.input().get_field_by_name(name)?;
        let texts = field.kind() == FieldKind::String && field.is_list();
        texts.then(|| field.number())
    }

    /// The number of a field of the request that holds several messages.
    pub(crate) fn messages_field(&self, name: &str) -> Option<u32> {
        let field = self.contract.descriptor.input().get_field_by_name(name)?;
        rule::is_messages(&field).then(|| field.number())
    }

    /// The fields of the request that [`Self::describe`] asks for.
    pub(crate) fn described_fields(&self) -> impl Iterator<Item = &str> {
        self.template.iter().flat_map(Template::fields)
    }

    /// What a request touches, for the audit; empty where the contract does not say it.
    pub(crate) fn describe<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> String {
        self.template
            .as_ref()
            .map(|template| template.describe(value))
            .unwrap_or_default()
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.verb, self.template)
    }
}

fn is_text(field: &FieldDescriptor) -> bool {
    field.kind() == FieldKind::String && field.cardinality() != Cardinality::Repeated
}

fn shape(method: &MethodDescriptor) -> Shape {
    if method.is_client_streaming() {
        Shape::RequestStream
    } else if method.is_server_streaming() {
        Shape::ServerStream
    } else {
        Shape::Unary
    }
}

fn check_row(method: &Method) -> Result<(), TableError> {
    let contract = &method.contract;
    if contract.part.is_empty() || contract.side == Side::Unspecified {
        return Err(TableError::NoPart(contract.path.clone()));
    }
    if contract.kind == Kind::Unspecified || contract.callers.is_empty() {
        return Err(TableError::NoAccess(contract.path.clone()));
    }
    let changes = matches!(contract.kind, Kind::Mutation | Kind::Session);
    if changes && method.request_id().is_none() {
        return Err(TableError::NoRequestId(contract.path.clone()));
    }
    Ok(())
}

fn check_overlaps(bindings: &[Binding]) -> Result<(), TableError> {
    for (index, left) in bindings.iter().enumerate() {
        let rest = &bindings[index + 1..];
        let clash = rest
            .iter()
            .find(|right| left.verb == right.verb && left.template.overlaps(&right.template));
        if let Some(right) = clash {
            return Err(TableError::Overlap(left.to_string(), right.to_string()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
