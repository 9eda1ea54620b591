//! Manifests: YAML text into Kubernetes objects, several documents per file, lists unpacked.
//!
//! Owns reading. Does not own what an object says about secrets (`workload`).

use serde_json::Value;

/// A manifest that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestError {
    /// The file, or where the text came from.
    pub origin: String,
    /// What is wrong.
    pub why: String,
}

impl std::fmt::Display for ManifestError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.origin, self.why)
    }
}

/// The objects of a text. Documents that are empty, such as those Helm leaves for disabled parts, are skipped; items of
/// a `List` are objects of their own.
///
/// # Errors
/// If the text is no YAML, or a document is no object.
pub fn parse_manifests(origin: &str, text: &str) -> Result<Vec<Value>, ManifestError> {
    let wrong = |why: String| ManifestError { origin: origin.to_owned(), why };
    let documents: Vec<Value> = serde_saphyr::from_multiple(text).map_err(|error| {
        // Only the first line: the rest would quote the text, which may have a secret next to a manifest.
        let text = error.to_string();
        wrong(format!("it is no YAML: {}", text.lines().next().unwrap_or_default()))
    })?;
    let mut objects = Vec::new();
    for document in documents {
        match document {
            Value::Null => {}
            Value::Object(_) => unpack(document, &mut objects),
            _ => return Err(wrong("a document of it is no object".to_owned())),
        }
    }
    Ok(objects)
}

fn unpack(mut object: Value, objects: &mut Vec<Value>) {
    let is_list = text(&object, "kind").is_some_and(|kind| kind.ends_with("List"));
    match object.get_mut("items").map(Value::take) {
        Some(Value::Array(items)) if is_list => {
            items.into_iter().for_each(|item| unpack(item, objects));
        }
        Some(items) => {
            if let Some(slot) = object.get_mut("items") {
                *slot = items;
            }
            objects.push(object);
        }
        None => objects.push(object),
    }
}

/// A text property.
pub(super) fn text<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object.get(name).and_then(Value::as_str)
}

/// A property at a path.
pub(super) fn at<'a>(object: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(object, |value, name| value.get(name))
}

/// A text property at a path.
pub(super) fn text_at<'a>(object: &'a Value, path: &[&str]) -> Option<&'a str> {
    at(object, path).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_lists_and_empty_parts_are_read() {
        let text = "# Source: chart/templates/a.yaml\nkind: Deployment\n---\n---\n# off\n---\nkind: List\n\
            items:\n- kind: Job\n- kind: DeploymentList\n  items: [{kind: Deployment}]\n";
        let kinds: Vec<_> = parse_manifests("f", text)
            .unwrap()
            .iter()
            .map(|object| object["kind"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(kinds, ["Deployment", "Job", "Deployment"]);
        assert!(parse_manifests("f", "").unwrap().is_empty());
    }

    #[test]
    fn what_is_no_yaml_is_an_error_with_its_file() {
        for wrong in ["a: [1", "\t- x: {", "- 1\n- 2\n", "just text"] {
            let error = parse_manifests("bad.yaml", wrong).unwrap_err();
            assert!(error.to_string().starts_with("bad.yaml: "), "{error}");
        }
    }
}
