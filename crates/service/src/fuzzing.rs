//! What must hold of any schema file. Panics are the failures.
//!
//! Called by the target in `fuzz/` and by tests, which replay its seeds; not part of the library.

use crate::schema::{Schema, SchemaFormat, SchemaReadOptions};

/// A schema file is refused with a reason or read; what was read survives an export in our own form. The first byte
/// says which form the file has.
pub fn check_schema_file(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let name = match first % 3 {
        0 => "s.toml",
        1 => "main.tf",
        _ => "t.json",
    };
    match Schema::from_text(name, text, &SchemaReadOptions::default()) {
        Err(errors) => assert!(!errors.to_string().is_empty()),
        Ok(parsed) => {
            let exported = parsed.schema.export(SchemaFormat::Toml).text;
            let again = Schema::from_toml("s.toml", &exported);
            let again = again.map(|again| again.export(SchemaFormat::Toml).text);
            assert_eq!(again.as_ref().ok(), Some(&exported), "{again:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");

    #[test]
    fn the_seeds_of_the_target_are_read() {
        fuzz_seeds::replay(PACKAGE, "schema_file", super::check_schema_file);
    }
}
