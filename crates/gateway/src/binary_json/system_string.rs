//! System strings: frequent strings that binary JSON represents by a number.
//!
//! Owns the table. Its order is part of the format.

const STRINGS: &str = "$s $t $v _attachments _etag _rid _self _ts attachments/ coordinates geometry \
    GeometryCollection id url Value label LineString link MultiLineString MultiPoint MultiPolygon name Name Type \
    Point Polygon properties type value Feature FeatureCollection _id";

pub(super) fn system_string(number: u8) -> Option<String> {
    STRINGS.split(' ').filter(|text| !text.is_empty()).nth(usize::from(number)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::system_string;

    #[test]
    fn numbers_represent_their_strings() {
        for (number, text) in [(0, "$s"), (7, "_ts"), (12, "id"), (28, "value"), (31, "_id")] {
            assert_eq!(system_string(number).as_deref(), Some(text));
        }
        assert_eq!(system_string(32), None);
    }
}
