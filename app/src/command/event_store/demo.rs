//! The demonstration: two schools, each a tenant, and tokens for them.
//!
//! Filling the same folder again adds nothing.

use event_store::sample::{
    NewClassRoom, NewEnrollment, NewStudent, create_class_room, create_student, enroll_student,
};
use event_store::{EVENT_STORE_ADMIN_ROLE, ErrorKind, EventStoreSystem};
use serde_json::json;
use service::identity::Identity;

use super::open::{parse_service, store_error};
use crate::error::CommandError;

const TENANTS: [&str; 2] = ["north-school", "south-school"];
const STUDENTS: [&str; 3] = ["ann", "bob", "eve"];

/// Creates students and classrooms, where they are missing.
pub(super) async fn fill(system: &EventStoreSystem) -> Result<(), CommandError> {
    for tenant in TENANTS {
        let store = system.scope_of(&parse_service(tenant)?).events;
        for name in STUDENTS {
            let student_id = name.to_owned();
            let new =
                NewStudent { student_id, name: format!("{name} of {tenant}"), max_class_count: 5 };
            ignore_existing(create_student(&store, new).await)?;
        }
        let class_room_id = "biology".to_owned();
        let new = NewClassRoom {
            class_room_id: class_room_id.clone(),
            name: "Biology".to_owned(),
            max_students: 2,
        };
        ignore_existing(create_class_room(&store, new).await)?;
        let enrolled = NewEnrollment { student_id: "ann".to_owned(), class_room_id };
        ignore_existing(enroll_student(&store, enrolled).await)?;
    }
    Ok(())
}

fn ignore_existing<T>(result: event_store::Result<T>) -> Result<(), CommandError> {
    match result {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::Conflict => Ok(()),
        Err(error) => Err(store_error("preparing the demonstration", &error)),
    }
}

/// Links by which people sign in: an operator, and somebody of a tenant; none outside demo mode.
pub(super) fn links(identity: &Identity) -> Vec<(String, String)> {
    let people: [(&str, &[&str]); 2] = [("operator", &[EVENT_STORE_ADMIN_ROLE]), ("ann", &[])];
    let link = |(name, roles): (&str, &[&str])| {
        Some((name.to_owned(), identity.sign_in_link(name, roles)?))
    };
    people.into_iter().filter_map(link).collect()
}

/// Tokens to try, as lines; none outside demo mode.
pub(super) fn tokens(identity: &Identity) -> Vec<String> {
    let Some(issuer) = identity.demo_issuer() else { return Vec::new() };
    let mut lines: Vec<_> = TENANTS
        .iter()
        .map(|tenant| {
            let token = issuer.token_with("ann", json!({ "service_id": tenant }));
            format!("Token of {tenant}: {token}")
        })
        .collect();
    lines.push(format!(
        "Token of an operator: {}",
        issuer.token("operator", &[EVENT_STORE_ADMIN_ROLE])
    ));
    lines.push("Try: curl -H \"Authorization: Bearer $TOKEN\" URL/api/v1/events".to_owned());
    lines
}
