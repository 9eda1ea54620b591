//! Convert container properties to those of the SDK.
//!
//! Owns the check that nothing is lost: a property that the SDK would not send is an error.

use azure_data_cosmos::models::ContainerProperties as LibraryProperties;
use model::{ContainerProperties, Json};

use crate::error::{Error, Result};

/// Converts our properties to the SDK's.
pub(super) fn library_properties(properties: &ContainerProperties) -> Result<LibraryProperties> {
    let ours = properties.to_json();
    let parsed: LibraryProperties = serde_json::from_slice(&ours.to_bytes()).map_err(|error| {
        Error::unsupported("the SDK cannot send these container properties").caused_by(&error)
    })?;
    // There and back: what the SDK parsed and prints again is what it would send.
    let sent = serde_json::to_vec(&parsed).map_err(|error| {
        Error::unexpected("the SDK cannot print container properties").caused_by(&error)
    })?;
    let sent = Json::parse(&sent).map_err(|error| {
        Error::unexpected("the SDK printed container properties wrongly").caused_by(&error)
    })?;
    match find_lost(&ours, &sent, String::new()) {
        None => Ok(parsed),
        Some(name) => {
            Err(Error::unsupported(format!("the SDK cannot send the container property '{name}'")))
        }
    }
}

/// The path of the first member that the SDK would not send. Null, empty strings and empty lists may be omitted.
fn find_lost(ours: &Json, sent: &Json, name: String) -> Option<String> {
    match (ours, sent) {
        (Json::Object(ours), _) => ours.iter().find_map(|(member, value)| {
            let name = if name.is_empty() { member.to_owned() } else { format!("{name}.{member}") };
            match sent.get(member) {
                None => (!is_empty_value(value)).then_some(name),
                Some(sent) => find_lost(value, sent, name),
            }
        }),
        (Json::Array(ours), Json::Array(sent)) if ours.len() == sent.len() => {
            ours.iter().zip(sent).find_map(|(ours, sent)| find_lost(ours, sent, name.clone()))
        }
        // The SDK prints some names in another case.
        (Json::String(ours), Json::String(sent)) => {
            (!ours.eq_ignore_ascii_case(sent)).then_some(name)
        }
        (ours, sent) => (ours != sent).then_some(name),
    }
}

fn is_empty_value(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::String(text) => text.is_empty(),
        Json::Array(list) => list.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(properties: &str, expected: Option<&str>) {
        let json = Json::parse(properties.as_bytes()).unwrap();
        let properties = ContainerProperties::from_json(&json).unwrap();
        let refused = library_properties(&properties).err().map(|error| error.to_string());
        match expected {
            None => assert_eq!(refused, None),
            Some(name) => assert!(refused.unwrap().ends_with(&format!("'{name}'")), "{name}"),
        }
    }

    #[test]
    fn what_the_library_would_drop_is_named() {
        let key = r#""partitionKey":{"paths":["/k"],"kind":"Hash","version":2}"#;
        check(&format!(r#"{{"id":"c",{key}}}"#), None);
        check(
            &format!(
                r#"{{"id":"c",{key},"indexingPolicy":{{"excludedPaths":[{{"path":"/*"}}]}}}}"#
            ),
            None,
        );
        check(
            &format!(r#"{{"id":"c",{key},"conflictResolutionPolicy":{{"mode":"Custom"}}}}"#),
            None,
        );
        check(
            &format!(
                r#"{{"id":"c",{key},"geospatialConfig":{{"type":"Geometry"}},"indexingPolicy":{{"spatialIndexes":[
                   {{"path":"/p/*","types":["Point"],"boundingBox":{{"xmin":0,"ymin":0,"xmax":1,"ymax":1}}}}]}}}}"#
            ),
            Some("indexingPolicy.spatialIndexes.boundingBox"),
        );
    }
}
