//! The option `google.api.http` of an RPC as bindings.

use prost_reflect::{
    DynamicMessage, ExtensionDescriptor, FieldDescriptor, Kind as FieldKind, MethodDescriptor,
    ReflectMessage as _, Value,
};

use super::{Binding, Body, Method, Shape, TableError, is_text};
use crate::template::Template;

/// The HTTP binding of an RPC and its additional ones.
pub(super) fn all(method: &MethodDescriptor) -> Result<Vec<DynamicMessage>, TableError> {
    let option = http_option(method)?;
    let options = method.options();
    let rule = options.get_extension(&option);
    let (true, Value::Message(rule)) = (options.has_extension(&option), rule.as_ref()) else {
        return Ok(Vec::new());
    };
    let more = rule.get_field_by_name("additional_bindings");
    let more = more.as_deref().and_then(Value::as_list).unwrap_or_default();
    let more = more.iter().filter_map(Value::as_message).cloned();
    Ok([rule.clone()].into_iter().chain(more).collect())
}

/// What a call touches that has no path over HTTP.
pub(super) fn target(contract: &causeway_proto::method::Method) -> Result<Template, TableError> {
    let template: Result<Template, _> = contract.target.parse();
    let template = template.map_err(|source| TableError::Template {
        method: contract.path.clone(),
        source,
    })?;
    let input = contract.descriptor.input();
    let text = |name: &&str| {
        let field = input.get_field_by_name(name);
        field.is_some_and(|field| field.kind() == FieldKind::String || is_messages(&field))
    };
    let odd = template.fields().find(|name| !text(name));
    if let Some(field) = odd.map(str::to_owned) {
        let method = contract.path.clone();
        return Err(TableError::NoField { method, field });
    }
    Ok(template)
}

/// Whether a field holds several messages, which a target describes by their number and digest.
pub(super) fn is_messages(field: &FieldDescriptor) -> bool {
    field.is_list() && matches!(field.kind(), FieldKind::Message(_))
}

fn http_option(method: &MethodDescriptor) -> Result<ExtensionDescriptor, TableError> {
    const NAME: &str = "google.api.http";
    let pool = method.parent_pool();
    let mut options = pool.all_extensions();
    let option = options.find(|option| option.full_name() == NAME);
    option.ok_or(TableError::NoOption(NAME))
}

fn text(message: &DynamicMessage, name: &str) -> String {
    let value = message.get_field_by_name(name);
    let text = value.as_deref().and_then(Value::as_str).unwrap_or_default();
    text.to_owned()
}

pub(super) fn binding(
    method: &Method,
    (index, place): (usize, usize),
    rule: &DynamicMessage,
) -> Result<Binding, TableError> {
    if method.shape == Shape::RequestStream {
        return Err(TableError::Stream(method.path().to_owned()));
    }
    let (verb, path) =
        verb_and_path(rule).ok_or_else(|| TableError::NoVerb(method.path().to_owned()))?;
    let template: Template = path.parse().map_err(|source| TableError::Template {
        method: method.path().to_owned(),
        source,
    })?;
    let no_field = |field: &str| TableError::NoField {
        method: method.path().to_owned(),
        field: field.to_owned(),
    };
    let fields = template.fields().map(|name| {
        let field = method.contract.descriptor.input().get_field_by_name(name);
        field.filter(is_text).ok_or_else(|| no_field(name))
    });
    let fields = fields.collect::<Result<Vec<_>, _>>()?;
    let body = match text(rule, "body").as_str() {
        "" => Body::Nothing,
        "*" => Body::Message,
        name => Body::Field(
            method
                .contract
                .descriptor
                .input()
                .get_field_by_name(name)
                .ok_or_else(|| no_field(name))?,
        ),
    };
    Ok(Binding {
        verb,
        template,
        body,
        fields,
        plain: false,
        place,
        method: index,
    })
}

/// The path of its gRPC requests, with the request as the body; none where requests are a stream.
pub(super) fn plain(method: &Method, index: usize) -> Option<Binding> {
    let descriptor = &method.contract.descriptor;
    let service = descriptor.parent_service().full_name().to_owned();
    let template = Template::of_literals([service, descriptor.name().to_owned()]);
    (method.shape != Shape::RequestStream).then(|| Binding {
        verb: http::Method::POST,
        template,
        body: Body::Message,
        fields: Vec::new(),
        plain: true,
        place: 0,
        method: index,
    })
}

fn verb_and_path(rule: &DynamicMessage) -> Option<(http::Method, String)> {
    let field = rule
        .descriptor()
        .oneofs()
        .find(|oneof| oneof.name() == "pattern")?;
    let field = field.fields().find(|field| rule.has_field(field))?;
    if field.name() == "custom" {
        let custom = rule.get_field(&field);
        let custom = custom.as_message()?;
        let verb = http::Method::from_bytes(text(custom, "kind").as_bytes()).ok()?;
        return Some((verb, text(custom, "path")));
    }
    let verb = field.name().to_ascii_uppercase();
    let verb = http::Method::from_bytes(verb.as_bytes()).ok()?;
    Some((verb, text(rule, field.name())))
}
