//! Tests of effective partition keys: the vectors every client agrees on, prefixes, hexadecimal text.

use proptest::prelude::*;

use crate::partition::arbitrary::{component, definition, epk, partition_key};
use crate::{
    EffectivePartitionKey, EpkRange, Json, PartitionKey, PartitionKeyDefinition, PartitionKeyValue,
};

fn definition_of(text: &str) -> PartitionKeyDefinition {
    PartitionKeyDefinition::from_json(&Json::parse(text.as_bytes()).unwrap()).unwrap()
}

fn effective(definition: &str, key: &str) -> String {
    definition_of(definition).effective(&PartitionKey::parse(key).unwrap()).to_string()
}

const V1: &str = r#"{"paths":["/pk"]}"#;
const V2: &str = r#"{"paths":["/pk"],"version":2}"#;
const MULTI_HASH: &str = r#"{"paths":["/a","/b","/c"],"kind":"MultiHash","version":2}"#;

fn check(key: &str, v1: &str, v2: &str) {
    assert_eq!(effective(V1, key), v1, "version 1 of {key}");
    assert_eq!(effective(V2, key), v2, "version 2 of {key}");
}

#[test]
fn single_components() {
    check("[\"\"]", "05C1CF33970FF80800", "32E9366E637A71B4E710384B2F4970A0");
    check("[\"a\"]", "05C1D78593652C086200", "3A5381E1114EB8D3FCC90795045B49B7");
    check("[\"hello\"]", "05C1EFF74961FE0869666D6D7000", "0A8B5792B7BA3C7C47B0D1305A3C6F8A");
    check("[0]", "05C1BF6DA11560058000", "155B95BEDAC4B1E9EC1CDC9BB0DDDE58");
    check("[-0.0]", "05C1BF6DA11560058000", "155B95BEDAC4B1E9EC1CDC9BB0DDDE58");
    check("[1]", "05C1ED172B6B2605BFF0", "20CD98B339BA78A5D0CF6953B87070B0");
    check("[-1]", "05C1D1A5BDDF9C054010", "19938E7A936C1C5B9E3AE842BBC16839");
    check("[3.14]", "05C1E179CD954C05C0098FAF0B1F5D153E", "319C496AE088984E764AF1B65EF5394D");
    check("[true]", "05C1D7C5A903D803", "0E711127C5B5A8E4726AC6DD306A3E59");
    check("[false]", "05C1DB857D857C02", "2FE1BE91E90A3439635E0E9E37361EF2");
    check("[null]", "05C1ED45D7475601", "378867E4430E67857ACE5C908374FE16");
    check("[{}]", "05C1D529E345DC00", "11622DAA78F835834610ABE56EFF5CB5");
}

#[test]
fn numbers_at_the_borders() {
    check("[-128]", "05C1D73349F54C053FA0", "01DAEDABF913540367FE219B2AD06148");
    check("[127]", "05C1DD539DDFCC05C05FE0", "0C507ACAC853ECA7977BF4CEFB562A25");
    check("[-2147483648]", "05C1DFBF252BCC053E20", "0B1660D5233C3171725B30D4A5F4CC1F");
    check("[2147483647]", "05C1E1F503DFB205C1DFFFFFFFFC", "2D9349D64712AEB5EB1406E2F0BE2725");
    check("[-9223372036854775808]", "05C1DB35F33D1C053C20", "23D5C6395512BDFEAFADAD15328AD2BB");
    check("[9223372036854775807]", "05C1B799AB2DD005C3E0", "2EDB959178DFCCA18983F89384D1629B");
    check("[5e-324]", "05C1E5C91F4D3005800101010101010102", "0E6CBA63A280927DE485DEF865800139");
    check(
        "[1.7976931348623157e308]",
        "05C1CBE367C53005FFEFFFFFFFFFFFFFFE",
        "31424D996457102634591FF245DBCC4D",
    );
}

#[test]
fn longer_strings() {
    check(
        r#"["partitionKey"]"#,
        "05C1E1B3D9CD2608716273756A756A706F4C667A00",
        "013AEFCF77FA271571CF665A58C933F1",
    );
    check(
        r#"["quote\"backslash\\slash/newline\n"]"#,
        "05C1E739E3AD88087276707566236362646C746D6274695D746D627469306F66786D6A6F660B00",
        "0A75245A5A77FB1C92F7AB9E0FD5E73F",
    );
    check(
        r#"["café 東京 🚀"]"#,
        "05C1DF0501C73008646267C4AA21E79EB2E5BBAD21F1A09B8100",
        "389ED563F219577470F42691A5234A68",
    );
}

#[test]
fn version_1_looks_at_a_hundred_bytes() {
    let key = |count: usize| format!("[\"{}\"]", "a".repeat(count));
    let v1 = format!("05C1EB5921F70608{}00", "62".repeat(100));
    check(&key(100), &v1, "0DBD7D229437BB665DE6417747994D57");
    check(&key(101), &v1, "08042541D30C8BF90D7092B1519AE0BC");
    check(&key(1024), &v1, "332BDF5512AE49615F32C7D98C2DB86C");
    let alphabets = format!("[\"{}\"]", "abcdefghijklmnopqrstuvwxyz".repeat(5));
    assert!(effective(V1, &alphabets).starts_with("05C1DD5D8149640862636465"));
}

#[test]
fn each_level_of_a_hierarchical_key_is_hashed_alone() {
    assert_eq!(
        effective(MULTI_HASH, r#"["a",1,null]"#),
        "3A5381E1114EB8D3FCC90795045B49B720CD98B339BA78A5D0CF6953B87070B0378867E4430E67857ACE5C908374FE16"
    );
    assert_eq!(
        effective(MULTI_HASH, r#"["",true]"#),
        "32E9366E637A71B4E710384B2F4970A00E711127C5B5A8E4726AC6DD306A3E59"
    );
    assert_eq!(
        effective(MULTI_HASH, r#"["partitionKey",null,false]"#),
        "013AEFCF77FA271571CF665A58C933F1378867E4430E67857ACE5C908374FE162FE1BE91E90A3439635E0E9E37361EF2"
    );
    assert_eq!(effective(V2, r#"["a",1]"#), "05CF13F092BD87C49C262FDC79F20EBF");
}

#[test]
fn the_empty_key_lies_at_the_minimum_and_covers_everything() {
    for definition in [V1, V2, MULTI_HASH] {
        assert_eq!(effective(definition, "[]"), "");
        let range = definition_of(definition).effective_range(&PartitionKey::default());
        assert_eq!(range, EpkRange::full());
    }
    assert_eq!(EffectivePartitionKey::MAX.to_string(), "FF");
}

#[test]
fn hexadecimal_digits_of_either_case_are_read() {
    let epk = EffectivePartitionKey::from_hex("05c1Df").unwrap();
    assert_eq!(epk.as_bytes(), [0x05, 0xC1, 0xDF]);
    assert_eq!(epk.to_string(), "05C1DF");
    for text in ["0", "0g", "é", "+1", " 1"] {
        assert!(EffectivePartitionKey::from_hex(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn an_epk_survives_its_text(epk in epk()) {
        prop_assert_eq!(EffectivePartitionKey::from_hex(&epk.to_string()).unwrap(), epk);
    }

    #[test]
    fn the_range_of_a_full_key_is_one_point(
        definition in definition(),
        first in component(),
        second in component(),
    ) {
        let key = |component: PartitionKeyValue| {
            PartitionKey::from_values(std::iter::repeat_n(component, definition.levels()))
        };
        let (first, second) = (key(first), key(second));
        let (range, epk) = (definition.effective_range(&first), definition.effective(&first));
        prop_assert!(range.contains(&epk));
        let other = definition.effective(&second);
        prop_assert_eq!(range.contains(&other), other == epk);
        prop_assert!(!range.contains(&epk.successor()));
    }

    #[test]
    fn the_range_of_a_prefix_holds_exactly_its_keys(
        key in proptest::collection::vec(component(), 1..=3),
        other in proptest::collection::vec(component(), 3),
        kept in 0usize..=3,
    ) {
        let definition = definition_of(MULTI_HASH);
        // The other key often begins like the first.
        let other = key.iter().take(kept).chain(other.iter().skip(kept.min(key.len()))).cloned();
        let other = PartitionKey::from_values(other);
        let key = PartitionKey::from_values(key.clone());
        let expected = other.components().starts_with(key.components());
        let range = definition.effective_range(&key);
        prop_assert_eq!(range.contains(&definition.effective(&other)), expected);
    }

    #[test]
    fn every_epk_lies_inside_the_full_range(definition in definition(), key in partition_key()) {
        prop_assert!(EpkRange::full().contains(&definition.effective(&key)));
    }
}
