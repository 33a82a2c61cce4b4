//! Credentials, which reach the git program only through a nameless file in memory.

use std::{fmt, io::Write as _, os::fd::AsRawFd as _};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rustix::fs::{MemfdFlags, Mode, fchmod, memfd_create};

use crate::{GitError, RemoteUrl, address::Scheme};

/// A text that no message shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

/// How the Git server recognises the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    None,
    /// A user name with a password or token, over HTTPS.
    Basic {
        user: String,
        password: Secret,
    },
    /// A private key with the host keys that are accepted.
    Ssh {
        private_key: Secret,
        known_hosts: String,
    },
}

/// Files in memory, and how a child process finds them. They end with this value.
pub(crate) struct Handover {
    files: Vec<std::fs::File>,
    /// The Git configuration that holds the credential.
    pub(crate) config: Option<String>,
    pub(crate) ssh_command: Option<String>,
}

impl Credential {
    pub(crate) fn hand_over(&self, url: &RemoteUrl) -> Result<Handover, GitError> {
        let mut handover = Handover {
            files: Vec::new(),
            config: None,
            ssh_command: None,
        };
        match (self, url.scheme()) {
            (Self::None, _) => {}
            (Self::Basic { user, password }, Scheme::Https | Scheme::Http) => {
                let config = handover.add(basic_config(url, user, password)?.as_bytes())?;
                handover.config = Some(config);
            }
            (
                Self::Ssh {
                    private_key,
                    known_hosts,
                },
                Scheme::Ssh,
            ) => {
                let key = handover.add(private_key.0.as_bytes())?;
                let hosts = handover.add(known_hosts.as_bytes())?;
                handover.ssh_command = Some(ssh_command(&key, &hosts));
            }
            (Self::Basic { .. } | Self::Ssh { .. }, _) => {
                return Err(GitError::InvalidUrl(
                    "does not fit the kind of the credential",
                ));
            }
        }
        Ok(handover)
    }

    /// Removes the secret from a message of a program that had it.
    pub(crate) fn scrub(&self, text: &str) -> String {
        let secret = match self {
            Self::None => return text.to_owned(),
            Self::Basic { password, .. } => &password.0,
            Self::Ssh { private_key, .. } => &private_key.0,
        };
        if secret.is_empty() {
            text.to_owned()
        } else {
            text.replace(secret, "[redacted]")
        }
    }
}

impl Handover {
    /// The child reads the file through this process, so that it inherits no descriptor.
    fn add(&mut self, content: &[u8]) -> Result<String, GitError> {
        let failed = |error: rustix::io::Errno| GitError::Storage(error.to_string());
        let file = memfd_create("git", MemfdFlags::CLOEXEC).map_err(failed)?;
        // ssh refuses a key that others may read.
        fchmod(&file, Mode::RUSR | Mode::WUSR).map_err(failed)?;
        let mut file = std::fs::File::from(file);
        file.write_all(content)?;
        let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
        self.files.push(file);
        Ok(path)
    }
}

fn basic_config(url: &RemoteUrl, user: &str, password: &Secret) -> Result<String, GitError> {
    if user.contains(':') || user.chars().any(char::is_control) {
        return Err(GitError::InvalidUrl(
            "is used with a user name that has a colon",
        ));
    }
    let token = STANDARD.encode(format!("{user}:{}", password.0));
    let origin = url.origin();
    Ok(format!(
        "[http \"{origin}\"]\n\textraHeader = \"Authorization: Basic {token}\"\n"
    ))
}

fn ssh_command(key: &str, hosts: &str) -> String {
    format!(
        "ssh -F /dev/null -o BatchMode=yes -o IdentitiesOnly=yes -o StrictHostKeyChecking=yes \
         -o ConnectTimeout=10 -o UserKnownHostsFile={hosts} -i {key}"
    )
}
