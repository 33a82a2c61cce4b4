//! Errors of an application, one line each.

use causeway_proto::inventory::v1::{self as pb, application_error::Source};

use crate::words;

/// Returns a heading and a text for each error; for each condition if an old reporter sends no errors.
pub(super) fn lines(status: &pb::ApplicationStatus) -> Vec<(&'static str, String)> {
    if status.errors.is_empty() {
        let conditions = status.conditions.iter();
        return conditions
            .map(|it| {
                let message = words::plain(&it.message);
                ("Condition:", format!("{}: {message}", it.r#type))
            })
            .collect();
    }
    let line = |error: &pb::ApplicationError| {
        let heading = match error.level() {
            pb::ApplicationErrorLevel::Warning => "Warning:",
            pb::ApplicationErrorLevel::Error | pb::ApplicationErrorLevel::Unspecified => "Error:",
        };
        (heading, text(error))
    };
    status.errors.iter().map(line).collect()
}

/// Returns the omissions of the reporter, one line each.
pub(super) fn left_out(status: &pb::ApplicationStatus) -> Vec<String> {
    let line = |it: &pb::Omission| match &it.resource {
        Some(resource) => {
            let (field, total) = (&it.field, it.total);
            format!("{field} of {}: {total} bytes", named(resource))
        }
        None => format!("{}: {} of {} are here", it.field, it.kept, it.total),
    };
    status.omissions.iter().map(line).collect()
}

fn text(error: &pb::ApplicationError) -> String {
    let message = words::plain(&error.message);
    let source = match &error.source {
        Some(Source::Condition(kind)) => kind.clone(),
        Some(Source::Operation(_)) => "operation".to_owned(),
        Some(Source::Resource(resource)) => named(resource),
        Some(Source::Child(child)) => format!("application {}", place(child)),
        None => "application".to_owned(),
    };
    match &error.last_seen {
        Some(seen) => format!("{source}: {message} ({})", words::ago(Some(seen))),
        None => format!("{source}: {message}"),
    }
}

fn named(resource: &pb::ResourceName) -> String {
    let pb::ResourceName {
        kind,
        group,
        namespace,
        name,
        ..
    } = resource;
    words::object_name([kind, group, namespace, name])
}

fn place(resource: &pb::ResourceName) -> String {
    match resource.namespace.as_str() {
        "" => resource.name.clone(),
        namespace => format!("{namespace}/{}", resource.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(source: Source) -> pb::ApplicationError {
        pb::ApplicationError {
            level: pb::ApplicationErrorLevel::Error.into(),
            message: "it is so\nand so".to_owned(),
            source: Some(source),
            ..pb::ApplicationError::default()
        }
    }

    fn resource(group: &str, namespace: &str) -> pb::ResourceName {
        pb::ResourceName {
            group: group.to_owned(),
            kind: "Kind".to_owned(),
            namespace: namespace.to_owned(),
            name: "name".to_owned(),
            ..pb::ResourceName::default()
        }
    }

    #[test]
    fn each_error_is_one_line_that_begins_with_where_it_comes_from() {
        let check = |source: Source, wanted: &str| {
            assert_eq!(text(&error(source)), format!("{wanted}: it is so"));
        };
        check(Source::Condition("SyncError".to_owned()), "SyncError");
        check(Source::Operation(4), "operation");
        check(Source::Resource(resource("apps", "x")), "Kind.apps x/name");
        check(Source::Resource(resource("", "")), "Kind name");
        check(
            Source::Child(resource("argoproj.io", "x")),
            "application x/name",
        );
    }

    #[test]
    fn an_omission_is_printed_with_its_size() {
        let omission = |field: &str, resource: Option<pb::ResourceName>| pb::Omission {
            field: field.to_owned(),
            total: 30,
            kept: 10,
            resource,
        };
        let big = resource("", "x");
        let status = pb::ApplicationStatus {
            omissions: vec![
                omission("resources", None),
                omission("live manifest", Some(big)),
            ],
            ..pb::ApplicationStatus::default()
        };
        let wanted = [
            "resources: 10 of 30 are here",
            "live manifest of Kind x/name: 30 bytes",
        ];
        assert_eq!(left_out(&status), wanted);
    }

    #[test]
    fn conditions_are_shown_without_errors() {
        let condition = pb::Condition {
            r#type: "ComparisonError".to_owned(),
            message: "why".to_owned(),
            since: None,
        };
        let mut status = pb::ApplicationStatus {
            conditions: vec![condition],
            ..pb::ApplicationStatus::default()
        };
        let wanted = ("Condition:", "ComparisonError: why".to_owned());
        assert_eq!(lines(&status), [wanted]);
        let mut warning = error(Source::Condition("SharedResourceWarning".to_owned()));
        warning.level = pb::ApplicationErrorLevel::Warning.into();
        status.errors = vec![warning];
        assert_eq!(lines(&status)[0].0, "Warning:");
        assert_eq!(lines(&status).len(), 1);
    }
}
