//! Calls of sign-ins as their clients make them.

use causeway_client::{Credential, Peer};
use causeway_oidc::{RandomToken, Url};
use causeway_proto::platform::v1::{
    self as pb, identity_provider_service_client::IdentityProviderServiceClient,
    service_account_service_client::ServiceAccountServiceClient,
    session_service_client::SessionServiceClient, sign_in_service_client::SignInServiceClient,
};
use serde_json::{Value, json};
use tonic::{Request, Status};

use crate::{
    issuer::Issuer,
    stage::{CallStage, new_id},
};

pub(crate) const REDIRECT: &str = "http://127.0.0.1:1/callback";

/// A sign-in that has begun.
pub(crate) struct Begun {
    pub(crate) verifier: RandomToken,
    pub(crate) url: Url,
    pub(crate) state: String,
}

impl Begun {
    pub(crate) fn query(&self, name: &str) -> String {
        let mut pairs = self.url.query_pairs();
        pairs.find(|(key, _)| key == name).unwrap().1.into_owned()
    }
}

pub(crate) fn settings(group: &str, role: &str) -> pb::IdentityProviderSettings {
    pb::IdentityProviderSettings {
        client_id: "causeway".to_owned(),
        group_roles: vec![pb::GroupRoles {
            group: group.to_owned(),
            roles: vec![role.to_owned()],
        }],
        ..Default::default()
    }
}

pub(crate) fn trust(issuer: &Issuer, subject: &str) -> pb::TrustRule {
    pb::TrustRule {
        issuer: issuer.url.clone(),
        audience: "causeway".to_owned(),
        subject: subject.to_owned(),
        claims: Default::default(),
    }
}

impl CallStage {
    /// Anybody who calls from an address, through the platform's router.
    pub(crate) fn from(&self, address: &'static str) -> impl Fn() -> SignIns {
        let peer = self.part("request-router");
        move || SignIns {
            client: SignInServiceClient::new(peer.clone()),
            address: Some(address),
        }
    }

    /// Anybody who calls past the router and names an address.
    pub(crate) fn past_the_router(&self, address: &'static str) -> SignIns {
        SignIns {
            client: SignInServiceClient::new(Peer::new(&self.url, Credential::None)),
            address: Some(address),
        }
    }

    pub(crate) async fn add_provider(
        &self,
        secret: &str,
        provider: &str,
        issuer: &str,
        settings: pb::IdentityProviderSettings,
    ) -> Result<(), Status> {
        let request = pb::CreateIdentityProviderRequest {
            provider: provider.to_owned(),
            issuer: issuer.to_owned(),
            settings: Some(settings),
            client_secret: "a client secret".to_owned(),
            request_id: new_id(),
        };
        let path = "/causeway.platform.v1.IdentityProviderService/CreateIdentityProvider";
        let peer = self.allowed(secret, path, &request).await?;
        let mut providers = IdentityProviderServiceClient::new(peer);
        providers.create_identity_provider(request).await.map(drop)
    }

    pub(crate) async fn update_provider(
        &self,
        provider: &str,
        settings: pb::IdentityProviderSettings,
    ) -> Result<(), Status> {
        let request = pb::UpdateIdentityProviderRequest {
            provider: provider.to_owned(),
            settings: Some(settings),
            request_id: new_id(),
            ..Default::default()
        };
        let path = "/causeway.platform.v1.IdentityProviderService/UpdateIdentityProvider";
        let peer = self.allowed(&self.admin_key(), path, &request).await?;
        let mut providers = IdentityProviderServiceClient::new(peer);
        providers.update_identity_provider(request).await.map(drop)
    }

    pub(crate) async fn delete_provider(&self, provider: &str) -> Result<(), Status> {
        let request = pb::DeleteIdentityProviderRequest {
            provider: provider.to_owned(),
            request_id: new_id(),
        };
        let path = "/causeway.platform.v1.IdentityProviderService/DeleteIdentityProvider";
        let peer = self.allowed(&self.admin_key(), path, &request).await?;
        let mut providers = IdentityProviderServiceClient::new(peer);
        providers.delete_identity_provider(request).await.map(drop)
    }

    pub(crate) async fn add_service_account(
        &self,
        secret: &str,
        user: &str,
        roles: &[&str],
        rule: pb::TrustRule,
    ) -> Result<(), Status> {
        let request = pb::CreateServiceAccountRequest {
            user: user.to_owned(),
            roles: roles.iter().map(|&role| role.to_owned()).collect(),
            trust_rules: vec![rule],
            request_id: new_id(),
            ..Default::default()
        };
        let path = "/causeway.platform.v1.ServiceAccountService/CreateServiceAccount";
        let peer = self.allowed(secret, path, &request).await?;
        let mut accounts = ServiceAccountServiceClient::new(peer);
        accounts.create_service_account(request).await.map(drop)
    }

    pub(crate) async fn who_am_i(&self, secret: &str) -> Result<pb::WhoAmIResponse, Status> {
        let path = "/causeway.platform.v1.SessionService/WhoAmI";
        let peer = self.allowed(secret, path, &pb::WhoAmIRequest {}).await?;
        let mut sessions = SessionServiceClient::new(peer);
        Ok(sessions.who_am_i(pb::WhoAmIRequest {}).await?.into_inner())
    }

    pub(crate) async fn sign_out(&self, secret: &str) -> Result<(), Status> {
        let request = pb::SignOutRequest {
            request_id: new_id(),
        };
        let path = "/causeway.platform.v1.SessionService/SignOut";
        let peer = self.allowed(secret, path, &request).await?;
        let mut sessions = SessionServiceClient::new(peer);
        sessions.sign_out(request).await.map(drop)
    }
}

/// Whoever signs in.
pub(crate) struct SignIns {
    client: SignInServiceClient<Peer>,
    address: Option<&'static str>,
}

impl SignIns {
    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        if let Some(address) = self.address {
            let address = address.parse().unwrap();
            request.metadata_mut().insert("causeway-source", address);
        }
        request
    }

    pub(crate) async fn providers(&mut self, account: &str) -> Vec<pb::SignInProvider> {
        let request = self.request(pb::ListSignInProvidersRequest {
            account: account.to_owned(),
        });
        let listed = self.client.list_sign_in_providers(request).await;
        listed.unwrap().into_inner().providers
    }

    pub(crate) async fn start(&mut self, account: &str, provider: &str) -> Result<Begun, Status> {
        self.start_for(REDIRECT, account, provider).await
    }

    /// The same for a browser that is to come back to an address.
    pub(crate) async fn start_for(
        &mut self,
        redirect_uri: &str,
        account: &str,
        provider: &str,
    ) -> Result<Begun, Status> {
        let verifier = RandomToken::generate();
        let request = self.request(pb::StartSignInRequest {
            account: account.to_owned(),
            provider: provider.to_owned(),
            redirect_uri: redirect_uri.to_owned(),
            challenge: verifier.challenge(),
        });
        let started = self.client.start_sign_in(request).await?.into_inner();
        Ok(Begun {
            verifier,
            url: started.authorization_url.parse().unwrap(),
            state: started.state,
        })
    }

    pub(crate) async fn finish(
        &mut self,
        state: &str,
        verifier: &str,
    ) -> Result<pb::FinishSignInResponse, Status> {
        self.finish_from("", state, verifier).await
    }

    /// The same where the browser brings who gave the code.
    pub(crate) async fn finish_from(
        &mut self,
        issuer: &str,
        state: &str,
        verifier: &str,
    ) -> Result<pb::FinishSignInResponse, Status> {
        let request = self.request(pb::FinishSignInRequest {
            state: state.to_owned(),
            code: "a-code".to_owned(),
            issuer: issuer.to_owned(),
            verifier: verifier.to_owned(),
        });
        Ok(self.client.finish_sign_in(request).await?.into_inner())
    }

    /// The whole way of somebody of whom the issuer says this.
    pub(crate) async fn sign_in(
        &mut self,
        issuer: &Issuer,
        provider: &str,
        mut claims: Value,
    ) -> Result<pb::FinishSignInResponse, Status> {
        let begun = self.start("", provider).await?;
        if claims.get("nonce").is_none() {
            claims["nonce"] = json!(begun.query("nonce"));
        }
        issuer.give(&issuer.token(claims));
        self.finish(&begun.state, begun.verifier.expose()).await
    }

    pub(crate) async fn start_device(
        &mut self,
        provider: &str,
    ) -> Result<(pb::StartDeviceSignInResponse, RandomToken), Status> {
        let verifier = RandomToken::generate();
        let request = self.request(pb::StartDeviceSignInRequest {
            account: String::new(),
            provider: provider.to_owned(),
            challenge: verifier.challenge(),
        });
        let started = self.client.start_device_sign_in(request).await?;
        Ok((started.into_inner(), verifier))
    }

    pub(crate) async fn finish_device(
        &mut self,
        state: &str,
        verifier: &str,
    ) -> Result<pb::FinishDeviceSignInResponse, Status> {
        let request = self.request(pb::FinishDeviceSignInRequest {
            state: state.to_owned(),
            verifier: verifier.to_owned(),
        });
        Ok(self
            .client
            .finish_device_sign_in(request)
            .await?
            .into_inner())
    }

    pub(crate) async fn exchange(
        &mut self,
        account: &str,
        service_account: &str,
        id_token: &str,
    ) -> Result<pb::ExchangeTokenResponse, Status> {
        let request = self.request(pb::ExchangeTokenRequest {
            account: account.to_owned(),
            service_account: service_account.to_owned(),
            id_token: id_token.to_owned(),
        });
        Ok(self.client.exchange_token(request).await?.into_inner())
    }
}
