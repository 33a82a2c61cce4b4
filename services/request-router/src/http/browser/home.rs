//! Where browsers find this port: at the address that a flag says, or else on loopback.

use http::{HeaderMap, Uri, header};

use super::cookie::{Cookies, Transport};
use crate::config::{self, PublicUrl};

const SEC_FETCH_SITE: &str = "sec-fetch-site";
const SEC_FETCH_MODE: &str = "sec-fetch-mode";

/// What is known of it at the start.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    public: Option<PublicUrl>,
    transport: Transport,
}

/// Where one request finds it: the origin, without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place(String);

impl Home {
    /// `tls` is whether the port itself serves TLS.
    pub(crate) fn new(public: Option<PublicUrl>, tls: Option<&causeway_shell::ServerTls>) -> Self {
        let secure = match &public {
            Some(public) => public.is_secure(),
            None => tls.is_some(),
        };
        let transport = if secure {
            Transport::Tls
        } else {
            Transport::Plain
        };
        Self { public, transport }
    }

    pub(super) fn cookies(&self) -> Cookies {
        Cookies::over(self.transport)
    }

    /// Public address, or the loopback host of the request. Other host names are not trusted, since the client sets them.
    pub(super) fn place(&self, headers: &HeaderMap, uri: &Uri) -> Option<Place> {
        if let Some(public) = &self.public {
            return Some(Place(public.to_string()));
        }
        let named = uri.authority().map(http::uri::Authority::as_str);
        let host = named.or_else(|| headers.get(header::HOST)?.to_str().ok())?;
        let scheme = match self.transport {
            Transport::Tls => "https",
            Transport::Plain => "http",
        };
        is_loopback(host).then(|| Place(format!("{scheme}://{host}")))
    }
}

/// Who has a browser make a request: browsers say so themselves, and no page can say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opener {
    /// A page of this host.
    Own,
    /// The person, by the address bar or from another program.
    Person,
    /// The browser does not say, or it is none.
    Unsaid,
    /// A page of another site has the person's window go here.
    Link,
    /// A page of another site, unseen by the person.
    Hidden,
}

impl Opener {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let said = |name| headers.get(name).map(http::HeaderValue::as_bytes);
        match (said(SEC_FETCH_SITE), said(SEC_FETCH_MODE)) {
            (None, _) => Self::Unsaid,
            (Some(b"same-origin"), _) => Self::Own,
            (Some(b"none"), _) => Self::Person,
            (Some(_), Some(b"navigate")) => Self::Link,
            (Some(_), _) => Self::Hidden,
        }
    }

    pub(super) fn is_foreign(self) -> bool {
        matches!(self, Self::Link | Self::Hidden)
    }
}

fn is_loopback(host: &str) -> bool {
    let Ok(authority) = host.parse::<http::uri::Authority>() else {
        return false;
    };
    config::is_loopback(&authority) && !host.contains('@')
}

impl Place {
    pub(super) fn origin(&self) -> &str {
        &self.0
    }

    /// True if a page of this place asks: browsers say so themselves, and no page can say otherwise.
    pub(super) fn asks(&self, headers: &HeaderMap) -> bool {
        let origin = headers.get(header::ORIGIN).map(|value| value.as_bytes());
        match headers.get(SEC_FETCH_SITE) {
            Some(site) => site == "same-origin",
            None => origin == Some(self.0.as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(public: Option<&str>) -> Home {
        Home::new(public.map(|public| public.parse().unwrap()), None)
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| {
            let name = http::HeaderName::from_static(name);
            (name, value.parse().unwrap())
        });
        pairs.collect()
    }

    fn place(public: Option<&str>, host: &str) -> Option<String> {
        let place = home(public).place(&headers(&[("host", host)]), &Uri::from_static("/"));
        place.map(|place| place.0)
    }

    #[test]
    fn a_name_that_a_request_makes_up_counts_only_on_loopback() {
        for host in [
            "127.0.0.1:7400",
            "localhost:7400",
            "[::1]:7400",
            "localhost",
        ] {
            assert_eq!(place(None, host), Some(format!("http://{host}")));
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:80",
            "evil@127.0.0.1",
            "127.0.0.1:7400/evil",
            "",
        ] {
            assert_eq!(place(None, host), None, "{host}");
        }
        let public = Some("https://causeway.example.com");
        assert_eq!(place(public, "evil.example").as_deref(), public);
    }

    #[test]
    fn a_browser_says_whether_a_page_of_another_site_sends_it() {
        let opener = |pairs: &[(&'static str, &str)]| Opener::of(&headers(pairs));
        let from = |site| opener(&[("sec-fetch-site", site), ("sec-fetch-mode", "navigate")]);
        assert_eq!(from("same-origin"), Opener::Own);
        assert_eq!(from("none"), Opener::Person);
        assert_eq!(from("cross-site"), Opener::Link);
        assert_eq!(from("same-site"), Opener::Link);
        assert_eq!(from("what is to come"), Opener::Link);
        assert_eq!(opener(&[]), Opener::Unsaid);
        for mode in ["no-cors", "cors", "websocket"] {
            let image = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", mode)];
            assert_eq!(opener(&image), Opener::Hidden, "{mode}");
        }
        assert_eq!(opener(&[("sec-fetch-site", "cross-site")]), Opener::Hidden);
    }

    #[test]
    fn only_pages_of_this_host_ask() {
        let asks = |pairs: &[(&'static str, &str)]| {
            Place("https://causeway.example.com".to_owned()).asks(&headers(pairs))
        };
        assert!(asks(&[("sec-fetch-site", "same-origin")]));
        assert!(asks(&[("origin", "https://causeway.example.com")]));
        for refused in [
            &[("sec-fetch-site", "cross-site")][..],
            &[("sec-fetch-site", "same-site")],
            &[("sec-fetch-site", "none")],
            &[
                ("sec-fetch-site", "cross-site"),
                ("origin", "https://causeway.example.com"),
            ],
            &[("origin", "https://evil.example")],
            &[("origin", "http://causeway.example.com")],
            &[("origin", "https://causeway.example.com.evil.example")],
            &[("origin", "null")],
            &[],
        ] {
            assert!(!asks(refused), "{refused:?}");
        }
    }
}
