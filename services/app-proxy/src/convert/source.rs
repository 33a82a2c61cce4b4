//! What users want an application to be rendered with.

use causeway_argocd::rest::ApplicationName;
use causeway_proto::proxy::v1 as pb;

use super::{
    FieldError,
    order::{check_number, read_text, to_mode},
    read_name, read_request_identity, read_revision,
};
use crate::{
    scope::Requester,
    source::{Automated, Directory, HelmParameter, Ownership, PolicyOrder, SourceOrder},
};

const MOST: usize = 100;
const LONGEST_NAME: usize = 512;
const LONGEST_VALUE: usize = 8_192;

pub(crate) fn read_set_source(
    request: pb::SetApplicationSourceRequest,
    requester: &Requester,
) -> Result<(ApplicationName, SourceOrder), FieldError> {
    let asked = read_request_identity(
        ("SetApplicationSource", &requester.user),
        &request.request_id,
        &request,
    )?;
    let glob = |field, glob: Option<String>| {
        let read = |glob| read_text(field, glob, LONGEST_NAME);
        glob.map(read).transpose()
    };
    let policy = read_policy(&request)?;
    let order = SourceOrder {
        asked,
        policy,
        position: request.source_position,
        revision: read_revision(request.target_revision)?,
        parameters: read_parameters(request.helm_parameters)?,
        removed_parameters: read_names("removed_helm_parameters", request.removed_helm_parameters)?,
        value_files: read_names("helm_value_files", request.helm_value_files)?,
        images: read_images(request.kustomize_images)?,
        removed_images: read_names("removed_kustomize_images", request.removed_kustomize_images)?,
        directory: Directory {
            recurse: request.directory_recurse,
            include: glob("directory_include", request.directory_include)?,
            exclude: glob("directory_exclude", request.directory_exclude)?,
        },
        ownership: if request.force {
            Ownership::Overridden
        } else {
            Ownership::Respected
        },
        mode: to_mode(request.dry_run),
    };
    if order.is_empty() {
        Err(FieldError::Nothing)
    } else {
        Ok((read_name(request.namespace, request.name)?, order))
    }
}

fn read_policy(request: &pb::SetApplicationSourceRequest) -> Result<PolicyOrder, FieldError> {
    let automated = match pb::AutomatedSync::try_from(request.automated_sync) {
        Ok(pb::AutomatedSync::Unspecified) => None,
        Ok(pb::AutomatedSync::Enabled) => Some(Automated::Enabled),
        Ok(pb::AutomatedSync::Disabled) => Some(Automated::Disabled),
        Err(_) => {
            return Err(FieldError::Shape {
                field: "automated_sync",
                value: request.automated_sync.to_string(),
                what: "choice of automated sync",
            });
        }
    };
    Ok(PolicyOrder {
        automated,
        prune: request.auto_prune,
        self_heal: request.self_heal,
    })
}

fn read_names(field: &'static str, names: Vec<String>) -> Result<Vec<String>, FieldError> {
    check_number(field, names.len(), MOST)?;
    let names = names.into_iter().map(|name| read_word(field, name, "name"));
    names.collect()
}

fn read_images(images: Vec<String>) -> Result<Vec<String>, FieldError> {
    let field = "kustomize_images";
    check_number(field, images.len(), MOST)?;
    let images = images
        .into_iter()
        .map(|image| read_word(field, image, "image"));
    images.collect()
}

fn read_word(field: &'static str, word: String, what: &'static str) -> Result<String, FieldError> {
    let word = read_text(field, word, LONGEST_NAME)?;
    if word.is_empty() || word.contains(char::is_whitespace) {
        Err(FieldError::Shape {
            field,
            value: word,
            what,
        })
    } else {
        Ok(word)
    }
}

fn read_parameters(parameters: Vec<pb::HelmParameter>) -> Result<Vec<HelmParameter>, FieldError> {
    check_number("helm_parameters", parameters.len(), MOST)?;
    let read = |it: pb::HelmParameter| {
        if it.value.len() > LONGEST_VALUE {
            return Err(FieldError::Text {
                field: "helm_parameters.value",
                most: LONGEST_VALUE,
            });
        }
        Ok(HelmParameter {
            name: read_word("helm_parameters.name", it.name, "name of a parameter")?,
            value: it.value,
            force_string: it.force_string,
        })
    };
    parameters.into_iter().map(read).collect()
}

#[cfg(test)]
mod tests;
