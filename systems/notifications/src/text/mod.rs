//! What users read: templates in several languages, safe pieces of foreign text, and the link behind a tap.

mod deeplink;
mod plural;
mod safe;
mod template;

pub(crate) use deeplink::deeplink;
pub(crate) use safe::{SNIPPET_CHARS_MAX, safe_text};
pub(crate) use template::{Rendered, Templates, Wording};
