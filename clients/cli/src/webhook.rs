//! `causeway webhook …`: webhook routes of runtimes, and what came in by them.

use causeway_proto::webhook::v1 as pb;

use crate::{
    connection::Connection,
    output::{self, Cell, Columns, Format, Headings},
    pages,
    request::{self, RequestIdArgs},
    resource::{RuntimeArg, runtime_of},
    words,
};

const PAGE: u32 = 500;

#[derive(clap::Subcommand, Debug)]
pub(crate) enum WebhookCommand {
    /// List received webhooks, newest first
    #[command(visible_alias = "ls")]
    List(ListArgs),
    /// List the webhook routes of a runtime, with their paths
    Routes(RuntimeArg),
    /// Show a received webhook with its headers
    #[command(visible_alias = "get")]
    Show(NumberArgs),
    /// Hand a received webhook to its subscribers again
    Replay {
        #[command(flatten)]
        number: NumberArgs,
        #[command(flatten)]
        ids: RequestIdArgs,
    },
    /// Send a signed sample to a route; it refreshes no application
    Test {
        /// Name of the route
        #[arg(value_name = "ROUTE")]
        route: String,
        #[command(flatten)]
        runtime: RuntimeArg,
        #[command(flatten)]
        ids: RequestIdArgs,
    },
}

/// A received webhook.
#[derive(clap::Args, Debug)]
pub(crate) struct NumberArgs {
    /// Number of the webhook, from 'causeway webhook list'
    #[arg(value_name = "NUMBER")]
    number: u64,
    #[command(flatten)]
    runtime: RuntimeArg,
}

/// Webhooks to list.
#[derive(clap::Args, Debug)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    runtime: RuntimeArg,
    /// Filter by route
    #[arg(
        long,
        value_name = "ROUTE",
        default_value = "",
        hide_default_value = true
    )]
    route: String,
    /// Filter by state at a subscriber
    #[arg(long, value_enum)]
    state: Option<State>,
    /// Maximum number of webhooks
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    limit: usize,
}

/// State of a webhook at a subscriber.
#[derive(clap::ValueEnum, Debug, Clone, Copy)]
enum State {
    /// Not handled yet
    Pending,
    /// Handled
    Done,
    /// Not handled after all tries
    Dead,
}

impl WebhookCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) => args.run(connection, format).await,
            Self::Routes(args) => {
                let runtime = runtime_of(connection, args.runtime).await?;
                let request = pb::ListWebhookRoutesRequest { runtime };
                let listed = connection.webhooks().list_webhook_routes(request).await?;
                output::list::<Routes>(listed.into_inner(), format)
            }
            Self::Show(args) => {
                let request = pb::GetWebhookDeliveryRequest {
                    runtime: runtime_of(connection, args.runtime.runtime).await?,
                    number: args.number.to_string(),
                };
                let found = connection.webhooks().get_webhook_delivery(request).await?;
                output::one::<Deliveries>(found.into_inner().delivery, format)
            }
            Self::Replay { number, ids } => replay(connection, (number, ids), format).await,
            Self::Test {
                route,
                runtime,
                ids,
            } => test(connection, (route, runtime, ids), format).await,
        }
    }
}

impl ListArgs {
    async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let state = match self.state {
            None => pb::DeliveryState::Unspecified,
            Some(State::Pending) => pb::DeliveryState::Pending,
            Some(State::Done) => pb::DeliveryState::Done,
            Some(State::Dead) => pb::DeliveryState::Dead,
        };
        let request = pb::ListWebhookDeliveriesRequest {
            runtime: runtime_of(connection, self.runtime.runtime).await?,
            route: self.route,
            state: state.into(),
            page_size: u32::try_from(self.limit).map_or(PAGE, |limit| limit.clamp(1, 500)),
            page_token: String::new(),
        };
        let mut client = connection.webhooks();
        let fetch = async |page_token| {
            let request = pb::ListWebhookDeliveriesRequest {
                page_token,
                ..request.clone()
            };
            client.list_webhook_deliveries(request).await
        };
        let listed = pages::read_while(fetch, |read| read < self.limit).await;
        let (mut listed, _) = listed?;
        listed.deliveries.truncate(self.limit);
        output::list::<Deliveries>(listed, format)
    }
}

async fn replay(
    connection: &Connection,
    (args, ids): (NumberArgs, RequestIdArgs),
    format: Format,
) -> anyhow::Result<()> {
    let requests = ids.for_one()?;
    let request = pb::ReplayWebhookDeliveryRequest {
        runtime: runtime_of(connection, args.runtime.runtime).await?,
        number: args.number.to_string(),
        request_id: requests.request_id(&args.number.to_string()),
    };
    let call = async || {
        let mut client = connection.webhooks();
        client.replay_webhook_delivery(request.clone()).await
    };
    let replayed = request::send(&requests.retry_command(), call).await?;
    match format {
        Format::Table => output::line(format!("webhook {} is pending again", args.number)),
        Format::Json | Format::Yaml => output::document(&replayed, format),
    }
}

async fn test(
    connection: &Connection,
    (route, runtime, ids): (String, RuntimeArg, RequestIdArgs),
    format: Format,
) -> anyhow::Result<()> {
    let requests = ids.for_one()?;
    let request = pb::TestWebhookRouteRequest {
        runtime: runtime_of(connection, runtime.runtime).await?,
        route: route.clone(),
        request_id: requests.request_id(&route),
    };
    let call = async || {
        let mut client = connection.webhooks();
        client.test_webhook_route(request.clone()).await
    };
    let sent = request::send(&requests.retry_command(), call).await?;
    let number = sent.delivery.as_ref().map_or(0, |it| it.number);
    match format {
        Format::Table => output::line(format!(
            "route '{route}' accepted the sample as webhook {number}"
        )),
        Format::Json | Format::Yaml => output::document(&sent, format),
    }
}

/// The words of `--webhook-route`.
fn provider_word(provider: pb::WebhookProvider) -> &'static str {
    match provider {
        pb::WebhookProvider::Unspecified => "-",
        pb::WebhookProvider::Github => "github",
        pb::WebhookProvider::Gitlab => "gitlab",
        pb::WebhookProvider::BitbucketCloud => "bitbucket-cloud",
        pb::WebhookProvider::BitbucketDataCenter => "bitbucket-data-center",
        pb::WebhookProvider::AzureDevops => "azure-devops",
        pb::WebhookProvider::Gitea => "gitea",
        pb::WebhookProvider::Standard => "standard",
    }
}

fn state_word(outcome: &pb::DeliveryOutcome) -> &'static str {
    match outcome.state() {
        pb::DeliveryState::Unspecified => "-",
        pb::DeliveryState::Pending => "pending",
        pb::DeliveryState::Done => "done",
        pb::DeliveryState::Dead => "dead",
    }
}

struct Deliveries;

impl Columns for Deliveries {
    type Item = pb::WebhookDelivery;
    const HEADINGS: Headings = &[
        "NUMBER",
        "ROUTE",
        "EVENT",
        "REPOSITORY",
        "REFERENCE",
        "STATE",
        "RESULT",
        "RECEIVED",
    ];

    fn cells(delivery: &pb::WebhookDelivery) -> Vec<Cell> {
        let repository = delivery.repositories.first();
        let reference = delivery.references.first();
        let reference = reference.map_or("", |it| it.name.as_str());
        let outcome = delivery.outcomes.first();
        let result = outcome.map_or("", |it| it.detail.as_str());
        vec![
            Cell::new(delivery.number.to_string()),
            Cell::new(&delivery.route),
            Cell::new(words::plain(words::or_dash(&delivery.event))),
            Cell::new(words::plain(repository.map_or("-", String::as_str))),
            Cell::new(words::plain(words::or_dash(reference))),
            Cell::new(outcome.map_or("-", state_word)),
            Cell::new(words::plain(words::or_dash(result))),
            Cell::new(words::ago(delivery.received_at.as_ref())),
        ]
    }
}

struct Routes;

impl Columns for Routes {
    type Item = pb::WebhookRoute;
    const HEADINGS: Headings = &[
        "NAME",
        "PROVIDER",
        "ROTATING",
        "PATH",
        "PATH AT THE PLATFORM",
    ];

    fn cells(route: &pb::WebhookRoute) -> Vec<Cell> {
        vec![
            Cell::new(&route.name),
            Cell::new(provider_word(route.provider())),
            Cell::new(words::yes_or_no(route.rotating)),
            Cell::new(&route.path),
            Cell::new(&route.platform_path),
        ]
    }
}
