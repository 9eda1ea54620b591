//! A sample domain on the public interface: students, classrooms, enrolments.
//!
//! It is what a program of one's own looks like, and what the service can be tried with.

mod commands;
mod events;
mod projectors;

pub use commands::{
    NewClassRoom, NewEnrollment, NewStudent, create_class_room, create_student, drop_student,
    enroll_student,
};
pub use events::{ClassRoomCreated, StudentCreated, StudentDropped, StudentEnrolled};
pub use projectors::{
    ClassRoomProjector, ClassRoomState, SchoolList, SchoolProjector, StudentProjector,
    StudentState, sample_projectors,
};
