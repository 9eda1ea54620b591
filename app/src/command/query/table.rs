//! Formats rows as a table.
//!
//! The columns are the properties of the rows in the order of their first occurrence. The header is printed once, and
//! again only if a page has a new column.

use model::Json;

/// Space between two columns.
const GAP: &str = "  ";
/// Columns are not made narrower than this.
const COLUMN_WIDTH_MIN: usize = 6;
/// The column of rows that are not objects.
const VALUE_COLUMN: &str = "value";
const ELLIPSIS: &str = "…";
const SYSTEM_PROPERTIES: [&str; 5] = ["_rid", "_self", "_etag", "_attachments", "_ts"];

/// A table that is printed page by page.
#[derive(Debug)]
pub(super) struct RowTable {
    width: usize,
    columns: Vec<TableColumn>,
    /// What was omitted so far.
    omitted: OmittedParts,
}

/// What a table omits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OmittedParts {
    pub(super) system_properties: bool,
    pub(super) columns: usize,
    pub(super) cells_cut: bool,
}

#[derive(Clone, Debug)]
struct TableColumn {
    name: String,
    width: usize,
}

impl RowTable {
    pub(super) fn new(width: usize) -> Self {
        Self { width, columns: Vec::new(), omitted: OmittedParts::default() }
    }

    /// Formats one more page.
    pub(super) fn page(&mut self, rows: &[Json]) -> String {
        let names = self.names(rows);
        let mut text = String::new();
        let is_known = |name: &&str| self.columns.iter().any(|column| column.name == **name);
        if !names.iter().all(is_known) {
            if !self.columns.is_empty() {
                text.push('\n');
            }
            self.columns = self.fit(&names, rows);
            text += &self.header();
        }
        for row in rows {
            text += &self.row(row);
        }
        text
    }

    pub(super) fn omitted(&self) -> OmittedParts {
        self.omitted
    }

    /// The columns of a page. System properties are omitted if complete items are shown.
    fn names<'rows>(&mut self, rows: &'rows [Json]) -> Vec<&'rows str> {
        let mut names: Vec<&str> = Vec::new();
        for row in rows {
            match row.as_object() {
                None if names.contains(&VALUE_COLUMN) => {}
                None => names.push(VALUE_COLUMN),
                Some(object) => {
                    let new = object.iter().map(|(name, _)| name);
                    for name in new {
                        if !names.contains(&name) {
                            names.push(name);
                        }
                    }
                }
            }
        }
        let is_system = |name: &&str| SYSTEM_PROPERTIES.contains(name);
        // A query that selects `_ts` alone shows it; next to a complete item these five only take space.
        if SYSTEM_PROPERTIES.iter().all(|name| names.contains(name)) && names.len() > 5 {
            self.omitted.system_properties = true;
            names.retain(|name| !is_system(name));
        }
        names
    }

    /// Fits the columns into the width: first the widest columns are narrowed, then the last columns are dropped.
    fn fit(&mut self, names: &[&str], rows: &[Json]) -> Vec<TableColumn> {
        let natural = |name: &&str| {
            let cells = rows.iter().map(|row| measure(&cell(row, name).text));
            let width = cells.max().unwrap_or_default().max(measure(&printable(name))).max(1);
            TableColumn { name: (*name).to_owned(), width }
        };
        let mut columns: Vec<TableColumn> = names.iter().map(natural).collect();
        let needed = |columns: &[TableColumn], width_max: usize| {
            let cells: usize = columns.iter().map(|column| column.width.min(width_max)).sum();
            cells + GAP.len() * columns.len().saturating_sub(1)
        };
        // Only if even the narrowest form is too wide. One column always stays.
        while columns.len() > 1 && needed(&columns, COLUMN_WIDTH_MIN) > self.width {
            columns.pop();
            self.omitted.columns = names.len() - columns.len();
        }
        let widest = columns.iter().map(|column| column.width).max().unwrap_or_default();
        let width_max = (COLUMN_WIDTH_MIN..=widest)
            .rev()
            .find(|width_max| needed(&columns, *width_max) <= self.width)
            .unwrap_or(COLUMN_WIDTH_MIN);
        for column in &mut columns {
            column.width = column.width.min(width_max);
        }
        columns
    }

    fn header(&self) -> String {
        let names = self
            .columns
            .iter()
            .map(|column| pad(&printable(&column.name), column.width, CellAlign::Left).0);
        let rules = self.columns.iter().map(|column| "─".repeat(column.width));
        let line = |cells: Vec<String>| cells.join(GAP).trim_end().to_owned() + "\n";
        line(names.collect()) + &line(rules.collect())
    }

    fn row(&mut self, row: &Json) -> String {
        let mut is_cut = false;
        let cells = self.columns.iter().map(|column| {
            let cell = cell(row, &column.name);
            let (text, cut) = pad(&cell.text, column.width, cell.align);
            is_cut |= cut;
            text
        });
        let cells: Vec<String> = cells.collect();
        self.omitted.cells_cut |= is_cut;
        cells.join(GAP).trim_end().to_owned() + "\n"
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellAlign {
    Left,
    Right,
}

struct Cell {
    text: String,
    align: CellAlign,
}

/// Strings as they are, other values as JSON; undefined values are empty.
fn cell(row: &Json, name: &str) -> Cell {
    let value = match row.as_object() {
        Some(object) => object.get(name),
        None if name == VALUE_COLUMN => Some(row),
        None => None,
    };
    match value {
        None => Cell { text: String::new(), align: CellAlign::Left },
        Some(Json::String(text)) => Cell { text: printable(text), align: CellAlign::Left },
        Some(number @ Json::Number(_)) => {
            Cell { text: number.to_string(), align: CellAlign::Right }
        }
        Some(other) => Cell { text: printable(&other.to_string()), align: CellAlign::Left },
    }
}

/// Pads or truncates a text to a width; returns also whether it was truncated.
fn pad(text: &str, width: usize, align: CellAlign) -> (String, bool) {
    let is_cut = measure(text) > width;
    let text = console::truncate_str(text, width, ELLIPSIS);
    let space = " ".repeat(width.saturating_sub(measure(&text)));
    match align {
        CellAlign::Left => (format!("{text}{space}"), is_cut),
        CellAlign::Right => (format!("{space}{text}"), is_cut),
    }
}

fn measure(text: &str) -> usize {
    console::measure_text_width(text)
}

/// Escapes control characters: stored text must not move the cursor or color the terminal.
fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            character if character.is_control() => printable.extend(character.escape_default()),
            character => printable.push(character),
        }
    }
    printable
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(texts: &[&str]) -> Vec<Json> {
        texts.iter().map(|text| Json::parse(text.as_bytes()).unwrap()).collect()
    }

    fn check(width: usize, texts: &[&str], expected: &[&str]) {
        let text = RowTable::new(width).page(&rows(texts));
        assert_eq!(text.lines().collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn numbers_stand_right_and_text_left() {
        let texts = [r#"{"id":"a","n":5}"#, r#"{"id":"long","n":1000}"#];
        check(80, &texts, &["id    n", "────  ────", "a        5", "long  1000"]);
    }

    #[test]
    fn what_is_undefined_stays_empty_and_null_is_said() {
        let texts = [r#"{"a":null}"#, r#"{"b":[1,{"c":2}]}"#];
        check(80, &texts, &["a     b", "────  ───────────", "null", "      [1,{\"c\":2}]"]);
    }

    #[test]
    fn rows_that_are_no_objects_have_one_column() {
        check(80, &["7", r#""x""#], &["value", "─────", "    7", "x"]);
    }

    #[test]
    fn the_widest_column_gives_way_and_says_so() {
        let texts = [r#"{"id":"1","text":"abcdefghijklmnopqrstuvwxyz"}"#];
        let mut table = RowTable::new(20);
        let text = table.page(&rows(&texts));
        assert_eq!(text.lines().last(), Some("1   abcdefghijklmno…"), "{text}");
        assert!(table.omitted().cells_cut);
    }

    #[test]
    fn columns_that_have_no_room_are_counted() {
        let texts = [r#"{"aaaaaaaa":1,"bbbbbbbb":2,"cccccccc":3}"#];
        let mut table = RowTable::new(15);
        let text = table.page(&rows(&texts));
        assert!(text.lines().all(|line| measure(line) <= 15), "{text}");
        assert_eq!(table.omitted().columns, 1);
    }

    #[test]
    fn the_header_comes_again_only_for_new_columns() {
        let mut table = RowTable::new(80);
        assert_eq!(table.page(&rows(&[r#"{"a":1,"b":2}"#])).lines().count(), 3);
        assert_eq!(table.page(&rows(&[r#"{"b":2}"#])).lines().count(), 1);
        assert_eq!(table.page(&rows(&[r#"{"c":2}"#])), "\nc\n─\n2\n");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let text = RowTable::new(80).page(&rows(&["{\"a\":\"x\\u001b[31m\\ny\"}"]));
        assert!(text.ends_with("x\\u{1b}[31m\\ny\n"), "{text:?}");
    }

    #[test]
    fn the_system_properties_of_a_whole_item_are_left_out() {
        let item = r#"{"id":"1","_rid":"r","_self":"s","_etag":"e","_attachments":"a","_ts":1}"#;
        check(80, &[item], &["id", "──", "1"]);
        check(80, &[r#"{"_ts":1}"#], &["_ts", "───", "  1"]);
    }
}
