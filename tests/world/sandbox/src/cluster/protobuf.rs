//! Bodies in Kubernetes' protobuf, which `kubectl create` sends for some built-in kinds: read into JSON by a small
//! table of messages. Fields that the table lacks are skipped; kinds that it lacks are refused. Pure.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

use super::refusal::{Reason, Refusal};

pub(crate) const CONTENT_TYPE: &str = "application/vnd.kubernetes.protobuf";
const MAGIC: &[u8] = b"k8s\0";
const DEEPEST: usize = 32;

type Message = &'static [Field];

struct Field(u64, &'static str, Type);

#[derive(Clone, Copy)]
enum Type {
    Text,
    Texts,
    Bytes,
    Number,
    Bool,
    One(Message),
    Many(Message),
    TextMap,
    BytesMap,
    IntOrText,
}

use Type::{Bool, Bytes, BytesMap, IntOrText, Many, Number, One, Text, TextMap, Texts};

const METADATA: Message = &[
    Field(1, "name", Text),
    Field(2, "generateName", Text),
    Field(3, "namespace", Text),
    Field(11, "labels", TextMap),
    Field(12, "annotations", TextMap),
];
const SELECTOR: Message = &[Field(1, "matchLabels", TextMap)];
const PORT: Message = &[
    Field(1, "name", Text),
    Field(2, "hostPort", Number),
    Field(3, "containerPort", Number),
    Field(4, "protocol", Text),
];
const VARIABLE: Message = &[Field(1, "name", Text), Field(2, "value", Text)];
const CONTAINER: Message = &[
    Field(1, "name", Text),
    Field(2, "image", Text),
    Field(3, "command", Texts),
    Field(4, "args", Texts),
    Field(6, "ports", Many(PORT)),
    Field(7, "env", Many(VARIABLE)),
];
const POD_SPEC: Message = &[
    Field(2, "containers", Many(CONTAINER)),
    Field(3, "restartPolicy", Text),
];
const TEMPLATE: Message = &[
    Field(1, "metadata", One(METADATA)),
    Field(2, "spec", One(POD_SPEC)),
];
const DEPLOYMENT_SPEC: Message = &[
    Field(1, "replicas", Number),
    Field(2, "selector", One(SELECTOR)),
    Field(3, "template", One(TEMPLATE)),
];
const JOB_SPEC: Message = &[
    Field(1, "parallelism", Number),
    Field(2, "completions", Number),
    Field(6, "template", One(TEMPLATE)),
];
const SERVICE_PORT: Message = &[
    Field(1, "name", Text),
    Field(2, "protocol", Text),
    Field(3, "port", Number),
    Field(4, "targetPort", IntOrText),
    Field(5, "nodePort", Number),
];
const SERVICE_SPEC: Message = &[
    Field(1, "ports", Many(SERVICE_PORT)),
    Field(2, "selector", TextMap),
    Field(3, "clusterIP", Text),
    Field(4, "type", Text),
    Field(10, "externalName", Text),
];
const ATTRIBUTES: Message = &[
    Field(1, "namespace", Text),
    Field(2, "verb", Text),
    Field(3, "group", Text),
    Field(4, "version", Text),
    Field(5, "resource", Text),
    Field(6, "subresource", Text),
    Field(7, "name", Text),
];
const PATH_ATTRIBUTES: Message = &[Field(1, "path", Text), Field(2, "verb", Text)];
const ACCESS: Message = &[
    Field(1, "resourceAttributes", One(ATTRIBUTES)),
    Field(2, "nonResourceAttributes", One(PATH_ATTRIBUTES)),
];
const RULES: Message = &[Field(1, "namespace", Text)];

const KINDS: &[(&str, Message)] = &[
    ("Namespace", &[Field(1, "metadata", One(METADATA))]),
    ("ServiceAccount", &[Field(1, "metadata", One(METADATA))]),
    (
        "ConfigMap",
        &[
            Field(1, "metadata", One(METADATA)),
            Field(2, "data", TextMap),
            Field(3, "binaryData", BytesMap),
            Field(4, "immutable", Bool),
        ],
    ),
    (
        "Secret",
        &[
            Field(1, "metadata", One(METADATA)),
            Field(2, "data", BytesMap),
            Field(3, "type", Text),
            Field(4, "stringData", TextMap),
        ],
    ),
    (
        "Service",
        &[
            Field(1, "metadata", One(METADATA)),
            Field(2, "spec", One(SERVICE_SPEC)),
        ],
    ),
    (
        "Deployment",
        &[
            Field(1, "metadata", One(METADATA)),
            Field(2, "spec", One(DEPLOYMENT_SPEC)),
        ],
    ),
    (
        "Job",
        &[
            Field(1, "metadata", One(METADATA)),
            Field(2, "spec", One(JOB_SPEC)),
        ],
    ),
    (
        "SelfSubjectAccessReview",
        &[
            Field(1, "metadata", One(METADATA)),
            Field(2, "spec", One(ACCESS)),
        ],
    ),
    (
        "SelfSubjectRulesReview",
        &[
            Field(1, "metadata", One(METADATA)),
            Field(2, "spec", One(RULES)),
        ],
    ),
    ("SelfSubjectReview", &[Field(1, "metadata", One(METADATA))]),
    (
        "DeleteOptions",
        &[
            Field(1, "gracePeriodSeconds", Number),
            Field(2, "preconditions", One(PRECONDITIONS)),
            Field(4, "propagationPolicy", Text),
        ],
    ),
];
const PRECONDITIONS: Message = &[Field(1, "uid", Text), Field(2, "resourceVersion", Text)];
const ENVELOPE: Message = &[Field(1, "typeMeta", One(TYPE)), Field(2, "raw", Bytes)];
const TYPE: Message = &[Field(1, "apiVersion", Text), Field(2, "kind", Text)];

/// The object in a protobuf body.
///
/// # Errors
/// `BadRequest` when it is not one; `UnsupportedMediaType` for kinds that only JSON can bring.
pub(crate) fn read(body: &[u8]) -> Result<Value, Refusal> {
    let broken = || Refusal::bad_request("the body is not a Kubernetes protobuf object");
    let envelope = body
        .strip_prefix(MAGIC)
        .and_then(|rest| decode(rest, ENVELOPE, DEEPEST))
        .ok_or_else(broken)?;
    let kind = envelope["typeMeta"]["kind"].as_str().unwrap_or_default();
    let Some((_, message)) = KINDS.iter().find(|(name, _)| *name == kind) else {
        let why =
            format!("a {kind} can be sent as JSON or YAML only, for example with kubectl apply -f");
        return Err(Refusal::new(Reason::UnsupportedMediaType, why));
    };
    let raw = STANDARD
        .decode(envelope["raw"].as_str().unwrap_or_default())
        .map_err(|_| broken())?;
    let mut object = decode(&raw, message, DEEPEST).ok_or_else(broken)?;
    object["apiVersion"] = envelope["typeMeta"]["apiVersion"].clone();
    object["kind"] = kind.into();
    Ok(object)
}

fn decode(mut bytes: &[u8], message: Message, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let mut object = Map::new();
    while !bytes.is_empty() {
        let tag = number(&mut bytes)?;
        let known = message.iter().find(|field| field.0 == tag >> 3);
        match tag & 7 {
            0 => {
                let found = number(&mut bytes)?;
                if let Some(Field(_, name, kind)) = known {
                    object.insert((*name).to_owned(), scalar(*kind, found)?);
                }
            }
            2 => {
                let length = usize::try_from(number(&mut bytes)?).ok()?;
                let (inner, rest) = bytes.split_at_checked(length)?;
                bytes = rest;
                if let Some(Field(_, name, kind)) = known {
                    put(&mut object, name, *kind, inner, depth)?;
                }
            }
            1 => bytes = bytes.get(8..)?,
            5 => bytes = bytes.get(4..)?,
            _ => return None,
        }
    }
    Some(Value::Object(object))
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for place in 0..10 {
        let (&first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << (7 * place);
        if first < 0x80 {
            return Some(value);
        }
    }
    None
}

fn scalar(kind: Type, found: u64) -> Option<Value> {
    match kind {
        Number => Some(found.cast_signed().into()),
        Bool => Some((found != 0).into()),
        Text | Texts | Bytes | One(_) | Many(_) | TextMap | BytesMap | IntOrText => None,
    }
}

fn put(
    object: &mut Map<String, Value>,
    name: &str,
    kind: Type,
    inner: &[u8],
    depth: usize,
) -> Option<()> {
    let text = || std::str::from_utf8(inner).ok();
    match kind {
        // empty texts are what protobuf writes for absent ones
        Text => {
            if !inner.is_empty() {
                object.insert(name.to_owned(), text()?.into());
            }
        }
        Bytes => drop(object.insert(name.to_owned(), STANDARD.encode(inner).into())),
        Texts => list(object, name)?.push(text()?.into()),
        One(message) => drop(object.insert(name.to_owned(), decode(inner, message, depth)?)),
        Many(message) => list(object, name)?.push(decode(inner, message, depth)?),
        TextMap => pair(
            object,
            name,
            &decode(
                inner,
                &[Field(1, "key", Text), Field(2, "value", Text)],
                depth,
            )?,
        )?,
        BytesMap => pair(
            object,
            name,
            &decode(
                inner,
                &[Field(1, "key", Text), Field(2, "value", Bytes)],
                depth,
            )?,
        )?,
        IntOrText => {
            let either = &[
                Field(1, "type", Number),
                Field(2, "number", Number),
                Field(3, "text", Text),
            ];
            let found = decode(inner, either, depth)?;
            let chosen = if found["type"] == 1 {
                found["text"].clone()
            } else {
                found["number"].clone()
            };
            object.insert(name.to_owned(), chosen);
        }
        Number | Bool => return None,
    }
    Some(())
}

fn list<'a>(object: &'a mut Map<String, Value>, name: &str) -> Option<&'a mut Vec<Value>> {
    object
        .entry(name)
        .or_insert_with(|| Value::Array(Vec::new()))
        .as_array_mut()
}

fn pair(object: &mut Map<String, Value>, name: &str, pair: &Value) -> Option<()> {
    let map = object
        .entry(name)
        .or_insert_with(|| Value::Object(Map::new()))
        .as_object_mut()?;
    let value = pair.get("value").cloned().unwrap_or_else(|| "".into());
    map.insert(pair["key"].as_str().unwrap_or_default().to_owned(), value);
    Some(())
}
