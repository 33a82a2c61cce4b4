//! Exchanges tokens of CI systems for sessions of service accounts.

use causeway_oidc::{Claims, ExpectedClaims, SignInError as OidcError, token};
use causeway_proto::ids::{AccountId, UserId};

use super::{
    CallerInfo, NewSession, SignInError, SignInRefusal, SignInService, account_of, seconds,
};
use crate::{
    identity_providers::model::usable,
    service_accounts::model::{ServiceAccount, TrustRule},
    sessions::model::SERVICE_SESSION_LIFE,
    store::{Authenticated, SessionRequest},
    throttle::Bucket,
};

impl SignInService {
    /// Changes a token into a session. That there is no such service account, that it does not trust the token, and that the token
    /// is no good are one answer.
    pub(crate) async fn exchange_token(
        &self,
        visit: &CallerInfo,
        account: &str,
        (service_account, id_token): (&str, &str),
        now: i64,
    ) -> Result<NewSession, SignInError> {
        let began = self.enter(visit, now).await?;
        let exchanged = self.exchange(visit, account, (service_account, id_token), now);
        let exchanged = exchanged.await;
        self.leave(visit, began, exchanged, now).await
    }

    async fn exchange(
        &self,
        visit: &CallerInfo,
        account: &str,
        (service_account, id_token): (&str, &str),
        now: i64,
    ) -> Result<NewSession, SignInError> {
        let named: Option<(AccountId, UserId)> =
            account_of(account).zip(service_account.parse().ok());
        let (account, user) = named.ok_or(SignInRefusal::NotTrusted)?;
        let found = self.store.find_service_account(&account, &user).await?;
        let found = found.filter(|it| it.user.may_sign_in());
        let found = found.ok_or(SignInRefusal::NotTrusted)?;
        let (claims, rule) = self.trusted(&found, id_token, now).await?;
        // It is shown to people and kept, so it must be a text that they can read.
        let subject = usable(claims.text("sub")).ok_or(SignInRefusal::NotTrusted)?;
        let identity = format!("{} {subject}", rule.issuer);
        let bucket = Bucket::of_job(&account, &user, &identity);
        self.store.take_tries(&[bucket], now).await??;
        let beginning = SessionRequest {
            account,
            identity,
            arrival: Authenticated::Service(user, Box::new(rule)),
            created_at: now,
            expires_at: now + SERVICE_SESSION_LIFE,
            source_address: visit.source.clone(),
        };
        match self.open_session(visit, &beginning).await {
            Err(SignInError::Invalid | SignInError::SignInRefusal(_)) => {
                Err(SignInRefusal::NotTrusted.into())
            }
            ended => ended,
        }
    }

    /// What a token says that a rule of the service account trusts, and the rule. Only issuers of its rules are asked.
    async fn trusted(
        &self,
        service_account: &ServiceAccount,
        id_token: &str,
        now: i64,
    ) -> Result<(Claims, TrustRule), SignInError> {
        let issuer = token::issuer(id_token).map_err(|_| SignInRefusal::NotTrusted)?;
        let of_issuer = service_account
            .trust
            .iter()
            .filter(|it| it.issuer == issuer);
        for rule in of_issuer {
            let provider = self.context.providers.of_issuer(&rule.issuer);
            let provider = provider.map_err(|_| SignInRefusal::NotTrusted)?;
            let expected = ExpectedClaims {
                issuer: &rule.issuer,
                audience: &rule.audience,
                client: None,
                nonce: None,
                access_token: None,
                now: seconds(now),
            };
            match provider.verify(id_token, &expected).await {
                Ok(claims) if rule.matches(&claims) => return Ok((claims, rule.clone())),
                Ok(_) | Err(OidcError::Token(_) | OidcError::Refused(_) | OidcError::Sender) => {}
                Err(OidcError::Provider(error)) => {
                    let issuer = rule.issuer.as_str();
                    // The response must not reveal that the service account exists and whom it trusts.
                    tracing::warn!(issuer, %error, "issuer of a CI system unavailable");
                }
            }
        }
        Err(SignInRefusal::NotTrusted.into())
    }
}
