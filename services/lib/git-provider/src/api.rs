//! The API of a provider with a credential: the layer between its calls and HTTP.

use serde::de::DeserializeOwned;

use crate::{
    Connection, Page, ProviderError,
    github::AppTokens,
    http::{Answer, Authorization, Call, Dialect, HttpClient},
};

/// A client that authenticates each request.
#[derive(Debug)]
pub(crate) struct Api {
    pub(crate) http: HttpClient,
    login: Login,
}

/// Where the header that authenticates comes from.
#[derive(Debug)]
enum Login {
    Fixed(Authorization),
    App(AppTokens),
}

impl Api {
    /// Extends the URL that a user gave by the path of the API.
    pub(crate) fn new(
        mut connection: Connection,
        path: &[&str],
        dialect: Dialect,
        authorization: Authorization,
    ) -> Result<Self, ProviderError> {
        extend_path(&mut connection, path)?;
        Ok(Self {
            http: HttpClient::new(connection, dialect)?,
            login: Login::Fixed(authorization),
        })
    }

    /// The same with the tokens of a GitHub App.
    pub(crate) fn with_app(
        mut connection: Connection,
        path: &[&str],
        dialect: Dialect,
        tokens: AppTokens,
    ) -> Result<Self, ProviderError> {
        extend_path(&mut connection, path)?;
        Ok(Self {
            http: HttpClient::new(connection, dialect)?,
            login: Login::App(tokens),
        })
    }

    /// True for an installation of an App, which is no user.
    pub(crate) fn is_app(&self) -> bool {
        matches!(self.login, Login::App(_))
    }

    /// Sends a request and returns whatever is answered, but redirects and refusals by rate.
    pub(crate) async fn send(&self, call: Call) -> Result<Answer, ProviderError> {
        let authorization = match &self.login {
            Login::Fixed(authorization) => authorization.clone(),
            Login::App(tokens) => tokens.current(&self.http).await?,
        };
        self.http.send(call, &authorization).await
    }

    /// Sends a request that must succeed, and reads JSON.
    pub(crate) async fn json<T: DeserializeOwned>(&self, call: Call) -> Result<T, ProviderError> {
        let what = call.what();
        self.send(call).await?.check(&what)?.json()
    }

    /// Sends a request that must succeed, and ignores what it answers.
    pub(crate) async fn done(&self, call: Call) -> Result<(), ProviderError> {
        let what = call.what();
        self.send(call).await?.check(&what).map(drop)
    }

    /// One page of a list that continues by the `Link` header.
    pub(crate) async fn page<T: DeserializeOwned, U>(
        &self,
        call: Call,
        convert: impl Fn(T) -> U,
    ) -> Result<Page<U>, ProviderError> {
        let what = call.what();
        let answer = self.send(call).await?.check(&what)?;
        let items: Vec<T> = answer.json()?;
        self.continued(&answer, items.into_iter().map(convert).collect())
    }

    /// A page of items that were read from an answer.
    pub(crate) fn continued<U>(
        &self,
        answer: &Answer,
        items: Vec<U>,
    ) -> Result<Page<U>, ProviderError> {
        let next = answer.next_link().map(|link| self.http.cursor(&link));
        Ok(Page {
            items,
            next: next.transpose()?,
        })
    }

    /// A credential of another provider, or the URL of another program, shows at the first call.
    pub(crate) fn other_provider(&self, error: ProviderError) -> ProviderError {
        let is_foreign = matches!(
            error,
            ProviderError::NotFound { .. }
                | ProviderError::Malformed { .. }
                | ProviderError::Moved { .. }
                | ProviderError::Refused { .. }
        );
        if !is_foreign {
            return error;
        }
        ProviderError::OtherProvider {
            host: self.http.host(),
            provider: self.http.provider(),
        }
    }
}

fn extend_path(connection: &mut Connection, path: &[&str]) -> Result<(), ProviderError> {
    let url = &mut connection.url.0;
    url.path_segments_mut()
        .map_err(|()| ProviderError::InvalidUrl("has no path"))?
        .pop_if_empty()
        .extend(path);
    Ok(())
}
