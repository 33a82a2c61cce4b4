//! The first start: one account, one admin and one API key for it. Later starts find them and change nothing.

use std::{fs, io::ErrorKind, path::Path};

use anyhow::{Context as _, bail};
use causeway_proto::ids::AccountId;
use causeway_shell::certificate::write_private;

use crate::{
    Args,
    account::{first_account, first_user},
    api_key::ApiKey,
    data_folder::make_private,
    key_ring::KeyRing,
    role,
    secret::{API_KEY_PREFIX, Secret},
    store::Store,
    user::User,
};

/// Makes the account if it is not there. The key file is written before the account, so that no start that was cut short leaves
/// an account without a key that somebody has.
pub(crate) async fn ensure_account(
    store: &dyn Store,
    key_file: &Path,
    now: i64,
) -> anyhow::Result<()> {
    let account = first_account();
    if store.has_account(&account).await? {
        return Ok(());
    }
    let secret = read_or_write(key_file)?;
    let (user, key) = first_admin(account, now);
    store.create_account(&user, &key, secret.digest()).await?;
    tracing::info!(file = %key_file.display(), "the admin's API key is in this file");
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

fn read_or_write(file: &Path) -> anyhow::Result<Secret> {
    let named = || format!("--admin-key-file {}", file.display());
    match fs::read_to_string(file) {
        Ok(text) => match Secret::parse(API_KEY_PREFIX, text.trim()) {
            Some(secret) => Ok(secret),
            None => bail!(
                "{}: it is there and holds no API key; move it away or name another file",
                named()
            ),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let secret = Secret::generate(API_KEY_PREFIX);
            if let Some(folder) = file
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
            {
                make_private(folder).with_context(named)?;
            }
            write_private(file, format!("{}\n", secret.expose()).as_bytes()).with_context(named)?;
            Ok(secret)
        }
        Err(error) => Err(error).with_context(named),
    }
}

#[cfg(test)]
mod tests;
