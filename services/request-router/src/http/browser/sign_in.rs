//! The beginning and the end of a sign-in.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use causeway_oidc::Unguessable;
use http::{HeaderValue, Response, Uri, header};
use sha2::{Digest as _, Sha256};
use tonic::body::Body;

use super::{
    CALLBACK, Visit,
    convert::{self, Way},
    cookie::{SESSION, SIGN_IN},
    notice::Notice,
    page, return_to, see_other,
};

const LIST: &str = "/causeway.platform.v1.SignInService/ListSignInProviders";
const START: &str = "/causeway.platform.v1.SignInService/StartSignIn";
const FINISH: &str = "/causeway.platform.v1.SignInService/FinishSignIn";
/// As long as the platform gives a sign-in.
const SECONDS: u64 = 600;
const LONGEST_NAME: usize = 100;
const LONGEST_CODE: usize = 4096;

/// What the browser keeps of its sign-in until it comes back.
pub(super) struct Begun {
    verifier: Unguessable,
    state: String,
    return_to: String,
}

impl Begun {
    /// As a cookie has it.
    pub(super) fn text(&self) -> String {
        let return_to = URL_SAFE_NO_PAD.encode(&self.return_to);
        format!("{}.{}.{return_to}", self.verifier.expose(), self.state)
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let (verifier, state, path) = (parts.next()?, parts.next()?, parts.next()?);
        let path = String::from_utf8(URL_SAFE_NO_PAD.decode(path).ok()?).ok()?;
        parts.next().is_none().then(|| Self {
            verifier: Unguessable::kept(verifier.to_owned()),
            state: state.to_owned(),
            return_to: return_to::path(&path).to_owned(),
        })
    }
}

/// What the browser is held to instead of a state of up to 4 KiB.
fn digest(state: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(state))
}

impl Visit<'_> {
    /// Sends the browser to the identity provider, or lets the person choose one.
    pub(super) async fn begin(&self) -> Result<Response<Body>, Notice> {
        let account = self.name("account")?;
        let asked = self.field("return_to").unwrap_or_default();
        let path = return_to::path(&asked);
        let mut provider = self.name("provider")?;
        if provider.is_empty() {
            let mut ways = self.ways(&account).await?;
            match ways.len() {
                0 => return Err(Notice::NoProvider),
                1 => provider = ways.remove(0).provider,
                _ => return Ok(page::choice(&account, &ways, path)),
            }
        }
        self.start(account, provider, path).await
    }

    async fn start(
        &self,
        account: String,
        provider: String,
        path: &str,
    ) -> Result<Response<Body>, Notice> {
        let verifier = Unguessable::generate();
        let redirect_uri = format!("{}{CALLBACK}", self.place.origin());
        let request = convert::start(account, provider, redirect_uri, &verifier);
        let started = self.ask(START, &request, None).await;
        let started = started.map(convert::started);
        let started = started.map_err(|status| Notice::of(&status))?;
        let begun = Begun {
            verifier,
            state: digest(&started.state),
            return_to: path.to_owned(),
        };
        let elsewhere = page_of(&started.page).ok_or(Notice::ProviderDown)?;
        let mut response = see_other(elsewhere);
        let cookie = self.cookies.set(SIGN_IN, &begun.text(), SECONDS);
        let cookie = cookie.ok_or(Notice::Down)?;
        response.headers_mut().append(header::SET_COOKIE, cookie);
        Ok(response)
    }

    async fn ways(&self, account: &str) -> Result<Vec<Way>, Notice> {
        let listed = self.ask(LIST, &convert::list(account), None).await;
        let ways = listed.map(convert::listed);
        ways.map_err(|status| Notice::of(&status))
    }

    /// Takes the browser back from the identity provider. Whatever comes of it, this sign-in is over for this browser.
    pub(super) async fn end(&self) -> Result<Response<Body>, Notice> {
        let state = self.field("state").ok_or(Notice::Stale)?;
        let begun = self.begun().filter(|begun| begun.state == digest(&state));
        // The cookie of a sign-in that this is not stays: anybody can send a browser here.
        let begun = begun.ok_or(Notice::Stale)?;
        let answer = self.finish(begun, state).await;
        let mut response = answer.unwrap_or_else(Notice::into_response);
        let forget = self.cookies.forget(SIGN_IN);
        response.headers_mut().append(header::SET_COOKIE, forget);
        Ok(response)
    }

    async fn finish(&self, begun: Begun, state: String) -> Result<Response<Body>, Notice> {
        if self.field("error").is_some() {
            return Err(Notice::Denied);
        }
        let code = self.field("code").filter(|code| code.len() <= LONGEST_CODE);
        let request = convert::finish(state, code.ok_or(Notice::Stale)?, &begun.verifier);
        let finished = self.ask(FINISH, &request, None).await;
        let session = finished.map(convert::finished);
        let session = session.map_err(|status| Notice::of(&status))?;
        let cookie = self.cookies.set(SESSION, &session.token, session.seconds);
        let mut response = page::signed_in(&begun.return_to);
        let cookie = cookie.ok_or(Notice::Down)?;
        response.headers_mut().append(header::SET_COOKIE, cookie);
        Ok(response)
    }

    fn begun(&self) -> Option<Begun> {
        let cookie = self.cookies.get(&self.head.headers, SIGN_IN);
        Begun::read(cookie.ok()??)
    }

    /// The name of an account or a provider; empty where there is none.
    fn name(&self, field: &str) -> Result<String, Notice> {
        let name = self.field(field).unwrap_or_default();
        match name.len() {
            0..=LONGEST_NAME => Ok(name),
            _ => Err(Notice::NoProvider),
        }
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
