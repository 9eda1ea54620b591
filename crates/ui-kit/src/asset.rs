//! A static file of a page, and the policy under which pages run.

/// Allows scripts, styles and requests of the same origin only, nothing inline, and no framing by other pages.
pub const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; font-src 'self'; manifest-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// One static file.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// The path it is served at.
    pub path: &'static str,
    /// The value of its `content-type`.
    pub content_type: &'static str,
    /// Its bytes.
    pub body: &'static [u8],
}

impl Asset {
    /// Creates a file served at `path`: `Asset::new("/", "text/html; charset=utf-8",
    /// include_bytes!("page/index.html"))`.
    #[must_use]
    pub const fn new(path: &'static str, content_type: &'static str, body: &'static [u8]) -> Self {
        Self { path, content_type, body }
    }

    /// Creates a page.
    #[must_use]
    pub const fn html(path: &'static str, body: &'static [u8]) -> Self {
        Self::new(path, "text/html; charset=utf-8", body)
    }

    /// Creates a style sheet.
    #[must_use]
    pub const fn style(path: &'static str, body: &'static [u8]) -> Self {
        Self::new(path, "text/css; charset=utf-8", body)
    }

    /// Creates a script module.
    #[must_use]
    pub const fn script(path: &'static str, body: &'static [u8]) -> Self {
        Self::new(path, "text/javascript; charset=utf-8", body)
    }
}
