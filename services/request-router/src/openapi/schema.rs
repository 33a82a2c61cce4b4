//! Messages and enums as JSON Schema, each once.

use std::collections::{BTreeMap, BTreeSet};

use prost_reflect::{EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, OneofDescriptor};
use serde_json::{Map, Value, json};

use super::comments::Comments;

/// Those that are used so far.
pub(super) struct Schemas<'c> {
    comments: &'c Comments,
    begun: BTreeSet<String>,
    done: BTreeMap<String, Value>,
}

impl<'c> Schemas<'c> {
    pub(super) fn new(comments: &'c Comments) -> Self {
        Self {
            comments,
            begun: BTreeSet::new(),
            done: BTreeMap::new(),
        }
    }

    pub(super) fn into_components(self) -> Map<String, Value> {
        self.done.into_iter().collect()
    }

    /// A field with what is said of it.
    pub(super) fn field(&mut self, field: &FieldDescriptor) -> Value {
        let kind = field.kind();
        let entry = kind.as_message().filter(|_| field.is_map());
        let mut schema = if let Some(entry) = entry {
            let values = self.kind(entry.map_entry_value_field().kind());
            json!({"type": "object", "additionalProperties": values})
        } else if field.is_list() {
            json!({"type": "array", "items": self.kind(kind)})
        } else {
            self.kind(kind)
        };
        let comment = self.comments.of(&field.parent_file(), field.path());
        if !comment.is_empty() {
            schema["description"] = comment.into();
        }
        schema
    }

    /// A reference to a message, or what JSON has instead of one of protobuf's own.
    pub(super) fn message(&mut self, message: &MessageDescriptor) -> Value {
        let name = message.full_name();
        if let Some(known) = well_known(name) {
            return known;
        }
        if self.begun.insert(name.to_owned()) {
            let schema = self.fields(message);
            self.done.insert(name.to_owned(), schema);
        }
        reference(name)
    }

    fn fields(&mut self, message: &MessageDescriptor) -> Value {
        let fields = message.fields();
        let properties: Map<_, _> = fields
            .map(|field| (field.json_name().to_owned(), self.field(&field)))
            .collect();
        let comment = self.comments.of(&message.parent_file(), message.path());
        let choices = message.oneofs().filter(|oneof| !oneof.is_synthetic());
        let choices = choices.map(|oneof| choice(&oneof));
        let said: Vec<_> = [comment.to_owned()].into_iter().chain(choices).collect();
        described(
            json!({"type": "object", "properties": properties}),
            &said.join(" "),
        )
    }

    fn kind(&mut self, kind: Kind) -> Value {
        match kind {
            Kind::Message(message) => self.message(&message),
            Kind::Enum(names) => self.names(&names),
            Kind::String => json!({"type": "string"}),
            Kind::Bool => json!({"type": "boolean"}),
            Kind::Bytes => json!({"type": "string", "contentEncoding": "base64"}),
            Kind::Float => json!({"type": "number", "format": "float"}),
            Kind::Double => json!({"type": "number", "format": "double"}),
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => {
                json!({"type": "integer", "format": "int32"})
            }
            Kind::Uint32 | Kind::Fixed32 => {
                json!({"type": "integer", "minimum": 0, "maximum": u32::MAX})
            }
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => {
                json!({"type": "string", "format": "int64", "pattern": "^-?[0-9]+$"})
            }
            Kind::Uint64 | Kind::Fixed64 => {
                json!({"type": "string", "format": "uint64", "pattern": "^[0-9]+$"})
            }
        }
    }

    fn names(&mut self, names: &EnumDescriptor) -> Value {
        let name = names.full_name();
        if name == "google.protobuf.NullValue" {
            return json!({"type": "null"});
        }
        if self.begun.insert(name.to_owned()) {
            let listed: Vec<_> = names
                .values()
                .map(|value| value.name().to_owned())
                .collect();
            let file = names.parent_file();
            let values = names.values().map(|value| {
                let comment = self.comments.of(&file, value.path());
                format!("\n- `{}`: {comment}", value.name())
            });
            let own = self.comments.of(&file, names.path());
            let comment = own.to_owned() + "\n" + &values.collect::<String>();
            let schema = described(json!({"type": "string", "enum": listed}), &comment);
            self.done.insert(name.to_owned(), schema);
        }
        reference(name)
    }
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn described(mut schema: Value, comment: &str) -> Value {
    let comment = comment.trim();
    if !comment.is_empty() {
        schema["description"] = comment.into();
    }
    schema
}

fn choice(oneof: &OneofDescriptor) -> String {
    let names: Vec<_> = oneof
        .fields()
        .map(|field| format!("`{}`", field.json_name()))
        .collect();
    format!("At most one of {} is set.", names.join(", "))
}

/// How JSON writes the messages of protobuf itself.
fn well_known(name: &str) -> Option<Value> {
    let known = match name.strip_prefix("google.protobuf.")? {
        "Timestamp" => json!({"type": "string", "format": "date-time"}),
        "Duration" => json!({"type": "string", "pattern": "^-?[0-9]+(\\.[0-9]{1,9})?s$"}),
        "FieldMask" => json!({"type": "string"}),
        "Struct" | "Empty" => json!({"type": "object"}),
        "Value" => json!({}),
        "ListValue" => json!({"type": "array", "items": {}}),
        "Any" => json!({
            "type": "object",
            "properties": {"@type": {"type": "string"}},
            "required": ["@type"],
            "additionalProperties": true,
        }),
        "BoolValue" => json!({"type": ["boolean", "null"]}),
        "StringValue" => json!({"type": ["string", "null"]}),
        "BytesValue" => json!({"type": ["string", "null"], "contentEncoding": "base64"}),
        "DoubleValue" | "FloatValue" => json!({"type": ["number", "null"]}),
        "Int32Value" | "UInt32Value" => json!({"type": ["integer", "null"]}),
        "Int64Value" | "UInt64Value" => json!({"type": ["string", "null"]}),
        _ => return None,
    };
    Some(known)
}
