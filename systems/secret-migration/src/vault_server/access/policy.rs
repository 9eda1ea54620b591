//! Policies: which paths, and what may be done there.
//!
//! The most specific path decides: an exact one before one with `+`, before one that ends in `*`; of two with `*` the
//! longer. Several policies with the same path add up. `deny` beats everything.

use serde_json::Value;

use super::super::reply::{VaultRefusal, VaultResult};

/// What may be done with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum VaultCapability {
    Create,
    Read,
    Update,
    Patch,
    Delete,
    List,
    Sudo,
    Deny,
}

/// The rules of a policy, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct AccessPolicy {
    rules: Vec<(String, Vec<VaultCapability>)>,
}

impl VaultCapability {
    fn parse(name: &str) -> VaultResult<Self> {
        Ok(match name {
            "create" => Self::Create,
            "read" => Self::Read,
            "update" => Self::Update,
            "patch" => Self::Patch,
            "delete" => Self::Delete,
            "list" => Self::List,
            "sudo" => Self::Sudo,
            "deny" => Self::Deny,
            _ => {
                let message = format!("failed to parse policy: unknown capability '{name}'");
                return Err(VaultRefusal::invalid(message));
            }
        })
    }
}

/// Reads a policy in the language of Vault, or the same as JSON.
pub(in super::super) fn parse_policy(text: &str) -> VaultResult<AccessPolicy> {
    let wrong = |why: &str| VaultRefusal::invalid(format!("failed to parse policy: {why}"));
    let parsed: Value = match serde_json::from_str(text) {
        Ok(json) => json,
        Err(_) => hcl::from_str(text).map_err(|_| wrong("neither HCL nor JSON"))?,
    };
    let mut policy = AccessPolicy::default();
    let members = parsed.as_object().ok_or_else(|| wrong("no object"))?;
    for (name, paths) in members {
        let (Some(paths), "path") = (paths.as_object(), name.as_str()) else {
            return Err(wrong(&format!("only 'path' is known here, not '{name}'")));
        };
        for (path, rules) in paths {
            // The same path twice is a list in HCL.
            let rules = match rules {
                Value::Array(rules) => rules.clone(),
                one => vec![one.clone()],
            };
            for rule in rules {
                let capabilities = rule.get("capabilities").and_then(Value::as_array);
                let capabilities =
                    capabilities.ok_or_else(|| wrong("a path without capabilities"))?;
                let capabilities = capabilities
                    .iter()
                    .map(|name| VaultCapability::parse(name.as_str().unwrap_or_default()))
                    .collect::<VaultResult<Vec<_>>>()?;
                policy.rules.push((path.trim_start_matches('/').to_owned(), capabilities));
            }
        }
    }
    Ok(policy)
}

/// Whether the policies together allow something.
pub(super) fn allows(policies: &[AccessPolicy], path: &str, needed: VaultCapability) -> bool {
    let rules = policies.iter().flat_map(|policy| &policy.rules);
    let matching = rules.filter(|(pattern, _)| matches_path(pattern, path));
    let matching: Vec<_> = matching.collect();
    let Some(best) = matching.iter().map(|(pattern, _)| rank(pattern)).max() else { return false };
    let decisive = matching.into_iter().filter(|(pattern, _)| rank(pattern) == best);
    let capabilities: Vec<_> = decisive.flat_map(|(_, capabilities)| capabilities).collect();
    !capabilities.contains(&&VaultCapability::Deny) && capabilities.contains(&&needed)
}

/// How specific a pattern is; the higher wins.
fn rank(pattern: &str) -> (bool, usize, usize) {
    let wildcard = pattern.find(['+', '*']).unwrap_or(pattern.len());
    (!pattern.ends_with('*'), wildcard, pattern.len())
}

fn matches_path(pattern: &str, path: &str) -> bool {
    let (pattern, is_prefix) = match pattern.strip_suffix('*') {
        Some(prefix) => (prefix, true),
        None => (pattern, false),
    };
    if !pattern.contains('+') {
        return if is_prefix { path.starts_with(pattern) } else { path == pattern };
    }
    let mut parts = path.split('/');
    let mut wanted = pattern.split('/').peekable();
    while let Some(part) = wanted.next() {
        let Some(found) = parts.next() else { return false };
        let is_last = wanted.peek().is_none();
        let fits = match part {
            "+" => true,
            part if is_last && is_prefix => found.starts_with(part),
            part => part == found,
        };
        if !fits {
            return false;
        }
    }
    is_prefix || parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = r#"
        path "secret/data/shop/*" { capabilities = ["create", "read", "update"] }
        path "secret/data/shop/private" { capabilities = ["deny"] }
        path "secret/+/team/*" { capabilities = ["list"] }
        path "secret/data/shop/db" { capabilities = ["read"] }
    "#;

    #[test]
    fn the_most_specific_path_decides() {
        let policies = [parse_policy(POLICY).unwrap()];
        let may = |path: &str, needed| allows(&policies, path, needed);
        assert!(may("secret/data/shop/mail", VaultCapability::Create));
        assert!(!may("secret/data/shop/mail", VaultCapability::Delete));
        assert!(may("secret/data/shop/db", VaultCapability::Read));
        assert!(!may("secret/data/shop/db", VaultCapability::Update), "the exact path has less");
        assert!(!may("secret/data/shop/private", VaultCapability::Read));
        assert!(may("secret/metadata/team/a/b", VaultCapability::List));
        assert!(!may("secret/metadata/other/a", VaultCapability::List));
        assert!(!may("secret/data/shopping", VaultCapability::Read));
        assert!(!may("sys/mounts", VaultCapability::Read));
    }

    #[test]
    fn policies_with_the_same_path_add_up_and_deny_beats_them() {
        let read = parse_policy(r#"path "a/*" { capabilities = ["read"] }"#).unwrap();
        let list = parse_policy(r#"{"path":{"a/*":{"capabilities":["list"]}}}"#).unwrap();
        let deny = parse_policy(r#"path "a/*" { capabilities = ["deny"] }"#).unwrap();
        let both = [read.clone(), list.clone()];
        assert!(allows(&both, "a/b", VaultCapability::Read));
        assert!(allows(&both, "a/b", VaultCapability::List));
        assert!(!allows(&[read, list, deny], "a/b", VaultCapability::Read));
    }

    #[test]
    fn what_is_no_policy_is_refused() {
        let wrong = [
            "path",
            r#"path "a" {}"#,
            r#"path "a" { capabilities = ["fly"] }"#,
            r#"role "a" { x = 1 }"#,
            "[]",
        ];
        for text in wrong {
            assert!(parse_policy(text).is_err(), "{text}");
        }
    }
}
