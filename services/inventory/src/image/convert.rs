//! What callers ask of images, and what they are answered.

use causeway_proto::inventory::v1 as pb;

use crate::{
    application::Visible,
    convert::{LONGEST_NAME, page_from, page_limit, short},
    image::{ImageFilter, ImageToken, ImageUse},
    report::FieldError,
};

/// What a list of images asks for.
pub(crate) struct ListOfImages {
    pub(crate) filter: ImageFilter,
    pub(crate) from: Option<ImageToken>,
    pub(crate) limit: usize,
}

impl ListOfImages {
    /// What a caller asks for of what it may see.
    pub(crate) fn read(
        request: pb::ListImagesRequest,
        visible: Visible,
    ) -> Result<Self, FieldError> {
        let texts = [
            ("runtime", &request.runtime),
            ("namespace", &request.namespace),
            ("name", &request.name),
            ("text", &request.text),
        ];
        for (field, text) in texts {
            short(field, text, LONGEST_NAME)?;
        }
        Ok(Self {
            limit: page_limit(request.page_size),
            from: page_from(&request.page_token)?,
            filter: ImageFilter {
                visible,
                runtime: request.runtime,
                namespace: request.namespace,
                name: request.name,
                text: request.text,
            },
        })
    }
}

/// Uses, sorted by image, as images with those who use them.
pub(crate) fn to_images(uses: Vec<ImageUse>) -> Vec<pb::ImageInUse> {
    let mut images: Vec<pb::ImageInUse> = Vec::new();
    for ImageUse { image, application } in uses {
        let user = pb::ImageUser {
            runtime: application.runtime_name,
            cluster: application.cluster,
            namespace: application.namespace,
            name: application.name,
        };
        let last = images.last_mut().filter(|last| {
            last.repository == image.repository
                && last.tag == image.tag
                && last.digest == image.digest
        });
        match last {
            Some(last) => last.applications.push(user),
            None => images.push(pb::ImageInUse {
                repository: image.repository,
                tag: image.tag,
                digest: image.digest,
                applications: vec![user],
            }),
        }
    }
    images
}
