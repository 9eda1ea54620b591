//! Binary to value.
//!
//! Owns containers and which marker begins what. What a hostile body says about lengths is checked against what is
//! there, nesting is bounded, and so is what a body may stand for beyond its own bytes.

use model::limits::NESTING_LEVELS_MAX;
use model::{Json, Object};

use super::budget::Budget;
use super::cursor::Cursor;
use super::{number, string, uniform};
use crate::exchange::{Failure, Outcome};

/// The byte every binary body begins with.
pub(crate) const MARK: u8 = 0x80;

/// Reads a body that begins with the mark.
pub(crate) fn decode(body: &[u8]) -> Outcome<Json> {
    let mut cursor = Cursor::new(body);
    if cursor.byte()? != MARK {
        return Err(Failure::invalid_payload("The binary JSON does not begin with its mark."));
    }
    let value = value(&mut cursor, &mut Budget::default(), 0)?;
    if !cursor.is_at_end() {
        return Err(Failure::invalid_payload("The binary JSON goes on after its value."));
    }
    Ok(value)
}

fn value(cursor: &mut Cursor<'_>, budget: &mut Budget, level: usize) -> Outcome<Json> {
    if level > NESTING_LEVELS_MAX {
        return Err(Failure::invalid_payload(format!(
            "The binary JSON is nested deeper than {NESTING_LEVELS_MAX} levels."
        )));
    }
    let marker = cursor.byte()?;
    Ok(match marker {
        0xD0 => Json::Null,
        0xD1 => Json::Bool(false),
        0xD2 => Json::Bool(true),
        0x00..=0x1F => number::literal(marker),
        0xC7..=0xCF | 0xD7..=0xDC => number::read(cursor, marker)?,
        0xD3 => Json::from(string::guid_value(cursor)?),
        0xDD..=0xDF => Json::from(string::blob(cursor, marker)?),
        0xE0..=0xE7 => Json::Array(array(cursor, budget, marker - 0xE0, level)?),
        0xE8..=0xEF => Json::Object(object(cursor, budget, marker - 0xE8, level)?),
        0xF0..=0xF3 => uniform::read(cursor, budget, marker)?,
        _ => Json::from(string::read(cursor, budget, marker)?),
    })
}

/// The members of a container: how many bytes, as its marker says, and how many if it says so.
fn members<'a>(cursor: &mut Cursor<'a>, form: u8) -> Outcome<(Cursor<'a>, Option<usize>)> {
    let width = match form {
        2 | 5 => 1,
        3 | 6 => 2,
        _ => 4,
    };
    let bytes = cursor.length(width)?;
    let count = match form {
        5..=7 => Some(cursor.length(width)?),
        _ => None,
    };
    Ok((cursor.part(bytes)?, count))
}

fn array(
    cursor: &mut Cursor<'_>,
    budget: &mut Budget,
    form: u8,
    level: usize,
) -> Outcome<Vec<Json>> {
    match form {
        0 => return Ok(Vec::new()),
        1 => return Ok(vec![value(cursor, budget, level + 1)?]),
        _ => {}
    }
    let (mut inner, count) = members(cursor, form)?;
    let mut elements = Vec::new();
    while !inner.is_at_end() {
        elements.push(value(&mut inner, budget, level + 1)?);
    }
    check_count(count, elements.len())?;
    Ok(elements)
}

fn object(cursor: &mut Cursor<'_>, budget: &mut Budget, form: u8, level: usize) -> Outcome<Object> {
    let mut object = Object::new();
    if form == 0 {
        return Ok(object);
    }
    let (mut inner, count) = match form {
        1 => {
            let name = name(cursor, budget)?;
            object.insert(name, value(cursor, budget, level + 1)?);
            return Ok(object);
        }
        _ => members(cursor, form)?,
    };
    let mut found = 0;
    while !inner.is_at_end() {
        let name = name(&mut inner, budget)?;
        object.insert(name, value(&mut inner, budget, level + 1)?);
        found += 1;
    }
    check_count(count, found)?;
    Ok(object)
}

fn name(cursor: &mut Cursor<'_>, budget: &mut Budget) -> Outcome<String> {
    let marker = cursor.byte()?;
    string::read(cursor, budget, marker)
}

fn check_count(said: Option<usize>, found: usize) -> Outcome<()> {
    if said.is_none_or(|said| said == found) {
        return Ok(());
    }
    Err(Failure::invalid_payload("The binary JSON says another number of members than it has."))
}
