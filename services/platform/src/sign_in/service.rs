//! Sign-in flows. Refusals take a minimum time, so that timing reveals nothing, and count against the address of the client.

mod error;
mod exchange;
mod opening;

use std::{sync::Arc, time::Duration};

use causeway_oidc::{Challenge, Claims, CodeExchange, PollResult, RandomToken, Url};
use causeway_proto::ids::{AccountId, ProviderName};
use tokio::time::{Instant, sleep_until};

pub(crate) use self::error::{SignInError, SignInRefusal};
use self::error::{refused, unavailable};
use crate::{
    accounts::model::first_account,
    audit::{AuditLog, RefusalCounter},
    identity_providers::{
        discovery::{AskError, Providers},
        model::IdentityProvider,
    },
    secret::Secret,
    sessions::model::UserSession,
    sign_in::{
        model as sign_in,
        model::{ByBrowser, ByDevice, LIFE, PendingSignIn, challenge, check_redirect},
        sealing::SealingKeys,
    },
    store::{Authenticated, SessionRequest, Store, StoreError},
    throttle::{ATTEMPTS, Bucket, FAILURES},
};

/// A refusal takes at least this long, whatever was looked at.
const AT_LEAST: Duration = Duration::from_millis(250);
/// Longer codes are none, in bytes.
const LONGEST_CODE: usize = 2048;

/// Keys, providers and URL that sign-ins use beside the store.
#[derive(Debug)]
pub(crate) struct SignInContext {
    pub keys: SealingKeys,
    pub providers: Providers,
    /// How long a session of a person lasts, in milliseconds.
    pub session_age: i64,
    /// Where browsers find the platform.
    pub public_url: Option<Url>,
}

/// Known facts about the caller.
#[derive(Debug, Clone)]
pub(crate) struct CallerInfo {
    /// The path of the RPC.
    pub method: String,
    /// Where the call comes from.
    pub source: String,
    pub trace_id: String,
}

/// Parameters of a new sign-in, not checked yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignInRequest<'a> {
    pub account: &'a str,
    pub provider: &'a str,
    pub challenge: &'a str,
}

/// Parameters of the callback, not checked yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallbackParams<'a> {
    pub code: &'a str,
    /// Who gave the code, as the browser has it; empty where it says nothing.
    pub issuer: &'a str,
    pub verifier: &'a str,
}

/// Sign-in with a browser that has begun.
#[derive(Debug)]
pub(crate) struct BrowserSignIn {
    pub authorization_url: String,
    pub state: String,
    pub until: i64,
}

/// Sign-in on another device that has begun.
#[derive(Debug)]
pub(crate) struct DeviceSignIn {
    pub state: String,
    pub user_code: String,
    pub verification_uri: String,
    pub verification_uri_complete: String,
    pub until: i64,
    pub interval: u32,
}

/// New session with its token.
pub(crate) type NewSession = (UserSession, Secret);

/// Progress of a sign-in on another device.
#[derive(Debug)]
pub(crate) enum DevicePoll {
    /// Ask again after so many seconds.
    Pending(u32),
    Done(Box<NewSession>),
}

/// Sign-ins of users and service accounts.
#[derive(Clone)]
pub(crate) struct SignInService {
    pub store: Arc<dyn Store>,
    pub audit: AuditLog,
    pub refusals: Arc<RefusalCounter>,
    pub context: Arc<SignInContext>,
}

impl SignInService {
    /// The ids and names of an account's providers.
    pub(crate) async fn sign_in_providers(
        &self,
        account: &str,
    ) -> Result<Vec<(ProviderName, String)>, StoreError> {
        let Some(account) = account_of(account) else {
            return Ok(Vec::new());
        };
        let all = self.store.list_identity_providers(&account).await?;
        let named = all.into_iter();
        Ok(named
            .map(|it| (it.provider, it.settings.display_name))
            .collect())
    }

    /// Begins a sign-in with a browser.
    pub(crate) async fn start_sign_in(
        &self,
        visit: &CallerInfo,
        asked: SignInRequest<'_>,
        redirect_uri: &str,
        now: i64,
    ) -> Result<BrowserSignIn, SignInError> {
        let began = self.enter(visit, now).await?;
        let started = self.start_by_browser(asked, redirect_uri, now).await;
        self.leave(visit, began, started, now).await
    }

    /// Ends a sign-in with a browser.
    pub(crate) async fn finish_sign_in(
        &self,
        visit: &CallerInfo,
        state: &str,
        brought: CallbackParams<'_>,
        now: i64,
    ) -> Result<NewSession, SignInError> {
        let began = self.enter(visit, now).await?;
        let finished = self.finish_by_browser(visit, state, brought, now).await;
        self.leave(visit, began, finished, now).await
    }

    /// Begins a sign-in on another device.
    pub(crate) async fn start_device_sign_in(
        &self,
        visit: &CallerInfo,
        asked: SignInRequest<'_>,
        now: i64,
    ) -> Result<DeviceSignIn, SignInError> {
        let began = self.enter(visit, now).await?;
        let started = self.start_by_device(asked, now).await;
        self.leave(visit, began, started, now).await
    }

    /// Asks whether the person with the other device is done.
    pub(crate) async fn finish_device_sign_in(
        &self,
        visit: &CallerInfo,
        state: &str,
        verifier: &str,
        now: i64,
    ) -> Result<DevicePoll, SignInError> {
        let began = self.enter(visit, now).await?;
        let polled = self.poll_device(visit, state, verifier, now).await;
        self.leave(visit, began, polled, now).await
    }

    /// Takes a try from the address. Who has failed too often is still let in where this try is a good one.
    async fn enter(&self, visit: &CallerInfo, now: i64) -> Result<Instant, SignInError> {
        let began = Instant::now();
        let attempts = Bucket::of_source(ATTEMPTS, &visit.source);
        self.store.take_tries(&[attempts], now).await??;
        Ok(began)
    }

    /// Counts and notes a failure, and lets it take its time.
    async fn leave<T>(
        &self,
        visit: &CallerInfo,
        began: Instant,
        ended: Result<T, SignInError>,
        now: i64,
    ) -> Result<T, SignInError> {
        let Err(error) = &ended else {
            return ended;
        };
        let failures = Bucket::of_source(FAILURES, &visit.source);
        let counted = if error.counts() {
            self.store.take_tries(&[failures], now).await?
        } else {
            Ok(())
        };
        if error.is_unknown_caller() {
            let intent = visit.intent("unknown".to_owned(), String::new());
            for entry in self.refusals.refused(intent, error.to_string(), now) {
                self.audit.write(entry).await?;
            }
        }
        sleep_until(began + AT_LEAST).await;
        // Who guesses learns no more than that it was too often.
        counted?;
        ended
    }

    async fn start_by_browser(
        &self,
        asked: SignInRequest<'_>,
        redirect_uri: &str,
        now: i64,
    ) -> Result<BrowserSignIn, SignInError> {
        let (provider, begun) = self.begin(asked, now).await?;
        let public = self.context.public_url.as_ref();
        let redirect_uri = check_redirect(redirect_uri, &begun, public)?;
        let mut secrets = Challenge::generate();
        let state = ByBrowser {
            redirect_uri: redirect_uri.into(),
            nonce: secrets.nonce.expose().to_owned(),
            verifier: secrets.verifier.expose().to_owned(),
            begun,
        };
        let sealed = sign_in::seal(&self.context.keys, &state, now)?;
        secrets.state = RandomToken::from_text(sealed.clone());
        let asked = self.ask(&provider)?;
        let url = asked.authorization_url(&state.redirect_uri, &secrets).await;
        Ok(BrowserSignIn {
            authorization_url: url.map_err(|error| unavailable(&provider, &error))?.into(),
            state: sealed,
            until: state.begun.until,
        })
    }

    async fn finish_by_browser(
        &self,
        visit: &CallerInfo,
        state: &str,
        brought: CallbackParams<'_>,
        now: i64,
    ) -> Result<NewSession, SignInError> {
        let (code, verifier) = (brought.code, brought.verifier);
        let state: ByBrowser = sign_in::open(&self.context.keys, state, verifier, now)?;
        if code.is_empty() || code.len() > LONGEST_CODE {
            return Err(SignInError::Invalid);
        }
        let provider = self.same_provider(&state.begun).await?;
        let challenge = Challenge {
            state: RandomToken::from_text(String::new()),
            nonce: RandomToken::from_text(state.nonce),
            verifier: RandomToken::from_text(state.verifier),
        };
        let redeem = CodeExchange {
            code,
            issuer: Some(brought.issuer).filter(|issuer| !issuer.is_empty()),
            redirect_uri: &state.redirect_uri,
            challenge: &challenge,
            now: seconds(now),
        };
        let claims = self.ask(&provider)?.redeem(&redeem).await;
        let claims = claims.map_err(|error| refused(&provider, &error))?;
        self.let_in(visit, &provider, &claims, now).await
    }

    async fn start_by_device(
        &self,
        asked: SignInRequest<'_>,
        now: i64,
    ) -> Result<DeviceSignIn, SignInError> {
        let (provider, mut begun) = self.begin(asked, now).await?;
        let started = self.ask(&provider)?.start_device().await;
        let started = started.map_err(|error| refused(&provider, &error))?;
        let life = i64::try_from(started.expires_in.as_millis()).unwrap_or(LIFE);
        let interval = u32::try_from(started.interval.as_secs()).unwrap_or(u32::MAX);
        begun.until = now + life;
        let state = ByDevice {
            device_code: started.device_code.expose().to_owned(),
            interval,
            begun,
        };
        Ok(DeviceSignIn {
            state: sign_in::seal(&self.context.keys, &state, now)?,
            user_code: started.user_code,
            verification_uri: started.verification_uri,
            verification_uri_complete: started.verification_uri_complete.unwrap_or_default(),
            until: state.begun.until,
            interval,
        })
    }

    async fn poll_device(
        &self,
        visit: &CallerInfo,
        state: &str,
        verifier: &str,
        now: i64,
    ) -> Result<DevicePoll, SignInError> {
        let state: ByDevice = sign_in::open(&self.context.keys, state, verifier, now)?;
        let provider = self.same_provider(&state.begun).await?;
        let code = RandomToken::from_text(state.device_code);
        let polled = self.ask(&provider)?.poll_device(&code, seconds(now)).await;
        match polled.map_err(|error| refused(&provider, &error))? {
            PollResult::Pending => Ok(DevicePoll::Pending(state.interval)),
            PollResult::SlowDown => Ok(DevicePoll::Pending(state.interval.saturating_add(5))),
            PollResult::Done(claims) => {
                let opened = self.let_in(visit, &provider, &claims, now).await?;
                Ok(DevicePoll::Done(Box::new(opened)))
            }
        }
    }

    /// The provider that a client names, and what is to be sealed. An account that is not there is as one without providers.
    async fn begin(
        &self,
        asked: SignInRequest<'_>,
        now: i64,
    ) -> Result<(IdentityProvider, PendingSignIn), SignInError> {
        let challenge = challenge(asked.challenge).ok_or(SignInError::Challenge)?;
        let named = account_of(asked.account).zip(asked.provider.parse().ok());
        let (account, provider) = named.ok_or(SignInError::ProviderUnknown)?;
        let found = self.find_provider_of(&account, &provider).await?;
        let begun = PendingSignIn {
            account,
            provider,
            issuer: found.issuer.clone(),
            challenge,
            until: now + LIFE,
        };
        Ok((found, begun))
    }

    /// The provider that a sign-in began with. Another one that has its id by now must not receive the code.
    async fn same_provider(&self, begun: &PendingSignIn) -> Result<IdentityProvider, SignInError> {
        let found = self
            .find_provider_of(&begun.account, &begun.provider)
            .await?;
        if found.issuer == begun.issuer {
            Ok(found)
        } else {
            Err(SignInError::Invalid)
        }
    }

    async fn find_provider_of(
        &self,
        account: &AccountId,
        provider: &ProviderName,
    ) -> Result<IdentityProvider, SignInError> {
        let found = self.store.find_identity_provider(account, provider).await?;
        found.ok_or(SignInError::ProviderUnknown)
    }

    fn ask(&self, provider: &IdentityProvider) -> Result<causeway_oidc::Provider, SignInError> {
        let asked = self.context.providers.of(provider, &self.context.keys);
        asked.map_err(|error| match error {
            AskError::Provider(error) => unavailable(provider, &error),
            AskError::Secret(error) => error.into(),
        })
    }

    /// Creates the session of a person whom a provider authenticated.
    async fn let_in(
        &self,
        visit: &CallerInfo,
        provider: &IdentityProvider,
        claims: &Claims,
        now: i64,
    ) -> Result<NewSession, SignInError> {
        let person = provider.person(claims).map_err(SignInRefusal::from)?;
        let (account, name) = (&provider.account, &provider.provider);
        let bucket = Bucket::of_person(account, name, &person.subject);
        self.store.take_tries(&[bucket], now).await??;
        let user_names = if provider.makes_user(&person) {
            person.user_names(name).to_vec()
        } else {
            Vec::new()
        };
        let beginning = SessionRequest {
            account: account.clone(),
            identity: person.subject.clone(),
            arrival: Authenticated::Person {
                provider: Box::new(provider.clone()),
                person,
                user_names,
            },
            created_at: now,
            expires_at: now.saturating_add(self.context.session_age),
            source_address: visit.source.clone(),
        };
        self.open_session(visit, &beginning).await
    }
}

/// Parses the account of a request; empty is the first one.
fn account_of(text: &str) -> Option<AccountId> {
    match text {
        "" => Some(first_account()),
        text => text.parse().ok(),
    }
}

fn seconds(now: i64) -> u64 {
    u64::try_from(now / 1000).unwrap_or_default()
}
