//! Platform service: accounts, users, API keys, runtimes, authorization and audit.
//!
//! Authorizes each call of a user, writes its audit row and signs the caller assertion that the other services accept. It
//! never connects to a cluster and never proxies a call. Of secrets that it issues it stores the SHA-256 only.

mod accounts;
mod api_keys;
mod audit;
mod authorization;
mod config;
mod convert;
mod credential;
mod data_folder;
mod figures;
mod first_start;
mod grpc;
mod housekeeping;
mod identity_providers;
mod info;
mod keys;
mod measure;
mod parts;
mod platform;
mod preferences;
mod replicas;
mod request;
mod roles;
mod runtimes;
mod secret;
mod service_accounts;
mod sessions;
mod sign_in;
mod store;
mod throttle;
mod users;

use std::sync::Arc;

use anyhow::Context as _;
use causeway_database::Database;
use causeway_oidc::AddressPolicy;
use causeway_shell::{Access, ReadyHandle, Shell};
use futures::future::{BoxFuture, FutureExt as _};
use tokio::net::TcpListener;

pub use crate::config::Args;
pub use crate::measure::{AuditTrail, ManyRules};
pub use crate::store::sql::KEPT;
use crate::{
    data_folder::DataFolder,
    identity_providers::discovery::Providers,
    keys::ring::KeyRing,
    platform::{Platform, PlatformSettings, SignInContext, now},
    runtimes::service::TunnelSettings,
    sign_in::sealing::SealingKeys,
    store::{Store, sql::SqlStore},
};

/// Serves the platform from its data folder until the shell drains.
///
/// # Errors
/// The folder is held by another process or written by a newer version; a key or the admin's key file cannot be read or written.
pub fn serve(
    args: Args,
    listener: TcpListener,
    shell: Shell,
) -> BoxFuture<'static, anyhow::Result<()>> {
    async move {
        let opening = shell.ready_handle("store");
        let folder = DataFolder::open(&args.data)?;
        let file = folder.database();
        let store = tokio::select! {
            opened = SqlStore::open(&args.database, &file) => opened?,
            () = shell.shutdown().requested() => return Ok(()),
        };
        check_database(&shell, store.database.clone());
        let served = serve_over(Arc::new(store.clone()), args, listener, shell, opening).await;
        store.close().await;
        served
    }
    .boxed()
}

/// Keeps the part unready while its database cannot be written.
fn check_database(shell: &Shell, database: Database) {
    let check = move || {
        let database = database.clone();
        async move { database.check_writable().await }
    };
    let checking = shell.clone().check_condition("writable database", check);
    shell.tasks().spawn("database check", checking);
}

async fn serve_over(
    store: Arc<dyn Store>,
    args: Args,
    listener: TcpListener,
    shell: Shell,
    opening: ReadyHandle,
) -> anyhow::Result<()> {
    let ring = Arc::new(KeyRing::open(&args.keys_folder())?);
    first_start::check_root(&*store, &ring, &args).await?;
    let age = args.signing_key_age.as_secs();
    let sign_in = sign_in_context(&args)?;
    first_start::ensure_account(&*store, &args.admin_key_file(), now()).await?;
    let (log, writer) = audit::open(Arc::clone(&store), Arc::clone(&ring));
    let settings = PlatformSettings {
        audit_retention: args.audit_retention,
        tunnel: TunnelSettings {
            url: args.tunnel_url.unwrap_or_default(),
            ca: args.tunnel_ca,
        },
    };
    let platform = Platform::new(store, ring, log, sign_in, settings, &shell);
    let (platform, started_at) = (Arc::new(platform), now());
    let access = Access::from_contract(platform.verifier());
    let server = grpc::add_services(shell.server(access), &platform);
    let replica = shell.instance().to_owned();
    let serving = async move {
        tokio::select! {
            served = server.serve(listener) => served?,
            failed = housekeeping::run(Arc::clone(&platform), shell.clone()) => match failed? {},
            never = authorization::revocation::follow(Arc::clone(&platform), shell) => match never {},
            never = replicas::exchange::exchange(platform.parts.clone(), replica) => match never {},
            never = housekeeping::keep_keys(&platform.keys, age) => match never {},
        }
        platform
            .flush(started_at)
            .await
            .context("write the last uses")
    };
    drop(opening);
    // The log's last holder goes with `serving`, and only then has the writer nothing to wait for.
    let (served, ()) = futures::join!(serving, writer.run());
    served
}

fn sign_in_context(args: &Args) -> anyhow::Result<SignInContext> {
    let reach = if args.loopback_issuers {
        AddressPolicy::Loopback
    } else {
        AddressPolicy::Network
    };
    Ok(SignInContext {
        keys: SealingKeys::open(&args.keys_folder())?,
        providers: Providers::new(reach),
        session_age: i64::try_from(args.session_age.as_millis()).unwrap_or(i64::MAX),
        public_url: args.public_url.clone(),
    })
}
