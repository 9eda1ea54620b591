//! The states of the sample domain: of a student, of a classroom, and lists of both.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{DomainEvent, EventProjector, ProjectorSet, Result};

use super::events::SampleEvent;

/// The state of a student.
#[derive(Clone, Copy, Debug)]
pub struct StudentProjector;

/// The state of a classroom.
#[derive(Clone, Copy, Debug)]
pub struct ClassRoomProjector;

/// All students and classrooms.
#[derive(Clone, Copy, Debug)]
pub struct SchoolProjector;

/// A student.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StudentState {
    /// The name; absent before the student exists.
    pub name: Option<String>,
    /// Classes at most.
    pub max_class_count: u32,
    /// The classrooms.
    pub class_rooms: BTreeSet<String>,
}

/// A classroom.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClassRoomState {
    /// The name; absent before the classroom exists.
    pub name: Option<String>,
    /// Students at most.
    pub max_students: u32,
    /// The students.
    pub students: BTreeSet<String>,
}

/// All students and classrooms.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SchoolList {
    /// By id.
    pub students: BTreeMap<String, StudentState>,
    /// By id.
    pub class_rooms: BTreeMap<String, ClassRoomState>,
}

/// The projectors of the sample domain.
#[must_use]
pub fn sample_projectors() -> ProjectorSet {
    ProjectorSet::default().with(StudentProjector).with(ClassRoomProjector).with(SchoolProjector)
}

impl EventProjector for StudentProjector {
    type State = StudentState;

    fn name(&self) -> &'static str {
        "Student"
    }

    fn version(&self) -> &'static str {
        "1"
    }

    fn apply(&self, state: &mut StudentState, event: &DomainEvent) -> Result<()> {
        match SampleEvent::of(event)? {
            Some(SampleEvent::StudentCreated(created)) => {
                state.name = Some(created.name);
                state.max_class_count = created.max_class_count;
            }
            Some(SampleEvent::StudentEnrolled(enrolled)) => {
                state.class_rooms.insert(enrolled.class_room_id);
            }
            Some(SampleEvent::StudentDropped(dropped)) => {
                state.class_rooms.remove(&dropped.class_room_id);
            }
            Some(SampleEvent::ClassRoomCreated(_)) | None => {}
        }
        Ok(())
    }
}

impl EventProjector for ClassRoomProjector {
    type State = ClassRoomState;

    fn name(&self) -> &'static str {
        "ClassRoom"
    }

    fn version(&self) -> &'static str {
        "1"
    }

    fn apply(&self, state: &mut ClassRoomState, event: &DomainEvent) -> Result<()> {
        match SampleEvent::of(event)? {
            Some(SampleEvent::ClassRoomCreated(created)) => {
                state.name = Some(created.name);
                state.max_students = created.max_students;
            }
            Some(SampleEvent::StudentEnrolled(enrolled)) => {
                state.students.insert(enrolled.student_id);
            }
            Some(SampleEvent::StudentDropped(dropped)) => {
                state.students.remove(&dropped.student_id);
            }
            Some(SampleEvent::StudentCreated(_)) | None => {}
        }
        Ok(())
    }
}

impl EventProjector for SchoolProjector {
    type State = SchoolList;

    fn name(&self) -> &'static str {
        "School"
    }

    fn version(&self) -> &'static str {
        "1"
    }

    fn apply(&self, state: &mut SchoolList, event: &DomainEvent) -> Result<()> {
        let (student, class_room) = match SampleEvent::of(event)? {
            None => return Ok(()),
            Some(SampleEvent::StudentCreated(one)) => (Some(one.student_id), None),
            Some(SampleEvent::ClassRoomCreated(one)) => (None, Some(one.class_room_id)),
            Some(SampleEvent::StudentEnrolled(one)) => {
                (Some(one.student_id), Some(one.class_room_id))
            }
            Some(SampleEvent::StudentDropped(one)) => {
                (Some(one.student_id), Some(one.class_room_id))
            }
        };
        if let Some(id) = student {
            StudentProjector.apply(state.students.entry(id).or_default(), event)?;
        }
        if let Some(id) = class_room {
            ClassRoomProjector.apply(state.class_rooms.entry(id).or_default(), event)?;
        }
        Ok(())
    }

    fn query(
        &self,
        state: &SchoolList,
        query: &str,
        parameters: &BTreeMap<String, String>,
    ) -> Result<Option<Value>> {
        let _ = parameters;
        Ok(match query {
            "students" => Some(json!(state.students)),
            "classrooms" => Some(json!(state.class_rooms)),
            "counts" => {
                let enrolled: usize =
                    state.class_rooms.values().map(|room| room.students.len()).sum();
                let (students, rooms) = (state.students.len(), state.class_rooms.len());
                Some(json!({ "students": students, "classRooms": rooms, "enrollments": enrolled }))
            }
            _ => None,
        })
    }
}
