//! Decodes binary JSON.
//!
//! Owns arrays and objects, and the table of markers. Bodies may be hostile: lengths are checked against the bytes that
//! exist, and nesting and expansion are limited.

use model::limits::NESTING_LEVELS_MAX;
use model::{Json, Object};

use super::budget::ExpansionBudget;
use super::cursor::Cursor;
use super::{number, string, uniform};
use crate::http::{ApiError, ApiResult};

/// The first byte of every binary body.
pub(crate) const FORMAT_MARKER: u8 = 0x80;

/// Decodes a body.
pub(crate) fn decode(body: &[u8]) -> ApiResult<Json> {
    let mut cursor = Cursor::new(body);
    if cursor.byte()? != FORMAT_MARKER {
        return Err(ApiError::invalid_payload("The binary JSON does not begin with 0x80."));
    }
    let value = decode_value(&mut cursor, &mut ExpansionBudget::default(), 0)?;
    if !cursor.is_at_end() {
        return Err(ApiError::invalid_payload("The binary JSON continues after its value."));
    }
    Ok(value)
}

fn decode_value(
    cursor: &mut Cursor<'_>,
    budget: &mut ExpansionBudget,
    level: usize,
) -> ApiResult<Json> {
    if level > NESTING_LEVELS_MAX {
        return Err(ApiError::invalid_payload(format!(
            "The binary JSON is nested deeper than {NESTING_LEVELS_MAX} levels."
        )));
    }
    let marker = cursor.byte()?;
    Ok(match marker {
        0xD0 => Json::Null,
        0xD1 => Json::Bool(false),
        0xD2 => Json::Bool(true),
        0x00..=0x1F => number::from_marker(marker),
        0xC7..=0xCF | 0xD7..=0xDC => number::read(cursor, marker)?,
        0xD3 => Json::from(string::guid_value(cursor)?),
        0xDD..=0xDF => Json::from(string::blob(cursor, marker)?),
        0xE0..=0xE7 => Json::Array(array(cursor, budget, marker - 0xE0, level)?),
        0xE8..=0xEF => Json::Object(object(cursor, budget, marker - 0xE8, level)?),
        0xF0..=0xF3 => uniform::read(cursor, budget, marker)?,
        _ => Json::from(string::read(cursor, budget, marker)?),
    })
}

/// Reads the head of an array or object: its length in bytes, and its count if the form has one. Returns a cursor over
/// the members. Forms 2 to 4 have the length in one, two or four bytes; forms 5 to 7 have length and count.
fn read_members<'a>(cursor: &mut Cursor<'a>, form: u8) -> ApiResult<(Cursor<'a>, Option<usize>)> {
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
    Ok((cursor.sub_cursor(bytes)?, count))
}

fn array(
    cursor: &mut Cursor<'_>,
    budget: &mut ExpansionBudget,
    form: u8,
    level: usize,
) -> ApiResult<Vec<Json>> {
    match form {
        0 => return Ok(Vec::new()),
        1 => return Ok(vec![decode_value(cursor, budget, level + 1)?]),
        _ => {}
    }
    let (mut inner, count) = read_members(cursor, form)?;
    // Nothing is reserved for a declared count: it is foreign, and could be four thousand million.
    let mut elements = Vec::new();
    while !inner.is_at_end() {
        elements.push(decode_value(&mut inner, budget, level + 1)?);
    }
    check_count(count, elements.len())?;
    Ok(elements)
}

fn object(
    cursor: &mut Cursor<'_>,
    budget: &mut ExpansionBudget,
    form: u8,
    level: usize,
) -> ApiResult<Object> {
    let mut object = Object::new();
    if form == 0 {
        return Ok(object);
    }
    let (mut inner, count) = match form {
        1 => {
            let name = name(cursor, budget)?;
            object.insert(name, decode_value(cursor, budget, level + 1)?);
            return Ok(object);
        }
        _ => read_members(cursor, form)?,
    };
    let mut found = 0;
    while !inner.is_at_end() {
        let name = name(&mut inner, budget)?;
        object.insert(name, decode_value(&mut inner, budget, level + 1)?);
        // Counted separately: a repeated name replaces a member and does not grow the object.
        found += 1;
    }
    check_count(count, found)?;
    Ok(object)
}

fn name(cursor: &mut Cursor<'_>, budget: &mut ExpansionBudget) -> ApiResult<String> {
    let marker = cursor.byte()?;
    string::read(cursor, budget, marker)
}

fn check_count(declared: Option<usize>, found: usize) -> ApiResult<()> {
    if declared.is_none_or(|declared| declared == found) {
        return Ok(());
    }
    Err(ApiError::invalid_payload(
        "The binary JSON declares another number of members than it has.",
    ))
}
