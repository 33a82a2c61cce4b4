//! `causeway image …`: images and the applications that run them.

use causeway_proto::inventory::v1 as pb;

use crate::{
    connection::Connection,
    output::{self, Cell, Columns, Format, Headings},
    pages,
    selection::Selection,
    words,
};

const PAGE: u32 = 1_000;
/// Number of applications that a line names.
const NAMED: usize = 3;

#[derive(clap::Subcommand, Debug)]
pub(crate) enum ImageCommand {
    /// List images and the applications that use them
    #[command(visible_alias = "ls")]
    List(ListArgs),
}

/// Images to list.
#[derive(clap::Args, Debug)]
pub(crate) struct ListArgs {
    /// Filter by text in the repository
    #[arg(value_name = "TEXT")]
    text: Option<String>,
    /// Filter by application: NAME or NAMESPACE/NAME
    #[arg(short, long, value_name = "APPLICATION")]
    application: Option<String>,
    /// Filter by runtime
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,
}

impl ImageCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let Self::List(args) = self;
        let mut client = connection.resources();
        let request = args.into_request();
        let images = pages::read_all(async |page_token| {
            let request = pb::ListImagesRequest {
                page_token,
                ..request.clone()
            };
            client.list_images(request).await
        });
        let mut response = images.await?;
        if response.images.is_empty() {
            let selection = Selection::of_runtime(&request.runtime, "");
            selection.check(connection).await?;
        }
        // Pages are cut by applications, so that an image may span two.
        response.images = merge_pages(response.images);
        output::list::<Images>(response, format)
    }
}

impl ListArgs {
    fn into_request(self) -> pb::ListImagesRequest {
        let application = self.application.unwrap_or_default();
        let (namespace, name) = application.split_once('/').unwrap_or(("", &application));
        pb::ListImagesRequest {
            runtime: self.runtime.unwrap_or_default(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            text: self.text.unwrap_or_default(),
            page_size: PAGE,
            page_token: String::new(),
        }
    }
}

/// Merges the applications of an image that continues on the next page.
fn merge_pages(images: Vec<pb::ImageInUse>) -> Vec<pb::ImageInUse> {
    let mut merged: Vec<pb::ImageInUse> = Vec::new();
    for image in images {
        let is_same = |last: &&mut pb::ImageInUse| {
            let names =
                |it: &pb::ImageInUse| [it.repository.clone(), it.tag.clone(), it.digest.clone()];
            names(last) == names(&image)
        };
        match merged.last_mut().filter(is_same) {
            Some(last) => last.applications.extend(image.applications),
            None => merged.push(image),
        }
    }
    merged
}

struct Images;

impl Columns for Images {
    type Item = pb::ImageInUse;
    const HEADINGS: Headings = &["IMAGE", "TAG", "DIGEST", "APPLICATIONS"];
    const NONE: &'static str = "no images";

    fn cells(image: &pb::ImageInUse) -> Vec<Cell> {
        vec![
            Cell::new(words::plain(&image.repository)),
            Cell::new(words::or_dash(&words::plain(&image.tag))),
            Cell::new(words::or_dash(&words::plain(&image.digest))),
            Cell::new(users(&image.applications)),
        ]
    }
}

/// The first of them, and how many there are more.
fn users(applications: &[pb::ImageUser]) -> String {
    let named = applications.iter().take(NAMED);
    let named = named.map(|it| format!("{}/{}/{}", it.runtime, it.namespace, it.name));
    let named = named.collect::<Vec<_>>().join(", ");
    match applications.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
mod tests;
