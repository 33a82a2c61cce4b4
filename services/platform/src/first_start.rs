//! The first start: one account, one admin and one API key for it. Later starts find them and change nothing.

use std::{fs, io::ErrorKind, path::Path};

use anyhow::{Context as _, bail};
use causeway_proto::ids::{AccountId, UserId};
use causeway_shell::certificate::write_private;

use crate::{
    api_key::{ApiKey, User},
    data_folder::make_private,
    role::Role,
    secret::{API_KEY_PREFIX, Secret},
    store::Store,
};

/// Makes the account if it is not there. The key file is written before the account, so that no start that was cut short leaves
/// an account without a key that somebody has.
pub(crate) async fn ensure_account(
    store: &dyn Store,
    key_file: &Path,
    now: i64,
) -> anyhow::Result<()> {
    let account: AccountId = "default".parse().expect("it fits the grammar");
    let user: UserId = "admin".parse().expect("it fits the grammar");
    if store.has_account(&account).await? {
        return Ok(());
    }
    let secret = read_or_write(key_file)?;
    let key = ApiKey {
        account: account.clone(),
        key_id: ApiKey::new_id(),
        display_name: "first admin key".to_owned(),
        user: user.clone(),
        role: Role::Admin,
        created_at: now,
        expires_at: None,
        last_used_at: None,
        revoked_at: None,
    };
    let role = Role::Admin;
    let user = User {
        account,
        user,
        role,
    };
    store.create_account(&user, &key, secret.digest()).await?;
    tracing::info!(file = %key_file.display(), "the admin's API key is in this file");
    Ok(())
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
