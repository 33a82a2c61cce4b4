//! `causeway image …`: which images run where.

use causeway_proto::inventory::v1 as pb;
use comfy_table::Cell;

use crate::{
    connection::Connection,
    output::{self, Columns, Format},
    words,
};

const LIST: &str = "causeway.inventory.v1.ListImagesResponse";
const PAGE: u32 = 1_000;
/// How many applications of an image a line names.
const NAMED: usize = 3;

#[derive(clap::Subcommand, Debug)]
pub(crate) enum ImageCommand {
    /// List images and the applications that use them
    #[command(visible_alias = "ls")]
    List(ListArgs),
}

/// Which images.
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
        let images = all(connection, args.into_request()).await?;
        let response = pb::ListImagesResponse {
            images,
            next_page_token: String::new(),
        };
        let response = output::arranged(LIST, response)?;
        if format != Format::Table {
            return output::document(LIST, &response, format);
        }
        let images = response.images;
        if images.is_empty() {
            output::note("no images");
            return Ok(());
        }
        table(&images).print()
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

async fn all(
    connection: &Connection,
    mut request: pb::ListImagesRequest,
) -> anyhow::Result<Vec<pb::ImageInUse>> {
    let mut client = connection.resources();
    let mut images = Vec::new();
    loop {
        let page = client.list_images(request.clone()).await?.into_inner();
        page.images
            .into_iter()
            .for_each(|image| add(&mut images, image));
        if page.next_page_token.is_empty() {
            return Ok(images);
        }
        request.page_token = page.next_page_token;
    }
}

/// Adds an image, which may go on from the page before.
fn add(images: &mut Vec<pb::ImageInUse>, image: pb::ImageInUse) {
    let same = |last: &&mut pb::ImageInUse| {
        last.repository == image.repository && last.tag == image.tag && last.digest == image.digest
    };
    match images.last_mut().filter(same) {
        Some(last) => last.applications.extend(image.applications),
        None => images.push(image),
    }
}

fn table(images: &[pb::ImageInUse]) -> Columns {
    let mut columns = Columns::new(&["IMAGE", "TAG", "DIGEST", "APPLICATIONS"]);
    for image in images {
        columns.row(vec![
            Cell::new(words::plain(&image.repository)),
            Cell::new(words::or_dash(&words::plain(&image.tag))),
            Cell::new(words::or_dash(&words::plain(&image.digest))),
            Cell::new(users(&image.applications)),
        ]);
    }
    columns
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
