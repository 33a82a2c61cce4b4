//! The beginning and the end of a sign-in. Each provider of each account has a page of its own to come back to: what another one
//! gave, and a hostile one brings on, does not belong to the sign-in that the browser keeps.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use causeway_oidc::RandomToken;
use causeway_proto::ids::{AccountId, ProviderName};
use http::{HeaderValue, Response, Uri, header};
use sha2::{Digest as _, Sha256};
use tonic::body::Body;

use super::{
    CALLBACK, Opener, Visit,
    convert::{self, Choice},
    cookie::{SESSION, SIGN_IN},
    notice::Notice,
    page, return_to, see_other, session,
};

const LIST: &str = "/causeway.platform.v1.SignInService/ListSignInProviders";
const START: &str = "/causeway.platform.v1.SignInService/StartSignIn";
const FINISH: &str = "/causeway.platform.v1.SignInService/FinishSignIn";
/// Lifetime of a sign-in at the platform.
const COOKIE_SECONDS: u64 = 600;
const MAX_NAME_BYTES: usize = 100;
/// Limit of the platform.
const MAX_CODE_BYTES: usize = 2048;
const MAX_ISSUER_BYTES: usize = 512;
/// Account of sign-ins without one.
const DEFAULT_ACCOUNT: &str = "default";

/// Account and identity provider of a sign-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SignInMethod {
    pub(super) account: AccountId,
    pub(super) provider: ProviderName,
}

impl SignInMethod {
    fn named(account: &str, provider: &str) -> Option<Self> {
        Some(Self {
            account: usual(account).parse().ok()?,
            provider: provider.parse().ok()?,
        })
    }

    /// The path of its page.
    fn callback(&self) -> String {
        format!("{CALLBACK}{}/{}", self.account, self.provider)
    }
}

fn usual(account: &str) -> &str {
    if account.is_empty() {
        DEFAULT_ACCOUNT
    } else {
        account
    }
}

/// State of a sign-in, stored in a cookie until the callback.
pub(super) struct PendingSignIn {
    way: SignInMethod,
    verifier: RandomToken,
    state: String,
    return_to: String,
}

impl PendingSignIn {
    /// Encodes the cookie value.
    pub(super) fn to_cookie(&self) -> String {
        let return_to = URL_SAFE_NO_PAD.encode(&self.return_to);
        let (verifier, way) = (self.verifier.expose(), &self.way);
        let (state, account, provider) = (&self.state, &way.account, &way.provider);
        format!("{verifier}.{state}.{return_to}.{account}.{provider}")
    }

    pub(super) fn from_cookie(text: &str) -> Option<Self> {
        let parts: Vec<_> = text.split('.').collect();
        let [verifier, state, path, account, provider] = <[&str; 5]>::try_from(parts).ok()?;
        let path = String::from_utf8(URL_SAFE_NO_PAD.decode(path).ok()?).ok()?;
        Some(Self {
            way: SignInMethod::named(account, provider)?,
            verifier: RandomToken::from_text(verifier.to_owned()),
            state: state.to_owned(),
            return_to: return_to::path(&path).to_owned(),
        })
    }
}

/// Digest of the state, which may have up to 4 KiB.
fn digest(state: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(state))
}

impl Visit<'_> {
    /// Redirects to the identity provider, or shows the choice of providers. An own page confirms sign-ins that another site
    /// may have started, because they could put the user into a foreign account (login CSRF).
    pub(super) async fn begin(&self) -> Result<Response<Body>, Notice> {
        let account = self.name("account")?;
        let asked = self.field("return_to").unwrap_or_default();
        let path = return_to::path(&asked);
        let mut provider = self.name("provider")?;
        if provider.is_empty() || self.must_ask() {
            let mut ways = self.ways(&account).await?;
            ways.retain(|it| provider.is_empty() || it.provider == provider);
            match ways.as_slice() {
                [] => return Err(Notice::NoProvider),
                [one] if !self.must_ask() => provider.clone_from(&one.provider),
                ways => {
                    return Ok(page::choice(
                        usual(&account),
                        ways,
                        path,
                        self.is_signed_in(),
                    ));
                }
            }
        }
        let way = SignInMethod::named(&account, &provider).ok_or(Notice::NoProvider)?;
        self.start(way, path).await
    }

    async fn start(&self, way: SignInMethod, path: &str) -> Result<Response<Body>, Notice> {
        let verifier = RandomToken::generate();
        let redirect_uri = format!("{}{}", self.place.origin(), way.callback());
        let request = convert::start(&way, redirect_uri, &verifier);
        let started = self.ask(START, &request, None).await;
        let started = started.map(convert::started);
        let started = started.map_err(|status| Notice::from_status(&status))?;
        let pending = PendingSignIn {
            way,
            verifier,
            state: digest(&started.state),
            return_to: path.to_owned(),
        };
        let elsewhere = page_of(&started.page).ok_or(Notice::ProviderDown)?;
        let mut response = see_other(elsewhere);
        let cookie = self
            .cookies
            .set(SIGN_IN, &pending.to_cookie(), COOKIE_SECONDS);
        let cookie = cookie.ok_or(Notice::Down)?;
        response.headers_mut().append(header::SET_COOKIE, cookie);
        Ok(response)
    }

    fn must_ask(&self) -> bool {
        match self.opener {
            Opener::Own | Opener::Unsaid => false,
            Opener::Person => self.is_signed_in(),
            Opener::Link | Opener::Hidden => true,
        }
    }

    /// Whether the browser shows a session, good or not.
    fn is_signed_in(&self) -> bool {
        let session = session(self.cookies, &self.head.headers);
        session.is_ok_and(|session| session.is_some())
    }

    async fn ways(&self, account: &str) -> Result<Vec<Choice>, Notice> {
        let listed = self.ask(LIST, &convert::list(account), None).await;
        let ways = listed.map(convert::listed);
        ways.map_err(|status| Notice::from_status(&status))
    }

    /// Takes the browser back from the identity provider. Whatever comes of it, this sign-in is over for this browser.
    pub(super) async fn end(&self) -> Result<Response<Body>, Notice> {
        let state = self.field("state").ok_or(Notice::Stale)?;
        let own = |pending: &PendingSignIn| {
            pending.state == digest(&state) && pending.way.callback() == self.head.uri.path()
        };
        let pending = self.pending().filter(own);
        // Any site can send a browser here, so a mismatch must not delete the cookie of the real sign-in.
        let pending = pending.ok_or(Notice::Stale)?;
        let answer = self.finish(pending, state).await;
        let mut response = answer.unwrap_or_else(Notice::into_response);
        let forget = self.cookies.forget(SIGN_IN);
        response.headers_mut().append(header::SET_COOKIE, forget);
        Ok(response)
    }

    async fn finish(
        &self,
        pending: PendingSignIn,
        state: String,
    ) -> Result<Response<Body>, Notice> {
        if self.field("error").is_some() {
            return Err(Notice::Denied);
        }
        let code = self
            .field("code")
            .filter(|code| code.len() <= MAX_CODE_BYTES);
        let brought = (code.ok_or(Notice::Stale)?, self.issuer()?);
        let request = convert::finish(state, brought, &pending.verifier);
        let finished = self.ask(FINISH, &request, None).await;
        let session = finished.map(convert::finished);
        let session = session.map_err(|status| Notice::from_status(&status))?;
        let cookie = self.cookies.set(SESSION, &session.token, session.seconds);
        let mut response = page::signed_in(&pending.way.account, &session.user, &pending.return_to);
        let cookie = cookie.ok_or(Notice::Down)?;
        response.headers_mut().append(header::SET_COOKIE, cookie);
        Ok(response)
    }

    fn pending(&self) -> Option<PendingSignIn> {
        let cookie = self.cookies.get(&self.head.headers, SIGN_IN);
        PendingSignIn::from_cookie(cookie.ok()??)
    }

    /// The name of an account or a provider; empty where there is none.
    fn name(&self, field: &str) -> Result<String, Notice> {
        let name = self.field(field).unwrap_or_default();
        match name.len() {
            0..=MAX_NAME_BYTES => Ok(name),
            _ => Err(Notice::NoProvider),
        }
    }

    /// Who gave the code, as the browser has it; empty where it says nothing.
    fn issuer(&self) -> Result<String, Notice> {
        let query = self.head.uri.query().unwrap_or_default();
        let mut told = form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key == "iss");
        let Some((_, issuer)) = told.next() else {
            return Ok(String::new());
        };
        let one = (1..=MAX_ISSUER_BYTES).contains(&issuer.len()) && told.next().is_none();
        one.then(|| issuer.into_owned()).ok_or(Notice::Stale)
    }

    /// A field of the query that is there once.
    fn field(&self, name: &str) -> Option<String> {
        let query = self.head.uri.query().unwrap_or_default();
        let mut values = form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key == name);
        let (_, value) = values.next()?;
        values.next().is_none().then(|| value.into_owned())
    }
}

/// An address that is a page elsewhere and no script.
fn page_of(address: &str) -> Option<HeaderValue> {
    let scheme = address.parse::<Uri>().ok()?.into_parts().scheme?;
    let page = matches!(scheme.as_str(), "https" | "http");
    page.then(|| HeaderValue::try_from(address).ok()).flatten()
}
