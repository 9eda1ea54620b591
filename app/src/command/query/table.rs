//! Rows as a table for people.
//!
//! Owns columns, widths and cells. Columns are the properties of the rows, in the order in which they are first seen;
//! the header is written once and again only when a page brings a new one. Does not own other formats: see `rows`.

use model::Json;

/// Between two columns.
const GAP: &str = "  ";
/// What a column is not made narrower than.
const COLUMN_WIDTH_MIN: usize = 6;
/// The column of rows that are no objects.
const BARE: &str = "value";
const CUT: &str = "…";
const SYSTEM_PROPERTIES: [&str; 5] = ["_rid", "_self", "_etag", "_attachments", "_ts"];

/// A table that grows page by page.
#[derive(Debug)]
pub(super) struct Table {
    width: usize,
    columns: Vec<Column>,
    /// Whether system properties or columns were left out so far.
    left_out: LeftOut,
}

/// What a table does not show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOut {
    pub(super) system_properties: bool,
    pub(super) columns: usize,
    pub(super) cells_cut: bool,
}

#[derive(Clone, Debug)]
struct Column {
    name: String,
    width: usize,
}

impl Table {
    pub(super) fn new(width: usize) -> Self {
        Self { width, columns: Vec::new(), left_out: LeftOut::default() }
    }

    /// The lines of one more page.
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

    pub(super) fn left_out(&self) -> LeftOut {
        self.left_out
    }

    /// The columns of a page. System properties only when a page has nothing else.
    fn names<'rows>(&mut self, rows: &'rows [Json]) -> Vec<&'rows str> {
        let mut names: Vec<&str> = Vec::new();
        for row in rows {
            match row.as_object() {
                None if names.contains(&BARE) => {}
                None => names.push(BARE),
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
        // Whoever selects `_ts` alone wants to see it; beside the whole item these five only take the room.
        if SYSTEM_PROPERTIES.iter().all(|name| names.contains(name)) && names.len() > 5 {
            self.left_out.system_properties = true;
            names.retain(|name| !is_system(name));
        }
        names
    }

    /// Widths that fit: first the widest columns give way, then the last columns go.
    fn fit(&mut self, names: &[&str], rows: &[Json]) -> Vec<Column> {
        let natural = |name: &&str| {
            let cells = rows.iter().map(|row| measure(&cell(row, name).text));
            let width = cells.max().unwrap_or_default().max(measure(&printable(name))).max(1);
            Column { name: (*name).to_owned(), width }
        };
        let mut columns: Vec<Column> = names.iter().map(natural).collect();
        let needed = |columns: &[Column], width_max: usize| {
            let cells: usize = columns.iter().map(|column| column.width.min(width_max)).sum();
            cells + GAP.len() * columns.len().saturating_sub(1)
        };
        while columns.len() > 1 && needed(&columns, COLUMN_WIDTH_MIN) > self.width {
            columns.pop();
            self.left_out.columns = names.len() - columns.len();
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
            .map(|column| pad(&printable(&column.name), column.width, Side::Left).0);
        let rules = self.columns.iter().map(|column| "─".repeat(column.width));
        let line = |cells: Vec<String>| cells.join(GAP).trim_end().to_owned() + "\n";
        line(names.collect()) + &line(rules.collect())
    }

    fn row(&mut self, row: &Json) -> String {
        let mut is_cut = false;
        let cells = self.columns.iter().map(|column| {
            let cell = cell(row, &column.name);
            let (text, cut) = pad(&cell.text, column.width, cell.side);
            is_cut |= cut;
            text
        });
        let cells: Vec<String> = cells.collect();
        self.left_out.cells_cut |= is_cut;
        cells.join(GAP).trim_end().to_owned() + "\n"
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

struct Cell {
    text: String,
    side: Side,
}

/// Text as it is, everything else as JSON; what is undefined stays empty.
fn cell(row: &Json, name: &str) -> Cell {
    let value = match row.as_object() {
        Some(object) => object.get(name),
        None if name == BARE => Some(row),
        None => None,
    };
    match value {
        None => Cell { text: String::new(), side: Side::Left },
        Some(Json::String(text)) => Cell { text: printable(text), side: Side::Left },
        Some(number @ Json::Number(_)) => Cell { text: number.to_string(), side: Side::Right },
        Some(other) => Cell { text: printable(&other.to_string()), side: Side::Left },
    }
}

/// The text in exactly so many columns, and whether some of it is missing.
fn pad(text: &str, width: usize, side: Side) -> (String, bool) {
    let is_cut = measure(text) > width;
    let text = console::truncate_str(text, width, CUT);
    let space = " ".repeat(width.saturating_sub(measure(&text)));
    match side {
        Side::Left => (format!("{text}{space}"), is_cut),
        Side::Right => (format!("{space}{text}"), is_cut),
    }
}

fn measure(text: &str) -> usize {
    console::measure_text_width(text)
}

/// A stored text must not move the cursor or colour the terminal.
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
        let text = Table::new(width).page(&rows(texts));
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
        let mut table = Table::new(20);
        let text = table.page(&rows(&texts));
        assert_eq!(text.lines().last(), Some("1   abcdefghijklmno…"), "{text}");
        assert!(table.left_out().cells_cut);
    }

    #[test]
    fn columns_that_have_no_room_are_counted() {
        let texts = [r#"{"aaaaaaaa":1,"bbbbbbbb":2,"cccccccc":3}"#];
        let mut table = Table::new(15);
        let text = table.page(&rows(&texts));
        assert!(text.lines().all(|line| measure(line) <= 15), "{text}");
        assert_eq!(table.left_out().columns, 1);
    }

    #[test]
    fn the_header_comes_again_only_for_new_columns() {
        let mut table = Table::new(80);
        assert_eq!(table.page(&rows(&[r#"{"a":1,"b":2}"#])).lines().count(), 3);
        assert_eq!(table.page(&rows(&[r#"{"b":2}"#])).lines().count(), 1);
        assert_eq!(table.page(&rows(&[r#"{"c":2}"#])), "\nc\n─\n2\n");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let text = Table::new(80).page(&rows(&["{\"a\":\"x\\u001b[31m\\ny\"}"]));
        assert!(text.ends_with("x\\u{1b}[31m\\ny\n"), "{text:?}");
    }

    #[test]
    fn the_system_properties_of_a_whole_item_are_left_out() {
        let item = r#"{"id":"1","_rid":"r","_self":"s","_etag":"e","_attachments":"a","_ts":1}"#;
        check(80, &[item], &["id", "──", "1"]);
        check(80, &[r#"{"_ts":1}"#], &["_ts", "───", "  1"]);
    }
}
