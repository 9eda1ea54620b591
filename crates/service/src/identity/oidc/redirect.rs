//! The addresses to which an issuer may send a browser back.
//!
//! Owns the allow-list. The host of a request only chooses from it, so a forged host cannot become part of an address.

use reqwest::Url;

/// The path of the callback of every service.
pub(super) const CALLBACK_PATH: &str = "/session/callback";

/// An address of the callback: `https://app.example/session/callback`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::identity) struct RedirectUri {
    /// As it is registered at the issuer, which compares the text.
    text: String,
    authority: String,
    origin: String,
}

impl RedirectUri {
    /// Parses a setting; `None` unless it is https, or http on this machine, with the path of the callback only: that
    /// of every service, or `own_path` if that is not empty.
    pub(in crate::identity) fn parse(text: &str, own_path: &str) -> Option<Self> {
        let is_own = !own_path.is_empty() && text.ends_with(own_path);
        let path = if is_own { own_path } else { CALLBACK_PATH };
        let origin = text.strip_suffix(path)?;
        let url: Url = text.parse().ok()?;
        let is_local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        let is_trusted = url.scheme() == "https" || (url.scheme() == "http" && is_local);
        // Equal to its own origin: no user name, no path in front, no other spelling.
        let is_exact = url.origin().ascii_serialization() == origin;
        let (_, authority) = origin.split_once("://")?;
        let authority = authority.to_owned();
        (is_trusted && is_exact).then(|| Self {
            text: text.to_owned(),
            authority,
            origin: origin.to_owned(),
        })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// A page of the service at this address.
    pub(super) fn page(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    pub(super) fn serves(&self, host: &str) -> bool {
        self.authority.eq_ignore_ascii_case(host)
    }
}

#[cfg(test)]
mod tests {
    use super::RedirectUri;

    #[test]
    fn a_redirect_address_is_an_origin_with_the_path_of_the_callback() {
        let address = RedirectUri::parse("https://app.example/session/callback", "").unwrap();
        assert_eq!(address.page("/"), "https://app.example/");
        assert!(address.serves("APP.example"));
        assert!(!address.serves("app.example:444") && !address.serves("app.example.evil.example"));
        assert!(RedirectUri::parse("http://127.0.0.1:8080/session/callback", "").is_some());
        let own = RedirectUri::parse("https://app.example/signin-oidc", "/signin-oidc").unwrap();
        assert_eq!(
            (own.text(), own.origin.as_str()),
            ("https://app.example/signin-oidc", "https://app.example")
        );
        assert!(
            RedirectUri::parse("https://app.example/session/callback", "/signin-oidc").is_some()
        );
        assert_eq!(RedirectUri::parse("https://app.example/x/signin-oidc", "/signin-oidc"), None);
        for text in [
            "",
            "/session/callback",
            "http://app.example/session/callback",
            "https://app.example/session/callback?x=1",
            "https://app.example/session/callback#x",
            "https://app.example/other",
            "https://app.example/prefix/session/callback",
            "https://user@app.example/session/callback",
            "https://App.example/session/callback",
            "javascript://app.example/session/callback",
            "é/session/callback",
        ] {
            assert_eq!(RedirectUri::parse(text, ""), None, "{text}");
        }
    }
}
