//! The events of the sample domain, and their tags.

use serde::{Deserialize, Serialize};

use crate::{DomainEvent, EventDraft, EventTag, Result};

/// A student exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StudentCreated {
    /// The student.
    pub student_id: String,
    /// The name.
    pub name: String,
    /// Classes at most.
    pub max_class_count: u32,
}

/// A classroom exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClassRoomCreated {
    /// The classroom.
    pub class_room_id: String,
    /// The name.
    pub name: String,
    /// Students at most.
    pub max_students: u32,
}

/// A student is in a classroom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StudentEnrolled {
    /// The student.
    pub student_id: String,
    /// The classroom.
    pub class_room_id: String,
}

/// A student is not in a classroom any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StudentDropped {
    /// The student.
    pub student_id: String,
    /// The classroom.
    pub class_room_id: String,
}

/// Any event of the sample domain.
pub(super) enum SampleEvent {
    StudentCreated(StudentCreated),
    ClassRoomCreated(ClassRoomCreated),
    StudentEnrolled(StudentEnrolled),
    StudentDropped(StudentDropped),
}

pub(super) fn student_tag(id: &str) -> Result<EventTag> {
    EventTag::new("Student", id)
}

pub(super) fn class_room_tag(id: &str) -> Result<EventTag> {
    EventTag::new("ClassRoom", id)
}

impl SampleEvent {
    /// Reads an event; `None` if it is not of this domain.
    pub(super) fn of(event: &DomainEvent) -> Result<Option<Self>> {
        Ok(Some(match event.event_type.as_str() {
            "StudentCreated" => Self::StudentCreated(event.payload_as()?),
            "ClassRoomCreated" => Self::ClassRoomCreated(event.payload_as()?),
            "StudentEnrolled" => Self::StudentEnrolled(event.payload_as()?),
            "StudentDropped" => Self::StudentDropped(event.payload_as()?),
            _ => return Ok(None),
        }))
    }

    pub(super) fn draft(&self) -> Result<EventDraft> {
        match self {
            Self::StudentCreated(event) => {
                let tags = vec![student_tag(&event.student_id)?];
                EventDraft::of("StudentCreated", event, tags)
            }
            Self::ClassRoomCreated(event) => {
                let tags = vec![class_room_tag(&event.class_room_id)?];
                EventDraft::of("ClassRoomCreated", event, tags)
            }
            Self::StudentEnrolled(event) => {
                let tags =
                    vec![student_tag(&event.student_id)?, class_room_tag(&event.class_room_id)?];
                EventDraft::of("StudentEnrolled", event, tags)
            }
            Self::StudentDropped(event) => {
                let tags =
                    vec![student_tag(&event.student_id)?, class_room_tag(&event.class_room_id)?];
                EventDraft::of("StudentDropped", event, tags)
            }
        }
    }
}
