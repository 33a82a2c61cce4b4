//! The two cookies that a browser gets. Where the port is reached over TLS their names bind them to this host and to TLS.

use http::{HeaderMap, HeaderValue, header};

/// A cookie by its name and how it travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// With the prefix that browsers hold to: only this host sets it, over TLS, for all paths.
    bound: &'static str,
    same_site: &'static str,
}

/// The session. No other site makes a browser send it, not even by a link.
pub(super) const SESSION: Kind = Kind {
    bound: "__Host-causeway-session",
    same_site: "Strict",
};

/// A sign-in on its way. It comes back by a link of the identity provider.
pub(super) const SIGN_IN: Kind = Kind {
    bound: "__Host-causeway-sign-in",
    same_site: "Lax",
};

/// Reads and writes cookies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cookies {
    transport: Transport,
}

/// How browsers reach the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    Tls,
    /// Loopback: browsers would not keep a cookie with the prefix.
    Plain,
}

/// A cookie that is there twice: one of them is not ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the cookie {0} is there twice; delete the cookies of this site")]
pub(super) struct Twice(&'static str);

impl Cookies {
    pub(super) fn over(transport: Transport) -> Self {
        Self { transport }
    }

    fn name(self, kind: Kind) -> &'static str {
        match self.transport {
            Transport::Tls => kind.bound,
            Transport::Plain => kind.bound.trim_start_matches("__Host-"),
        }
    }

    /// The value of a cookie.
    pub(super) fn get(self, headers: &HeaderMap, kind: Kind) -> Result<Option<&str>, Twice> {
        let name = self.name(kind);
        let lines = headers.get_all(header::COOKIE).iter();
        let pairs = lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        let mut values = pairs
            .filter(|(key, _)| *key == name)
            .map(|(_, value)| value);
        let first = values.next();
        match values.next() {
            Some(_) => Err(Twice(name)),
            None => Ok(first),
        }
    }

    /// Sets a cookie for so many seconds. The value must be of characters that cookies take.
    pub(super) fn set(self, kind: Kind, value: &str, seconds: u64) -> Option<HeaderValue> {
        let secure = match self.transport {
            Transport::Tls => "; Secure",
            Transport::Plain => "",
        };
        let (name, same_site) = (self.name(kind), kind.same_site);
        let text = format!(
            "{name}={value}; Path=/; HttpOnly; SameSite={same_site}; Max-Age={seconds}{secure}"
        );
        let mut header = HeaderValue::try_from(text).ok()?;
        header.set_sensitive(true);
        Some(header)
    }

    pub(super) fn forget(self, kind: Kind) -> HeaderValue {
        let header = self.set(kind, "", 0);
        header.expect("names of ours are a valid header")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cookies(lines: &[&str]) -> HeaderMap {
        let lines = lines.iter().map(|line| line.parse().unwrap());
        lines.map(|line| (header::COOKIE, line)).collect()
    }

    #[test]
    fn a_cookie_is_found_among_others_by_its_whole_name() {
        let cookies_of = |lines: &[&str]| {
            let headers = cookies(lines);
            let found = Cookies::over(Transport::Tls).get(&headers, SESSION);
            found.map(|value| value.map(str::to_owned))
        };
        let ours = Ok(Some("cws_a".to_owned()));
        assert_eq!(cookies_of(&["a=b; __Host-causeway-session=cws_a"]), ours);
        assert_eq!(cookies_of(&["a=b", "__Host-causeway-session=cws_a"]), ours);
        assert_eq!(cookies_of(&["causeway-session=cws_a"]), Ok(None));
        assert_eq!(cookies_of(&["__host-causeway-session=cws_a"]), Ok(None));
        assert_eq!(cookies_of(&["x__Host-causeway-session=cws_a"]), Ok(None));
        assert_eq!(cookies_of(&["__Host-causeway-session"]), Ok(None));
        assert_eq!(cookies_of(&[]), Ok(None));
    }

    #[test]
    fn a_cookie_that_is_there_twice_is_neither() {
        let headers = cookies(&["causeway-session=cws_a; causeway-session=cws_b"]);
        let plain = Cookies::over(Transport::Plain);
        assert_eq!(plain.get(&headers, SESSION), Err(Twice("causeway-session")));
    }

    #[test]
    fn cookies_are_bound_to_the_host_and_out_of_reach_of_scripts() {
        let set = |transport, kind| {
            let header = Cookies::over(transport).set(kind, "v", 60).unwrap();
            header.to_str().unwrap().to_owned()
        };
        assert_eq!(
            set(Transport::Tls, SESSION),
            "__Host-causeway-session=v; Path=/; HttpOnly; SameSite=Strict; Max-Age=60; Secure"
        );
        assert_eq!(
            set(Transport::Tls, SIGN_IN),
            "__Host-causeway-sign-in=v; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure"
        );
        assert_eq!(
            set(Transport::Plain, SESSION),
            "causeway-session=v; Path=/; HttpOnly; SameSite=Strict; Max-Age=60"
        );
    }
}
