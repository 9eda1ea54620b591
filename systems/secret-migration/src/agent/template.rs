//! Templates: text with `{{ KEY }}`, `{{ NUMBER.KEY }}` and `{{ @backend }}`.
//!
//! `KEY` is the key of any path, `NUMBER.KEY` that of the path with this number, from 0. The rendered text is wiped
//! when it is dropped. A key that is not there is an error: a workload must not start with half of its secrets.

use zeroize::Zeroizing;

use crate::domain::SecretBackend;
use crate::secret::SecretData;

/// Renders a template.
///
/// # Errors
/// The key that is missing, or the brace that does not close. No value is in the message.
pub(super) fn render(
    template: &str,
    backend: SecretBackend,
    secrets: &[SecretData],
) -> Result<Zeroizing<String>, String> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").ok_or("a '{{' without its '}}'")?;
        parts.push(Zeroizing::new(before.to_owned()));
        parts.push(value(name.trim(), backend, secrets)?);
        rest = after;
    }
    parts.push(Zeroizing::new(rest.to_owned()));
    // Reserved at once: growing would leave copies behind that nobody wipes.
    let mut text = Zeroizing::new(String::with_capacity(parts.iter().map(|part| part.len()).sum()));
    for part in &parts {
        text.push_str(part);
    }
    Ok(text)
}

fn value(
    name: &str,
    backend: SecretBackend,
    secrets: &[SecretData],
) -> Result<Zeroizing<String>, String> {
    if name == "@backend" {
        return Ok(Zeroizing::new(backend.name().to_owned()));
    }
    let numbered = name.split_once('.').and_then(|(number, key)| {
        let data = secrets.get(number.parse::<usize>().ok()?)?;
        Some((data, key))
    });
    let found = match numbered {
        Some((data, key)) => data.get(key),
        None => secrets.iter().find_map(|data| data.get(name)),
    };
    let found = found.ok_or_else(|| format!("no secret has the key '{name}'"))?;
    match serde_json::from_str::<String>(found.expose_json()) {
        Ok(text) => Ok(Zeroizing::new(text)),
        Err(_) => Ok(Zeroizing::new(found.expose_json().to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_by_name_and_by_number() {
        let secrets = [r#"{"user":"ann","port":5432}"#, r#"{"user":"bob","password":"a\"b"}"#];
        let secrets = secrets.map(|json| SecretData::parse(json.as_bytes()).unwrap());
        let text = "{{ @backend }}: {{user}}:{{ password }}@h:{{ 0.port }} {{1.user}}";
        let rendered = render(text, SecretBackend::Smp, &secrets).unwrap();
        assert_eq!(rendered.as_str(), "smp: ann:a\"b@h:5432 bob");
        for wrong in ["{{ nothing }}", "{{ 7.user }}", "{{ user"] {
            let why = render(wrong, SecretBackend::Smp, &secrets).unwrap_err();
            assert!(!why.contains("ann") && !why.contains("a\"b"), "{why}");
        }
    }
}
