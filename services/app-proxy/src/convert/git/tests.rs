use super::*;

fn set(value: &str, expected: &str) -> pb::FileEdit {
    let set = pb::SetValue {
        at: "image.tag".to_owned(),
        value: value.to_owned(),
        expected: expected.to_owned(),
    };
    pb::FileEdit {
        path: "apps/values.yaml".to_owned(),
        document: String::new(),
        edit: Some(pb::file_edit::Edit::SetValue(set)),
    }
}

#[test]
fn values_keep_all_digits_of_their_numbers() {
    for (text, value) in [
        ("\"v2\"", Value::string("v2")),
        ("1.10", Value::Number("1.10".to_owned())),
        (
            "12345678901234567890123",
            Value::Number("12345678901234567890123".to_owned()),
        ),
        ("true", Value::Bool(true)),
        ("null", Value::Null),
        ("[\"a\"]", Value::List(vec![Value::string("a")])),
    ] {
        assert_eq!(read_value("value", text).unwrap(), value, "{text}");
    }
}

#[test]
fn text_that_is_no_single_json_value_is_refused_by_its_field() {
    for text in ["", "v2", "\"a\", \"b\": 1", "1}{", "{", "'a'"] {
        let error = read_edit(set(text, "")).unwrap_err().to_string();
        assert!(
            error.starts_with("set_value.value must be JSON"),
            "{text}: {error}"
        );
    }
    let error = read_edit(set("1", "v2")).unwrap_err().to_string();
    assert!(error.starts_with("expected must be JSON"), "{error}");
}

#[test]
fn an_edit_without_a_change_is_refused() {
    let edit = pb::FileEdit {
        edit: None,
        ..set("1", "")
    };
    let error = read_edit(edit).unwrap_err().to_string();
    assert!(error.starts_with("edits must each say"), "{error}");
}

#[test]
fn documents_are_selected_by_position_or_by_object() {
    assert_eq!(read_document(""), DocumentSelector::Only);
    assert_eq!(read_document("2"), DocumentSelector::Index(2));
    let object = DocumentSelector::Object {
        kind: "Deployment".to_owned(),
        name: "web".to_owned(),
    };
    assert_eq!(read_document("Deployment/web"), object);
}

#[test]
fn a_credential_without_a_secret_is_none() {
    let empty = pb::Credential::default().encode_to_vec();
    assert!(matches!(
        read_credential(&empty),
        Err(RepositoryError::Credential)
    ));
    assert!(matches!(
        read_credential(&[0xff; 9]),
        Err(RepositoryError::Credential)
    ));
}
