//! The commands' way to the platform.

use std::fs;

use anyhow::Context as _;
use causeway_client::{Credential, Peer, PeerUrl};
use causeway_proto::{
    inventory::v1::application_service_client::ApplicationServiceClient,
    platform::v1::{
        account_service_client::AccountServiceClient, api_key_service_client::ApiKeyServiceClient,
        audit_service_client::AuditServiceClient, key_service_client::KeyServiceClient,
        part_service_client::PartServiceClient, permission_service_client::PermissionServiceClient,
        role_service_client::RoleServiceClient, runtime_service_client::RuntimeServiceClient,
        user_service_client::UserServiceClient,
    },
    proxy::v1::application_action_service_client::ApplicationActionServiceClient,
};

use crate::context::Entry;

/// Clients of the services that commands call, over one connection.
#[derive(Clone)]
pub(crate) struct Connection {
    peer: Peer,
    address: String,
}

impl Connection {
    pub(crate) fn open(entry: &Entry) -> anyhow::Result<Self> {
        let key = fs::read_to_string(&entry.api_key_file).with_context(|| {
            format!(
                "cannot read the API key in {}",
                entry.api_key_file.display()
            )
        })?;
        let ca = entry
            .ca_file
            .as_ref()
            .map(fs::read)
            .transpose()
            .context("cannot read --ca-file")?;
        let url = PeerUrl::parse(&entry.address, ca)
            .with_context(|| format!("the address '{}'", entry.address))?;
        let peer = Peer::new(&url, Credential::api_key(key.trim()));
        let address = entry.address.clone();
        Ok(Self { peer, address })
    }

    /// The platform's address.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn audit(&self) -> AuditServiceClient<Peer> {
        AuditServiceClient::new(self.peer.clone())
    }

    pub(crate) fn applications(&self) -> ApplicationServiceClient<Peer> {
        ApplicationServiceClient::new(self.peer.clone()).max_decoding_message_size(64 << 20)
    }

    pub(crate) fn actions(&self) -> ApplicationActionServiceClient<Peer> {
        ApplicationActionServiceClient::new(self.peer.clone())
    }

    pub(crate) fn runtimes(&self) -> RuntimeServiceClient<Peer> {
        RuntimeServiceClient::new(self.peer.clone())
    }

    pub(crate) fn keys(&self) -> KeyServiceClient<Peer> {
        KeyServiceClient::new(self.peer.clone())
    }

    pub(crate) fn parts(&self) -> PartServiceClient<Peer> {
        PartServiceClient::new(self.peer.clone())
    }

    pub(crate) fn accounts(&self) -> AccountServiceClient<Peer> {
        AccountServiceClient::new(self.peer.clone())
    }

    pub(crate) fn api_keys(&self) -> ApiKeyServiceClient<Peer> {
        ApiKeyServiceClient::new(self.peer.clone())
    }

    pub(crate) fn permissions(&self) -> PermissionServiceClient<Peer> {
        PermissionServiceClient::new(self.peer.clone())
    }

    pub(crate) fn roles(&self) -> RoleServiceClient<Peer> {
        RoleServiceClient::new(self.peer.clone()).max_decoding_message_size(64 << 20)
    }

    pub(crate) fn users(&self) -> UserServiceClient<Peer> {
        UserServiceClient::new(self.peer.clone())
    }
}
