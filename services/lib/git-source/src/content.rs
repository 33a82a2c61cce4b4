//! Escapes that the content of the repository tries, as the Application's status and the objects of the namespace show them.
//! Argo CD refuses them by the projects; this says so in words.

use serde_json::Value;

use crate::{
    object::{Kind, Object, text},
    plan::application_project,
    refusal::Refusal,
    spec::Spec,
};

/// So many are named in one condition.
const MOST: usize = 5;
const OUT_OF_BOUNDS: &str = "out-of-bounds symlink";

/// Finds escapes in the source's Application and the Applications and ApplicationSets of its namespace.
#[must_use]
pub fn escapes(
    object: &Object,
    spec: &Spec,
    application: &Value,
    children: &[Value],
) -> Vec<Refusal> {
    let expected = application_project(&object.name);
    let listed = resources(application).filter_map(|it| of_resource(it, &spec.source_namespace));
    let children = children
        .iter()
        .filter_map(|child| of_child(child, &expected));
    let links = conditions(application).any(|it| text(it, "/message").contains(OUT_OF_BOUNDS));
    let links = links.then_some(Refusal::SymlinkEscapes);
    let mut found: Vec<Refusal> = Vec::new();
    for refusal in links.into_iter().chain(listed).chain(children) {
        if found.len() < MOST && !found.contains(&refusal) {
            found.push(refusal);
        }
    }
    found
}

/// The conditions of an Application.
pub fn conditions(application: &Value) -> impl Iterator<Item = &Value> {
    list(application, "/status/conditions")
}

/// Resources that the Application has or tried to have.
fn resources(application: &Value) -> impl Iterator<Item = &Value> {
    let tried = "/status/operationState/syncResult/resources";
    list(application, "/status/resources").chain(list(application, tried))
}

fn list<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    let list = value.pointer(pointer).and_then(Value::as_array);
    list.into_iter().flatten()
}

fn of_resource(resource: &Value, expected: &str) -> Option<Refusal> {
    let field = |name: &str| text(resource, name).to_owned();
    let (kind, name, namespace) = (field("/kind"), field("/name"), field("/namespace"));
    match (text(resource, "/group"), kind.as_str()) {
        ("argoproj.io", "Application" | "ApplicationSet") if namespace == expected => None,
        ("argoproj.io", "Application" | "ApplicationSet") => {
            Some(Refusal::ApplicationOutsideNamespace {
                kind,
                name,
                namespace,
                expected: expected.to_owned(),
            })
        }
        (_, Kind::NAME) => Some(Refusal::ContainsGitSource { name }),
        ("", "Secret") => Some(Refusal::ContainsSecret { name }),
        ("", "Namespace") if name == expected => None,
        ("", "Namespace") => Some(Refusal::ContainsNamespace {
            name,
            expected: expected.to_owned(),
        }),
        _ => Some(Refusal::KindNotAllowed { kind, name }),
    }
}

fn of_child(child: &Value, expected: &str) -> Option<Refusal> {
    let name = text(child, "/metadata/name").to_owned();
    let kind = text(child, "/kind").to_owned();
    if kind != "ApplicationSet" {
        return of_project(text(child, "/spec/project"), kind, name, expected);
    }
    // A patch is a text, possibly templated itself, so any mention counts.
    if text(child, "/spec/templatePatch").contains("project") {
        return Some(Refusal::TemplatePatchSetsProject { name });
    }
    // Each generator may have a template of its own, which wins.
    let mut projects = vec![text(child, "/spec/template/spec/project")];
    if let Some(generators) = child.pointer("/spec/generators") {
        template_projects(generators, &mut projects);
    }
    let foreign = projects.into_iter().find(|project| *project != expected)?;
    of_project(foreign, kind, name, expected)
}

/// Collects the projects of templates at any depth. The API server bounds the depth.
fn template_projects<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    if let Some(project) = value.pointer("/template/spec/project") {
        found.extend(project.as_str().filter(|project| !project.is_empty()));
    }
    match value {
        Value::Array(items) => items.iter().for_each(|it| template_projects(it, found)),
        Value::Object(fields) => fields.values().for_each(|it| template_projects(it, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn of_project(project: &str, kind: String, name: String, expected: &str) -> Option<Refusal> {
    let project = project.to_owned();
    let expected = expected.to_owned();
    match project.as_str() {
        it if it == expected => None,
        "" | "default" => Some(Refusal::ProjectDefault {
            kind,
            name,
            expected,
        }),
        it if it.contains("{{") => Some(Refusal::ProjectTemplated {
            kind,
            name,
            expected,
        }),
        it if it.contains('*') => Some(Refusal::ProjectPattern {
            kind,
            name,
            expected,
        }),
        _ => Some(Refusal::ProjectForeign {
            kind,
            name,
            project,
            expected,
        }),
    }
}
