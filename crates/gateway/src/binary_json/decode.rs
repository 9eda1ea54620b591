//! Binary to value.
//!
//! Owns the meaning of each marker. What a hostile body says about lengths is checked against what is there, and
//! nesting is bounded.

use model::limits::NESTING_LEVELS_MAX;
use model::{Json, Number, Object};

use super::cursor::Cursor;
use super::system_string::system_string;
use crate::exchange::{Failure, Outcome};

/// The byte every binary body begins with.
pub(crate) const MARK: u8 = 0x80;

/// Reads a body that begins with the mark.
pub(crate) fn decode(body: &[u8]) -> Outcome<Json> {
    let mut cursor = Cursor::new(body);
    if cursor.byte()? != MARK {
        return Err(Failure::invalid_payload("The binary JSON does not begin with its mark."));
    }
    let value = value(&mut cursor, 0)?;
    if !cursor.is_at_end() {
        return Err(Failure::invalid_payload("The binary JSON goes on after its value."));
    }
    Ok(value)
}

fn value(cursor: &mut Cursor<'_>, level: usize) -> Outcome<Json> {
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
        0x00..=0x1F | 0xC7..=0xCF | 0xD7..=0xDC => number(cursor, marker)?,
        0xE0..=0xE7 => Json::Array(array(cursor, marker - 0xE0, level)?),
        0xE8..=0xEF => Json::Object(object(cursor, marker - 0xE8, level)?),
        _ => Json::String(string(cursor, marker)?),
    })
}

fn number(cursor: &mut Cursor<'_>, marker: u8) -> Outcome<Json> {
    let signed = |number: i64| Json::Number(Number::from(number));
    Ok(match marker {
        0x00..=0x1F => signed(i64::from(marker)),
        0xC7 => unsigned(u64::from_le_bytes(cursor.array()?)),
        0xC8 | 0xD7 => signed(i64::from(cursor.byte()?)),
        0xC9 | 0xD9 => signed(i64::from(i16::from_le_bytes(cursor.array()?))),
        0xCA | 0xDA => signed(i64::from(i32::from_le_bytes(cursor.array()?))),
        0xCB | 0xDB => signed(i64::from_le_bytes(cursor.array()?)),
        0xCC | 0xCE => double(f64::from_le_bytes(cursor.array()?))?,
        0xCD => double(f64::from(f32::from_le_bytes(cursor.array()?)))?,
        0xD8 => signed(i64::from(i8::from_le_bytes(cursor.array()?))),
        0xDC => signed(i64::from(u32::from_le_bytes(cursor.array()?))),
        _ => return Err(unknown(marker)),
    })
}

fn unsigned(number: u64) -> Json {
    let parsed = Number::parse(&number.to_string());
    Json::Number(parsed.expect("the digits of a whole number are a number"))
}

fn double(number: f64) -> Outcome<Json> {
    Number::from_f64(number).map(Json::Number).ok_or_else(|| {
        Failure::invalid_payload("The binary JSON holds a number that is not finite.")
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

fn array(cursor: &mut Cursor<'_>, form: u8, level: usize) -> Outcome<Vec<Json>> {
    match form {
        0 => return Ok(Vec::new()),
        1 => return Ok(vec![value(cursor, level + 1)?]),
        _ => {}
    }
    let (mut inner, count) = members(cursor, form)?;
    let mut elements = Vec::new();
    while !inner.is_at_end() {
        elements.push(value(&mut inner, level + 1)?);
    }
    check_count(count, elements.len())?;
    Ok(elements)
}

fn object(cursor: &mut Cursor<'_>, form: u8, level: usize) -> Outcome<Object> {
    let mut object = Object::new();
    if form == 0 {
        return Ok(object);
    }
    let (mut inner, count) = match form {
        1 => {
            let name = name(cursor)?;
            object.insert(name, value(cursor, level + 1)?);
            return Ok(object);
        }
        _ => members(cursor, form)?,
    };
    let mut found = 0;
    while !inner.is_at_end() {
        let name = name(&mut inner)?;
        object.insert(name, value(&mut inner, level + 1)?);
        found += 1;
    }
    check_count(count, found)?;
    Ok(object)
}

fn name(cursor: &mut Cursor<'_>) -> Outcome<String> {
    let marker = cursor.byte()?;
    string(cursor, marker)
}

fn check_count(said: Option<usize>, found: usize) -> Outcome<()> {
    if said.is_none_or(|said| said == found) {
        return Ok(());
    }
    Err(Failure::invalid_payload("The binary JSON says another number of members than it has."))
}

fn string(cursor: &mut Cursor<'_>, marker: u8) -> Outcome<String> {
    let bytes = match marker {
        0x20..=0x3F => return system_string(marker - 0x20).ok_or_else(|| unknown(marker)),
        0x80..=0xBF => cursor.take(usize::from(marker & 0x3F))?,
        0xC0 => sized(cursor, 1)?,
        0xC1 => sized(cursor, 2)?,
        0xC2 => sized(cursor, 4)?,
        0xC3..=0xC6 => {
            let mut earlier = cursor.length(usize::from(marker - 0xC2)).map(|at| cursor.at(at))?;
            let marker = earlier.byte()?;
            // A reference leads to a text and never to another reference, so it ends.
            if matches!(marker, 0xC3..=0xC6) {
                return Err(unknown(marker));
            }
            return string(&mut earlier, marker);
        }
        _ => return Err(unknown(marker)),
    };
    let text = std::str::from_utf8(bytes);
    text.map(str::to_owned)
        .map_err(|_| Failure::invalid_payload("The binary JSON holds a string that is not UTF-8."))
}

fn sized<'a>(cursor: &mut Cursor<'a>, width: usize) -> Outcome<&'a [u8]> {
    let length = cursor.length(width)?;
    cursor.take(length)
}

fn unknown(marker: u8) -> Failure {
    Failure::invalid_payload(format!(
        "The binary JSON holds the marker {marker:#04X}, which is not supported here. Send the item as JSON text."
    ))
}

#[cfg(test)]
mod tests {
    use super::super::encode;
    use super::*;

    fn check(bytes: &[u8], expected: &str) {
        assert_eq!(decode(bytes).unwrap().to_string(), expected);
    }

    #[test]
    fn an_item_as_a_client_sent_it_is_read() {
        let sent = [
            0x80, 0xED, 0x0D, 0x03, 0x82, 0x69, 0x64, 0x81, 0x61, 0x81, 0x6E, 0x02, 0x82, 0x70,
            0x6B, 0x81, 0x78,
        ];
        check(&sent, r#"{"id":"a","n":2,"pk":"x"}"#);
    }

    #[test]
    fn every_width_of_number_is_read() {
        check(&[0x80, 0x1F], "31");
        check(&[0x80, 0xC8, 200], "200");
        check(&[0x80, 0xC9, 0xFE, 0xFF], "-2");
        check(&[0x80, 0xCA, 0xFE, 0xFF, 0xFF, 0xFF], "-2");
        check(&[0x80, 0xD8, 0xFF], "-1");
        check(&[0x80, 0xC7, 255, 255, 255, 255, 255, 255, 255, 255], "18446744073709551615");
        let mut double = vec![0x80, 0xCC];
        double.extend_from_slice(&1.5_f64.to_le_bytes());
        check(&double, "1.5");
    }

    #[test]
    fn a_reference_repeats_an_earlier_string() {
        // ["ab", the string at byte 3]
        check(&[0x80, 0xE2, 0x05, 0x82, b'a', b'b', 0xC3, 0x03], r#"["ab","ab"]"#);
        assert!(decode(&[0x80, 0xE1, 0xC3, 0x02]).is_err());
    }

    #[test]
    fn what_is_written_is_read_again() {
        let long = "x".repeat(70_000);
        for text in [
            r#"{"id":"a","n":[1,-5,40,2.5,1e300,true,false,null,"é",{}],"o":{"p":[]}}"#.to_owned(),
            format!(r#"{{"long":"{long}","middle":"{}"}}"#, &long[..300]),
            "[18446744073709551615,-9223372036854775808]".to_owned(),
        ] {
            let json = Json::parse(text.as_bytes()).unwrap();
            assert_eq!(decode(&encode(&json)).unwrap(), json);
        }
    }

    #[test]
    fn broken_bodies_are_refused_and_never_panic() {
        for bytes in [
            &[][..],
            &[0x80],
            &[0x80, 0xED, 0xFF, 0x03],
            &[0x80, 0xE6, 0xFF, 0xFF, 0xFF, 0xFF],
            &[0x80, 0x7F],
            &[0x80, 0x82, 0xFF, 0xFF],
            &[0x80, 0x01, 0x01],
            &[0x80, 0xE5, 0x01, 0x02, 0x01],
        ] {
            assert!(decode(bytes).is_err(), "{bytes:02X?}");
        }
        let deep = [vec![0x80], vec![0xE1; 1000]].concat();
        assert!(decode(&deep).is_err());
        // Every body of three bytes: no panic, whatever it says.
        for first in 0..=255 {
            for second in 0..=255 {
                let _ = decode(&[0x80, first, second, 0x00]);
            }
        }
    }
}
