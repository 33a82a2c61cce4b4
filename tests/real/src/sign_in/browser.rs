//! What a person with a browser does at the provider, by hand: pages are fetched, forms are sent, cookies are kept.

use std::collections::BTreeMap;

use reqwest::{Client, RequestBuilder, Response, StatusCode, Url, header, redirect::Policy};

/// So many pages at most on the way of one sign-in.
const MOST: usize = 12;

pub(crate) struct Browser {
    client: Client,
    cookies: BTreeMap<String, String>,
}

impl Browser {
    pub(crate) fn new() -> Self {
        let client = Client::builder().redirect(Policy::none()).build();
        Self {
            client: client.unwrap(),
            cookies: BTreeMap::new(),
        }
    }

    /// Goes on until it is sent to `end`, typing the name and the password where a form asks for them, and gives the whole
    /// address that it was sent to.
    pub(crate) async fn sign_in(&mut self, start: Url, end: &str, name: &str, word: &str) -> Url {
        let mut url = start;
        let mut fields: Option<Vec<(String, String)>> = None;
        for _ in 0..MOST {
            if url.as_str().starts_with(end) {
                return url;
            }
            let response = self.open(&url, fields.take()).await;
            if let Some(next) = response.headers().get(header::LOCATION) {
                url = url.join(next.to_str().unwrap()).unwrap();
                continue;
            }
            let page = response.text().await.unwrap();
            let action = action(&page).unwrap_or_else(|| panic!("no form at {url}:\n{page}"));
            url = url.join(&action).unwrap();
            fields = Some(filled(&page, name, word));
        }
        panic!("the way did not end: {url}")
    }

    /// Opens one more page.
    pub(crate) async fn see(&mut self, url: &Url) {
        self.page(url).await;
    }

    /// Opens one more page and reads it.
    pub(crate) async fn page(&mut self, url: &Url) -> String {
        let response = self.open(url, None).await;
        let status = response.status();
        let text = response.text().await.unwrap();
        assert!(status.is_success(), "{url}: {status}: {text}");
        text
    }

    /// How a page answers.
    pub(crate) async fn status(&mut self, url: &Url) -> StatusCode {
        self.open(url, None).await.status()
    }

    /// Sends an empty form as a page of some site has a browser do.
    pub(crate) async fn post_from(&mut self, url: &Url, site: &str) -> StatusCode {
        let request = self.client.post(url.clone()).header("sec-fetch-site", site);
        self.send(request).await.status()
    }

    async fn open(&mut self, url: &Url, fields: Option<Vec<(String, String)>>) -> Response {
        let request = match &fields {
            Some(fields) => self.client.post(url.clone()).form(fields),
            None => self.client.get(url.clone()),
        };
        self.send(request).await
    }

    async fn send(&mut self, request: RequestBuilder) -> Response {
        let cookies: Vec<_> = self
            .cookies
            .iter()
            .map(|(k, v)| format!("{k}={v}"))
            .collect();
        let response = request
            .header(header::COOKIE, cookies.join("; "))
            .send()
            .await
            .unwrap();
        for cookie in response.headers().get_all(header::SET_COOKIE) {
            let first = cookie.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = first.split_once('=').unwrap();
            match value {
                "" => self.cookies.remove(name),
                value => self.cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
        response
    }
}

fn action(page: &str) -> Option<String> {
    let form = page.split_once("<form")?.1;
    let head = form.split_once('>')?.0;
    let action = head.split_once("action=\"").map_or("", |(_, rest)| rest);
    let address = action.split_once('"').map_or("", |(address, _)| address);
    Some(address.replace("&amp;", "&"))
}

/// Hidden fields as they are, and what a person types.
fn filled(page: &str, name: &str, word: &str) -> Vec<(String, String)> {
    let inputs = page.split("<input").skip(1).filter_map(|rest| {
        let tag = rest.split_once('>')?.0;
        let attribute = |key: &str| {
            let rest = tag.split_once(&format!("{key}=\""))?.1;
            Some(rest.split_once('"')?.0.to_owned())
        };
        let field = attribute("name")?;
        let value = match field.as_str() {
            "login" => name.to_owned(),
            "password" => word.to_owned(),
            _ => attribute("value").unwrap_or_default(),
        };
        Some((field, value))
    });
    inputs.collect()
}
