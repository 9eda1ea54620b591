//! Random items: few property names, all types in all places, properties missing now and then.

use model::{Json, Object};

use super::container::Keys;
use super::grammar::stored_place;
use super::value;
use crate::account::json;
use crate::dice::Dice;

/// Ids are few, so that writes meet items.
const IDS: u64 = 80;

/// An item for a container with these partition keys.
pub(super) fn item(dice: &mut Dice, keys: &Keys, expires: bool, is_wide: bool) -> Json {
    let mut item = Object::new();
    item.insert("id", id(dice));
    keys.fill(dice, &mut item);
    for name in ["a", "b"] {
        if dice.percent(85) {
            item.insert(name, value::any(dice));
        }
    }
    if dice.percent(90) {
        item.insert("n", value::number(dice));
    }
    if dice.percent(90) {
        item.insert("s", value::text(dice));
    }
    if dice.percent(70) {
        item.insert("o", object(dice));
    }
    if dice.percent(75) {
        item.insert("l", list(dice));
    }
    if dice.percent(60) {
        item.insert("r", records(dice));
    }
    if dice.percent(20) {
        item.insert(*dice.pick(&["", "x y", "[]", "a/b", "value", "~"]), value::any(dice));
    }
    if expires && dice.percent(30) {
        item.insert("ttl", Json::from(1 + dice.below(40) as i64));
    }
    if is_wide {
        widen(dice, &mut item);
    }
    Json::Object(item)
}

/// A place, a vector and a text; each may be missing.
fn widen(dice: &mut Dice, item: &mut Object) {
    if dice.percent(70) {
        item.insert("g", json(stored_place(dice)));
    }
    if dice.percent(70) {
        let vectors = ["[1,0,0]", "[0.5,2,-1]", "[1,1]", "[1,\"x\",0]", "[]", "0"];
        item.insert("v", json(dice.pick::<&str>(&vectors)));
    }
    if dice.percent(70) {
        let texts = ["The red fox", "red", "A fox and a dog; the DOG is red", "", "réd"];
        item.insert("t", *dice.pick(&texts));
    }
}

pub(super) fn id(dice: &mut Dice) -> String {
    format!("i{:02}", dice.below(IDS))
}

fn object(dice: &mut Dice) -> Json {
    if dice.percent(10) {
        return value::any(dice);
    }
    let mut object = Object::new();
    for name in ["x", "y"] {
        if dice.percent(75) {
            object.insert(name, value::any(dice));
        }
    }
    if dice.percent(30) {
        let mut inner = Object::new();
        inner.insert("x", value::scalar(dice));
        object.insert("z", inner);
    }
    Json::Object(object)
}

fn list(dice: &mut Dice) -> Json {
    if dice.percent(8) {
        return value::any(dice);
    }
    Json::Array((0..dice.below(4)).map(|_| value::any(dice)).collect())
}

fn records(dice: &mut Dice) -> Json {
    let record = |dice: &mut Dice| {
        if dice.percent(10) {
            return value::any(dice);
        }
        let mut record = Object::new();
        if dice.percent(90) {
            record.insert("x", value::scalar(dice));
        }
        if dice.percent(70) {
            record.insert("y", value::number(dice));
        }
        if dice.percent(30) {
            record.insert("l", list(dice));
        }
        Json::Object(record)
    };
    Json::Array((0..dice.below(4)).map(|_| record(dice)).collect())
}
