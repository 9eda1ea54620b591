//! The sample domain, over the public interface and over HTTP.

use event_store::ErrorKind;
use event_store::sample::{
    NewClassRoom, NewEnrollment, NewStudent, create_class_room, create_student, drop_student,
    enroll_student,
};
use serde_json::json;

use crate::site::{Site, on_every_provider};
use crate::world::World;

fn student(id: u32) -> NewStudent {
    NewStudent { student_id: format!("s{id}"), name: format!("Student {id}"), max_class_count: 2 }
}

fn room(id: u32) -> NewClassRoom {
    NewClassRoom { class_room_id: format!("c{id}"), name: format!("Room {id}"), max_students: 3 }
}

fn enrollment(student: u32, room: u32) -> NewEnrollment {
    NewEnrollment { student_id: format!("s{student}"), class_room_id: format!("c{room}") }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_hold_when_everybody_enrolls_at_once() {
    for world in [World::memory().await, World::account().await] {
        let store = world.events("school");
        for id in 0..8 {
            create_student(&store, student(id)).await.unwrap();
        }
        for id in 0..3 {
            create_class_room(&store, room(id)).await.unwrap();
        }
        assert_eq!(
            create_student(&store, student(1)).await.unwrap_err().kind(),
            ErrorKind::Conflict
        );
        let all: Vec<_> = (0..8)
            .flat_map(|student| (0..3).map(move |room| (student, room)))
            .map(|(student, room)| {
                let store = store.clone();
                tokio::spawn(async move {
                    // A conflict is tried again; a refusal of the domain is one, too, so a few times.
                    for _ in 0..60 {
                        match enroll_student(&store, enrollment(student, room)).await {
                            Ok(_) => return 1,
                            Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
                        }
                    }
                    0
                })
            })
            .collect();
        let mut enrolled = 0;
        for one in all {
            enrolled += one.await.unwrap();
        }
        assert_eq!(enrolled, 9, "three rooms with three seats");
        let missing = enroll_student(&store, enrollment(99, 1)).await.unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
        let missing = drop_student(&store, enrollment(99, 1)).await.unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
    }
}

on_every_provider! { dc_a16_a_list_waits_for_what_was_just_written }

async fn dc_a16_a_list_waits_for_what_was_just_written(site: Site) {
    let running = {
        let (system, server) = (site.system.clone(), site.server.clone());
        tokio::spawn(async move { system.run(server.shutdown()).await })
    };
    let body = json!({ "studentId": "s1", "name": "Ann" });
    let (status, receipt) = site.post("alpha", "/api/students", body.clone()).await;
    assert_eq!(status, 200);
    assert_eq!(site.post("alpha", "/api/students", body).await.0, 409);
    let room = json!({ "classRoomId": "c1", "name": "Room", "maxStudents": 1 });
    assert_eq!(site.post("alpha", "/api/classrooms", room).await.0, 200);
    let both = json!({ "studentId": "s1", "classRoomId": "c1" });
    let (status, enrolled) = site.post("alpha", "/api/enrollments", both.clone()).await;
    assert_eq!(status, 200);
    let position = enrolled["events"][0]["sortableUniqueId"].as_str().unwrap();
    let path = format!("/api/students?waitForSortableUniqueId={position}");
    let (status, students) = site.get("alpha", &path).await;
    assert_eq!(status, 200);
    assert_eq!(students["s1"]["classRooms"], json!(["c1"]));
    let path = format!("/api/v1/projections/School/query/counts?waitFor={position}");
    let counts = json!({ "students": 1, "classRooms": 1, "enrollments": 1 });
    assert_eq!(site.get("alpha", &path).await, (200, counts));
    let (_, state) = site.get("alpha", "/api/v1/tags/Student:s1/state/Student").await;
    assert_eq!(state["state"]["name"], "Ann");
    assert_eq!(state["lastSortableUniqueId"], position);
    let taken_out = site.call(&site.token("alpha"), "DELETE", "/api/enrollments", Some(both)).await;
    assert_eq!(taken_out.0, 200);
    let (_, status) = site.get("alpha", "/api/v1/projections/School").await;
    assert_eq!(status["version"], "1");
    let token = site.token("alpha");
    let rebuild = site.call(&token, "POST", "/api/v1/projections/School/rebuild", None).await;
    assert_eq!(rebuild.0, 202);
    assert_eq!(
        site.get("alpha", "/api/v1/projections").await.1["items"].as_array().unwrap().len(),
        3
    );
    // The position of an event that never comes.
    let never = "9".repeat(30);
    let path = format!("/api/v1/projections/School/query/counts?waitFor={never}&waitSeconds=0");
    let (status, problem) = site.get("alpha", &path).await;
    assert_eq!((status, &problem["code"]), (408, &json!("timeout")));
    let path = format!("/api/classrooms?waitForSortableUniqueId={}", "x");
    assert_eq!(site.get("alpha", &path).await.0, 400);
    let first = receipt["events"][0]["sortableUniqueId"].as_str().unwrap();
    assert!(first < position);
    site.server.shutdown().trigger();
    running.await.unwrap();
}
