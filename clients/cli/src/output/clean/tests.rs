use causeway_proto as proto;
use prost_reflect::{DynamicMessage, Kind, MessageDescriptor, SerializeOptions, Value};
use serde_json::Value as Json;

use super::*;
use crate::output::{Cell, Table};

/// Every control that a terminal acts on, with sequences that are made of them.
fn hostile() -> String {
    let c0 = (0..0x20).filter_map(char::from_u32);
    let c1 = (0x7f..0xa0).filter_map(char::from_u32);
    let bidi = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";
    let sequences = "\u{1b}]0;title\u{7}\u{1b}[2J\u{1b}[8mhidden\u{9b}31m\u{1b}P1$r\u{1b}\\";
    let controls = c0.chain(c1).filter(|it| *it != '\n').collect::<String>();
    format!("shown{controls}{bidi}{sequences}end")
}

fn assert_safe(text: &str) {
    let mut left = text.to_owned();
    for color in OWN_COLORS {
        left = left.replace(color, "");
    }
    assert!(!left.contains(is_unsafe), "{left:?}");
}

#[test]
fn cells_lines_and_messages_have_no_controls_of_a_terminal() {
    let hostile = hostile();
    let mut table = Table::new(&["NAME", "HEALTH", "MESSAGE"]);
    table.row([
        Cell::new(&hostile),
        Cell::state(&format!("Degraded{hostile}")),
        Cell::state("Healthy"),
    ]);
    table.field("Name:", &hostile);
    table.required("Message:", &hostile);
    table.state("State:", &hostile);
    let text = table.text();
    assert_safe(&text);
    assert!(text.contains("\u{1b}[38;5;10mHealthy"), "{text:?}");
    let line = clean_colored(&hostile);
    assert_safe(&line);
    assert!(line.starts_with("shown"), "{line:?}");
    assert_safe(&crate::failure::line(
        &anyhow::anyhow!("{hostile}"),
        "http://one",
    ));
    let status = tonic::Status::internal(hostile.replace('\0', ""));
    assert_safe(&crate::failure::line(&status.into(), "http://one"));
    assert_safe(&crate::words::plain(&hostile));
}

#[test]
fn harmless_text_and_own_colours_stay() {
    for text in [
        "",
        "web \u{e4}\u{4e2d}",
        "a\tb\nc",
        "\u{1b}[32m+new\u{1b}[39m",
    ] {
        assert_eq!(clean_colored(text), text);
    }
    assert_eq!(clean("\u{1b}[32mgreen\u{1b}[39m"), "[32mgreen[39m");
}

/// Fills every field of a message, down to a few levels.
fn filled(descriptor: &MessageDescriptor, depth: usize, text: &str) -> DynamicMessage {
    let mut message = DynamicMessage::new(descriptor.clone());
    for field in descriptor.fields() {
        // Times and durations have a text form of their own.
        let is_well_known = |it: &MessageDescriptor| it.package_name() == "google.protobuf";
        let kind = field.kind();
        let value = if kind == Kind::String {
            Value::String(text.to_owned())
        } else if field.is_map() {
            if let Some(map) = filled_map(&kind, text) {
                message.set_field(&field, map);
            }
            continue;
        } else if let Some(inner) = kind.as_message()
            && depth > 0
            && !is_well_known(inner)
        {
            Value::Message(filled(inner, depth - 1, text))
        } else {
            continue;
        };
        let value = if field.is_list() {
            Value::List(vec![value])
        } else {
            value
        };
        message.set_field(&field, value);
    }
    message
}

/// A map of one text to itself, if the map is of texts.
fn filled_map(kind: &Kind, text: &str) -> Option<Value> {
    let entry = kind.as_message()?;
    let kinds = [entry.map_entry_key_field(), entry.map_entry_value_field()].map(|it| it.kind());
    let key = prost_reflect::MapKey::String(text.to_owned());
    let map = [(key, Value::String(text.to_owned()))].into();
    (kinds == [Kind::String, Kind::String]).then_some(Value::Map(map))
}

fn texts(value: &Json, all: &mut Vec<String>) {
    match value {
        Json::String(text) => all.push(text.clone()),
        Json::Array(items) => items.iter().for_each(|it| texts(it, all)),
        Json::Object(fields) => {
            all.extend(fields.keys().cloned());
            fields.values().for_each(|it| texts(it, all));
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

#[test]
fn every_string_of_every_message_is_printed_without_controls() {
    let hostile = hostile();
    let pool = proto::descriptor_pool();
    let mut number = 0;
    for descriptor in pool.all_messages() {
        if !descriptor.full_name().starts_with("causeway.") || descriptor.is_map_entry() {
            continue;
        }
        let message = filled(&descriptor, 3, &hostile);
        let options = SerializeOptions::new().skip_default_fields(true);
        let json = message
            .serialize_with_options(serde_json::value::Serializer, &options)
            .unwrap();
        let printed = escape_json(serde_json::to_string_pretty(&json).unwrap());
        assert_safe(&printed);
        let read: Json = serde_json::from_str(&printed).unwrap();
        assert_eq!(read, json, "{}", descriptor.full_name());
        let mut all = Vec::new();
        texts(&json, &mut all);
        let mut table = Table::plain();
        for text in all.into_iter().filter(|it| *it == hostile) {
            number += 1;
            table.field(descriptor.name(), text);
        }
        assert_safe(&table.text());
    }
    assert!(number > 300, "{number} fields were printed");
}
