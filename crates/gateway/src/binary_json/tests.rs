//! Decoding and encoding of binary JSON, and malformed bodies.

use model::{Json, Number, Object};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::*;

/// Bytes in hexadecimal digits, without the format marker.
fn bytes(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    [vec![FORMAT_MARKER], digits.chunks(2).map(pair).collect()].concat()
}

fn check(text: &str, expected: &str) {
    let value = decode(&bytes(text)).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    assert_eq!(value.to_string(), expected, "{text}");
}

#[test]
fn an_item_as_a_client_sent_it_is_read() {
    check("ED 0D 03 82 69 64 81 61 81 6E 02 82 70 6B 81 78", r#"{"id":"a","n":2,"pk":"x"}"#);
}

#[test]
fn every_width_of_number_is_read() {
    for (text, expected) in [
        ("1F", "31"),
        ("C8 C8", "200"),
        ("C9 FE FF", "-2"),
        ("CA 70 11 01 00", "70000"),
        ("CB 00 0E FA D5 FE FF FF FF", "-5000000000"),
        ("C7 FF FF FF FF FF FF FF FF", "18446744073709551615"),
        ("CC 00 00 00 00 00 00 0C 40", "3.5"),
        ("CD 00 00 C0 3F", "1.5"),
        ("CE 00 00 00 00 00 00 02 C0", "-2.25"),
        ("CF 00 3C", "1"),
        ("D7 FF", "255"),
        ("D8 FF", "-1"),
        ("D9 18 FC", "-1000"),
        ("DA 90 EE FE FF", "-70000"),
        ("DB 01 00 00 00 00 00 00 00", "1"),
        ("DC FE FF FF FF", "4294967294"),
    ] {
        check(text, expected);
    }
}

#[test]
fn every_form_of_string_is_read() {
    for (text, expected) in [
        ("2C", r#""id""#),
        ("80", r#""""#),
        ("82 68 69", r#""hi""#),
        ("C0 02 68 69", r#""hi""#),
        ("C1 02 00 68 69", r#""hi""#),
        ("C2 02 00 00 00 68 69", r#""hi""#),
        ("71 01 00 66 6F 6F", r#""Zm9v""#),
        ("71 01 01 66 6F", r#""Zm8=""#),
        ("71 01 02 41", r#""QQ==""#),
        ("71 01 FD 41", r#""QQ""#),
        ("72 02 00 00 66 6F 6F 62 61 72", r#""Zm9vYmFy""#),
        ("71 01 00 FB FF FE", r#""+//+""#),
        ("73 01 00 FB FF FE", r#""-__-""#),
        ("74 01 00 00 FB FF FE", r#""-__-""#),
        ("75 000102030405060708090A0B0C0D0E0F", r#""00102030-4050-6070-8090-a0b0c0d0e0f0""#),
        ("76 000102030405060708090A0B0C0D0E0F", r#""00102030-4050-6070-8090-A0B0C0D0E0F0""#),
        (
            "77 00 00 84 21 00 00 20 00 00 00 A6 F7 9A A8 00 00",
            r#""\"00004812-0000-0200-0000-6a7fa98a0000\"""#,
        ),
        ("78 04 A1 B2", r#""1a2b""#),
        ("78 01 0F", r#""f""#),
        ("79 04 A1 B2", r#""1A2B""#),
        ("7A 07 13 53 1C 02", r#""2024-01""#),
        ("7A 13 13 62 1C C7 14 30 B4 65 2B 04", r#""2015-06-30 23:45:13""#),
        ("7B 04 30 10 32", r#""0123""#),
        ("7C 03 61 20 08", r#""abc""#),
        ("7D 04 61 40 20 0C", r#""abcd""#),
        ("7E 02 C8 34", r#""Hi""#),
        ("7F 02 00 C8 34", r#""Hi""#),
        ("D3 000102030405060708090A0B0C0D0E0F", r#""03020100-0504-0706-0809-0a0b0c0d0e0f""#),
        ("DD 04 DE AD BE EF", r#""3q2+7w==""#),
        ("DE 03 00 01 02 03", r#""AQID""#),
        ("DF 00 00 00 00", r#""""#),
    ] {
        check(text, expected);
    }
}

#[test]
fn every_form_of_container_is_read() {
    for (text, expected) in [
        ("E0", "[]"),
        ("E1 D2", "[true]"),
        ("E2 03 00 01 D0", "[0,1,null]"),
        ("E3 03 00 00 01 D0", "[0,1,null]"),
        ("E4 03 00 00 00 00 01 D0", "[0,1,null]"),
        ("E5 03 03 00 01 D0", "[0,1,null]"),
        ("E6 03 00 03 00 00 01 D0", "[0,1,null]"),
        ("E7 03 00 00 00 03 00 00 00 00 01 D0", "[0,1,null]"),
        ("E8", "{}"),
        ("E9 2C D1", r#"{"id":false}"#),
        ("EA 04 2C 00 3B 01", r#"{"id":0,"type":1}"#),
        ("EB 04 00 2C 00 3B 01", r#"{"id":0,"type":1}"#),
        ("EC 04 00 00 00 2C 00 3B 01", r#"{"id":0,"type":1}"#),
        ("ED 04 02 2C 00 3B 01", r#"{"id":0,"type":1}"#),
        ("EE 04 00 02 00 2C 00 3B 01", r#"{"id":0,"type":1}"#),
        ("EF 04 00 00 00 02 00 00 00 2C 00 3B 01", r#"{"id":0,"type":1}"#),
        ("F0 DA 03 01 00 00 00 02 00 00 00 03 00 00 00", "[1,2,3]"),
        ("F0 D7 03 0A 14 1E", "[10,20,30]"),
        ("F0 D8 03 FB 00 05", "[-5,0,5]"),
        ("F0 CD 02 00 00 C0 3F 00 00 80 BE", "[1.5,-0.25]"),
        ("F0 DA 00", "[]"),
        ("F1 D9 03 00 FF FF 00 00 E8 03", "[-1,0,1000]"),
        ("F2 F0 D7 02 02 01 02 03 04", "[[1,2],[3,4]]"),
        ("F3 F1 D7 02 00 02 00 01 02 03 04", "[[1,2],[3,4]]"),
        ("F2 F0 D7 00 03", "[[],[],[]]"),
    ] {
        check(text, expected);
    }
}

#[test]
fn a_reference_repeats_an_earlier_string() {
    check("E2 05 82 61 62 C3 03", r#"["ab","ab"]"#);
    check("E2 06 82 61 62 C4 03 00", r#"["ab","ab"]"#);
    check("E2 07 82 61 62 C5 03 00 00", r#"["ab","ab"]"#);
    check("E2 08 82 61 62 C6 03 00 00 00", r#"["ab","ab"]"#);
    // A name may be one too, and so may a packed string be what is repeated.
    check("E2 09 7E 02 C8 34 E9 C3 03 C3 03", r#"["Hi",{"Hi":"Hi"}]"#);
}

#[test]
fn broken_bodies_are_refused() {
    for (text, expected) in [
        ("", "ends too early"),
        ("ED FF 03", "ends too early"),
        ("E6 FF FF FF FF", "ends too early"),
        ("40", "dictionary that was not sent"),
        ("67 00", "dictionary that was not sent"),
        ("68", "marker 0x68"),
        ("70", "marker 0x70"),
        ("D4", "marker 0xD4"),
        ("F4", "marker 0xF4"),
        ("FF", "marker 0xFF"),
        ("82 FF FF", "not UTF-8"),
        ("01 01", "continues after its value"),
        ("E5 01 02 01", "another number of members"),
        ("E1 C3 02", "marker 0xC3"),
        ("E1 C3 01", "marker 0xE1"),
        ("E9 01 01", "marker 0x01"),
        ("7B 01 FF 0F", "not ASCII"),
        ("71 00 01", "base64"),
        ("71 01 10 00 00 00", "base64"),
        ("CF 00 7C", "not finite"),
        ("CD 00 00 C0 7F", "not finite"),
        ("CC 00 00 00 00 00 00 F0 7F", "not finite"),
        ("F0 C9 01 01 00", "marker 0xC9"),
        ("F2 F1 D7 01 01 01", "marker 0xF1"),
        ("F0 DA FF 00", "ends too early"),
    ] {
        let error = decode(&bytes(text)).expect_err(text);
        assert!(format!("{error:?}").contains(expected), "{text}: {error:?}");
    }
    assert!(decode(&[]).is_err() && decode(b"{}").is_err());
    let deep = [vec![FORMAT_MARKER], vec![0xE1; 1000]].concat();
    assert!(format!("{:?}", decode(&deep)).contains("nested deeper"));
}

#[test]
fn a_small_body_never_becomes_a_large_value() {
    // One string of 60 KB and 60,000 references to it would be 3.6 GB.
    let mut inner = vec![0xC1, 0x60, 0xEA];
    inner.extend_from_slice(&[b'x'; 60_000]);
    let at = 6_u16;
    (0..60_000).for_each(|_| inner.extend_from_slice(&[0xC4, at.to_le_bytes()[0], 0]));
    let mut body = vec![FORMAT_MARKER, 0xE4];
    body.extend_from_slice(&u32::try_from(inner.len()).unwrap().to_le_bytes());
    body.extend_from_slice(&inner);
    assert!(format!("{:?}", decode(&body)).contains("beyond the maximum size of an item"));
    // So would arrays of 65,535 empty arrays, eight bytes each.
    let empty = [0xF3, 0xF1, 0xD7, 0, 0, 0xFF, 0xFF];
    let inner: Vec<u8> = empty.repeat(10_000);
    let mut body = vec![FORMAT_MARKER, 0xE4];
    body.extend_from_slice(&u32::try_from(inner.len()).unwrap().to_le_bytes());
    body.extend_from_slice(&inner);
    assert!(format!("{:?}", decode(&body)).contains("beyond the maximum size of an item"));
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i64>().prop_map(|number| Json::Number(Number::from(number))),
        (0_i64..40).prop_map(|number| Json::Number(Number::from(number))),
        any::<f64>().prop_filter_map("finite", |n| Number::from_f64(n).map(Json::Number)),
        any::<String>().prop_map(Json::from),
        "[a-z]{60,70}|[a-z]{250,260}".prop_map(Json::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        let members = proptest::collection::vec((any::<String>(), inner.clone()), 0..8);
        prop_oneof![
            proptest::collection::vec(inner, 0..8).prop_map(Json::Array),
            members.prop_map(|members| {
                let mut object = Object::new();
                members.into_iter().for_each(|(name, value)| object.insert(name, value));
                Json::Object(object)
            }),
        ]
    })
}

#[test]
fn what_is_written_is_read_again() {
    let mut runner = TestRunner::new(Config { cases: 500, ..Config::default() });
    let checked = runner.run(&json(), |value| {
        let decoded = decode(&encode(&value)).expect("what we write can be read");
        prop_assert_eq!(decoded.to_string(), value.to_string());
        Ok(())
    });
    checked.unwrap();
    let long = Json::from("x".repeat(70_000));
    assert_eq!(decode(&encode(&long)).unwrap(), long);
    let many = Json::Array((0..70_000).map(|n| Json::Number(Number::from(i64::from(n)))).collect());
    assert_eq!(decode(&encode(&many)).unwrap(), many);
}

/// Markers and lengths that lead somewhere, among bytes that do not.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        3 => any::<u8>(),
        2 => 0xC0_u8..=0xFF,
        2 => 0x60_u8..=0x90,
        2 => 0_u8..=12,
    ];
    proptest::collection::vec(byte, 0..96)
}

#[test]
fn arbitrary_bytes_never_panic() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let config = Config { cases: 20_000, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, rng);
    let checked = runner.run(&hostile(), |rest| {
        let body = [vec![FORMAT_MARKER], rest].concat();
        if let Ok(value) = decode(&body) {
            // What is accepted is a value that text can say, and that we write as the same value.
            let text = value.to_string();
            let again = decode(&encode(&value)).expect("what we write can be read");
            prop_assert_eq!(again.to_string(), text);
        }
        Ok(())
    });
    checked.unwrap();
    // And every body of two bytes, with room after it.
    for first in 0..=255 {
        for second in 0..=255 {
            let _ = decode(&[FORMAT_MARKER, first, second, 0, 0, 0, 0]);
        }
    }
}
