//! First start: creates one account, one admin and its API key. Later starts change nothing.

use std::{fs, io::ErrorKind, path::Path};

use anyhow::{Context as _, bail};
use causeway_assertion::private_file::create_private;
use causeway_proto::ids::AccountId;

use crate::{
    Args,
    accounts::model::{first_account, first_user},
    api_keys::model::ApiKey,
    data_folder::make_private,
    keys::ring::KeyRing,
    roles::model as role,
    secret::{API_KEY_PREFIX, Secret},
    store::Store,
    users::model::User,
};

/// Makes the account if it is not there. The key file is written before the account, so that no start that was cut short leaves
/// an account without a known key.
pub(crate) async fn ensure_account(
    store: &dyn Store,
    key_file: &Path,
    now: i64,
) -> anyhow::Result<()> {
    if store.has_account(&first_account()).await? {
        return Ok(());
    }
    make_account(store, key_file, now).await
}

async fn make_account(store: &dyn Store, key_file: &Path, now: i64) -> anyhow::Result<()> {
    let (secret, origin) = read_or_write(key_file)?;
    let (user, key) = first_admin(first_account(), now);
    let made = store.create_account(&user, &key, secret.digest()).await?;
    // Replicas that share the file may have made the account with this very key.
    if made || store.find_holder(secret.digest()).await?.is_some() {
        tracing::info!(file = %key_file.display(), "wrote the admin's API key to this file");
        return Ok(());
    }
    if origin == KeyOrigin::Made {
        fs::remove_file(key_file).with_context(|| named(key_file))?;
    }
    tracing::warn!(
        file = %key_file.display(),
        "another replica was quicker to make the first account: the admin's API key is in that one's file, and none is in this one"
    );
    Ok(())
}

/// Refuses another root key than the database was begun with: runtimes that joined by one replica would not believe this one.
pub(crate) async fn check_root(
    store: &dyn Store,
    ring: &KeyRing,
    args: &Args,
) -> anyhow::Result<()> {
    let own = ring.root().id();
    let noted = store.register_root(own.as_str(), args.first_root()).await?;
    if noted == own.as_str() {
        return Ok(());
    }
    bail!(
        "--keys {}: its root.pem is the key {own}, and this database was begun with the key {noted}: replicas share one folder of \
         keys, so copy or mount that one here (or give --new-root-key once, and every runtime must join again)",
        args.keys_folder().display()
    )
}

/// The user and the key that an account begins with.
pub(crate) fn first_admin(account: AccountId, now: i64) -> (User, ApiKey) {
    let key = ApiKey {
        account: account.clone(),
        key_id: ApiKey::new_id(),
        display_name: "first admin key".to_owned(),
        user: first_user(),
        role: Some(role::admin()),
        created_at: now,
        expires_at: None,
        last_used_at: None,
        revoked_at: None,
        rotation: None,
    };
    let name = first_user().to_string();
    let user = User::new(account, first_user(), name, vec![role::admin()], now);
    (user, key)
}

/// Origin of the key of the admin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyOrigin {
    /// This start made it.
    Made,
    /// It was there.
    Found,
}

fn named(file: &Path) -> String {
    format!("--admin-key-file {}", file.display())
}

fn read_or_write(file: &Path) -> anyhow::Result<(Secret, KeyOrigin)> {
    let named = || named(file);
    match fs::read_to_string(file) {
        Ok(text) => Ok((parse(file, &text)?, KeyOrigin::Found)),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let secret = Secret::generate(API_KEY_PREFIX);
            if let Some(folder) = file
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
            {
                make_private(folder).with_context(named)?;
            }
            let text = format!("{}\n", secret.expose());
            if create_private(file, text.as_bytes()).with_context(named)? {
                return Ok((secret, KeyOrigin::Made));
            }
            let text = fs::read_to_string(file).with_context(named)?;
            Ok((parse(file, &text)?, KeyOrigin::Found))
        }
        Err(error) => Err(error).with_context(named),
    }
}

fn parse(file: &Path, text: &str) -> anyhow::Result<Secret> {
    let secret = Secret::parse(API_KEY_PREFIX, text.trim());
    secret.with_context(|| {
        format!(
            "{}: it is there and holds no API key; move it away or name another file",
            named(file)
        )
    })
}

#[cfg(test)]
mod tests;
