//! The commands of the sample domain: each reads what it depends on, decides, and appends.

use serde::Deserialize;

use crate::{AppendReceipt, Error, ErrorKind, EventStore, Result};

use super::events::{
    ClassRoomCreated, SampleEvent, StudentCreated, StudentDropped, StudentEnrolled, class_room_tag,
    student_tag,
};
use super::projectors::{ClassRoomProjector, StudentProjector};

/// A student to create.
#[derive(Clone, Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewStudent {
    /// The id, which becomes part of a tag.
    pub student_id: String,
    /// The name.
    pub name: String,
    /// Classes at most.
    #[serde(default = "max_class_count")]
    pub max_class_count: u32,
}

/// A classroom to create.
#[derive(Clone, Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewClassRoom {
    /// The id, which becomes part of a tag.
    pub class_room_id: String,
    /// The name.
    pub name: String,
    /// Students at most.
    #[serde(default = "max_students")]
    pub max_students: u32,
}

/// A student and a classroom.
#[derive(Clone, Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewEnrollment {
    /// The student.
    pub student_id: String,
    /// The classroom.
    pub class_room_id: String,
}

fn max_class_count() -> u32 {
    5
}

fn max_students() -> u32 {
    10
}

/// Creates a student.
///
/// # Errors
/// `Conflict` if there is one; those of the store.
pub async fn create_student(store: &EventStore, new: NewStudent) -> Result<AppendReceipt> {
    let mut command = store.begin_command();
    if command.tag_exists(&student_tag(&new.student_id)?).await? {
        return Err(refused(format!("the student {} exists", new.student_id)));
    }
    let NewStudent { student_id, name, max_class_count } = new;
    let created = StudentCreated { student_id, name, max_class_count };
    command.append(SampleEvent::StudentCreated(created).draft()?);
    committed(command.commit().await?)
}

/// Creates a classroom.
///
/// # Errors
/// `Conflict` if there is one; those of the store.
pub async fn create_class_room(store: &EventStore, new: NewClassRoom) -> Result<AppendReceipt> {
    let mut command = store.begin_command();
    if command.tag_exists(&class_room_tag(&new.class_room_id)?).await? {
        return Err(refused(format!("the classroom {} exists", new.class_room_id)));
    }
    let NewClassRoom { class_room_id, name, max_students } = new;
    let created = ClassRoomCreated { class_room_id, name, max_students };
    command.append(SampleEvent::ClassRoomCreated(created).draft()?);
    committed(command.commit().await?)
}

/// Puts a student into a classroom, if both have room for it.
///
/// # Errors
/// `NotFound` if one of them does not exist, `Conflict` if one of them has no room or the student is there already, or
/// if one of them was changed meanwhile; those of the store.
pub async fn enroll_student(store: &EventStore, new: NewEnrollment) -> Result<AppendReceipt> {
    let mut command = store.begin_command();
    let student = command.state(&StudentProjector, &student_tag(&new.student_id)?).await?;
    let room = command.state(&ClassRoomProjector, &class_room_tag(&new.class_room_id)?).await?;
    if student.name.is_none() {
        return Err(missing(format!("there is no student {}", new.student_id)));
    }
    if room.name.is_none() {
        return Err(missing(format!("there is no classroom {}", new.class_room_id)));
    }
    if room.students.contains(&new.student_id) {
        return Err(refused(format!("{} is in {}", new.student_id, new.class_room_id)));
    }
    if room.students.len() >= room.max_students as usize {
        return Err(refused(format!("the classroom {} is full", new.class_room_id)));
    }
    if student.class_rooms.len() >= student.max_class_count as usize {
        return Err(refused(format!("{} has all classes it may have", new.student_id)));
    }
    let NewEnrollment { student_id, class_room_id } = new;
    let enrolled = StudentEnrolled { student_id, class_room_id };
    command.append(SampleEvent::StudentEnrolled(enrolled).draft()?);
    committed(command.commit().await?)
}

/// Takes a student out of a classroom.
///
/// # Errors
/// `NotFound` if it is not there; those of the store.
pub async fn drop_student(store: &EventStore, old: NewEnrollment) -> Result<AppendReceipt> {
    let mut command = store.begin_command();
    let room = command.state(&ClassRoomProjector, &class_room_tag(&old.class_room_id)?).await?;
    if !room.students.contains(&old.student_id) {
        return Err(missing(format!("{} is not in {}", old.student_id, old.class_room_id)));
    }
    let NewEnrollment { student_id, class_room_id } = old;
    let dropped = StudentDropped { student_id, class_room_id };
    command.append(SampleEvent::StudentDropped(dropped).draft()?);
    committed(command.commit().await?)
}

fn committed(receipt: Option<AppendReceipt>) -> Result<AppendReceipt> {
    receipt.ok_or_else(|| Error::new(ErrorKind::Internal, "the command had no event"))
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::Conflict, message)
}

fn missing(message: String) -> Error {
    Error::new(ErrorKind::NotFound, message)
}
