//! Random items: few property names, all types in all places, properties missing now and then.

use model::{Json, Object};

use super::container::Keys;
use super::grammar::stored_place;
use super::value;
use crate::account::json;
use crate::random::SeededRandom;

/// Ids are few, so that writes meet items.
const IDS: u64 = 80;

/// An item for a container with these partition keys.
pub(super) fn item(random: &mut SeededRandom, keys: &Keys, expires: bool, is_wide: bool) -> Json {
    let mut item = Object::new();
    item.insert("id", id(random));
    keys.fill(random, &mut item);
    for name in ["a", "b"] {
        if random.percent(85) {
            item.insert(name, value::any(random));
        }
    }
    if random.percent(90) {
        item.insert("n", value::number(random));
    }
    if random.percent(90) {
        item.insert("s", value::text(random));
    }
    if random.percent(70) {
        item.insert("o", object(random));
    }
    if random.percent(75) {
        item.insert("l", list(random));
    }
    if random.percent(60) {
        item.insert("r", records(random));
    }
    if random.percent(20) {
        item.insert(*random.pick(&["", "x y", "[]", "a/b", "value", "~"]), value::any(random));
    }
    if expires && random.percent(30) {
        item.insert("ttl", Json::from(1 + random.below(40) as i64));
    }
    if is_wide {
        widen(random, &mut item);
    }
    Json::Object(item)
}

/// A place, a vector and a text; each may be missing.
fn widen(random: &mut SeededRandom, item: &mut Object) {
    if random.percent(70) {
        item.insert("g", json(stored_place(random)));
    }
    if random.percent(70) {
        let vectors = ["[1,0,0]", "[0.5,2,-1]", "[1,1]", "[1,\"x\",0]", "[]", "0"];
        item.insert("v", json(random.pick::<&str>(&vectors)));
    }
    if random.percent(70) {
        let texts = ["The red fox", "red", "A fox and a dog; the DOG is red", "", "réd"];
        item.insert("t", *random.pick(&texts));
    }
}

pub(super) fn id(random: &mut SeededRandom) -> String {
    format!("i{:02}", random.below(IDS))
}

fn object(random: &mut SeededRandom) -> Json {
    if random.percent(10) {
        return value::any(random);
    }
    let mut object = Object::new();
    for name in ["x", "y"] {
        if random.percent(75) {
            object.insert(name, value::any(random));
        }
    }
    if random.percent(30) {
        let mut inner = Object::new();
        inner.insert("x", value::scalar(random));
        object.insert("z", inner);
    }
    Json::Object(object)
}

fn list(random: &mut SeededRandom) -> Json {
    if random.percent(8) {
        return value::any(random);
    }
    Json::Array((0..random.below(4)).map(|_| value::any(random)).collect())
}

fn records(random: &mut SeededRandom) -> Json {
    let record = |random: &mut SeededRandom| {
        if random.percent(10) {
            return value::any(random);
        }
        let mut record = Object::new();
        if random.percent(90) {
            record.insert("x", value::scalar(random));
        }
        if random.percent(70) {
            record.insert("y", value::number(random));
        }
        if random.percent(30) {
            record.insert("l", list(random));
        }
        Json::Object(record)
    };
    Json::Array((0..random.below(4)).map(|_| record(random)).collect())
}
