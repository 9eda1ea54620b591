//! Reads a CSV table: a header row, then one item per row.
//!
//! A column has one type for all rows: the given one, or the one that all its cells have if the file can be read twice,
//! or text. A cell is a number only if JSON would print it the same way, so `007` and `+1` remain text. An empty cell
//! is omitted. A name with dots is a nested property: `address.city`.

use std::collections::BTreeMap;
use std::io::BufRead;

use model::{Json, Object};

use super::records::{ImportRecord, RecordReader};
use crate::transform::set;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnType {
    Text,
    Number,
    Boolean,
    Json,
}

/// How to read a table.
#[derive(Clone, Debug)]
pub(super) struct TableOptions {
    pub(super) delimiter: u8,
    /// Types by column name.
    pub(super) types: BTreeMap<String, ColumnType>,
}

pub(super) struct CsvTable {
    reader: csv::Reader<Box<dyn BufRead + Send>>,
    columns: Vec<CsvColumn>,
}

struct CsvColumn {
    name: String,
    path: Vec<String>,
    kind: ColumnType,
}

/// Parses `column=type`.
pub(super) fn typed_column(word: &str) -> Result<(String, ColumnType), String> {
    let example = "write it as --types total=number, with text, number, boolean or json";
    // At the last sign: a column name may contain one, a type cannot.
    let (name, kind) = word.rsplit_once('=').ok_or_else(|| format!("it has no '='; {example}"))?;
    let kind = match kind {
        "text" => ColumnType::Text,
        "number" => ColumnType::Number,
        "boolean" => ColumnType::Boolean,
        "json" => ColumnType::Json,
        other => return Err(format!("'{other}' is not a type; {example}")),
    };
    Ok((name.to_owned(), kind))
}

impl CsvTable {
    pub(super) fn new(
        input: Box<dyn BufRead + Send>,
        options: &TableOptions,
    ) -> Result<Self, String> {
        let mut reader = csv::ReaderBuilder::new().delimiter(options.delimiter).from_reader(input);
        let header = reader.headers().map_err(|error| format!("the header row: {error}"))?;
        let names: Vec<String> = header.iter().map(|name| name.trim().to_owned()).collect();
        check_names(&names, options)?;
        let column = |name: String| CsvColumn {
            path: name.split('.').map(ToOwned::to_owned).collect(),
            kind: options.types.get(&name).copied().unwrap_or(ColumnType::Text),
            name,
        };
        Ok(Self { reader, columns: names.into_iter().map(column).collect() })
    }

    fn item(&self, row: &csv::StringRecord) -> Result<Json, String> {
        let mut item = Json::Object(Object::new());
        for (column, cell) in self.columns.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
            let value = column.kind.value(cell).ok_or_else(|| {
                format!(
                    "has '{cell}' in column '{}', which is not a {}",
                    column.name,
                    column.kind.name()
                )
            })?;
            set(&mut item, &column.path, value)
                .map_err(|name| format!("has a value and properties at '{name}'"))?;
        }
        Ok(item)
    }
}

impl RecordReader for CsvTable {
    fn next(&mut self) -> Result<Option<ImportRecord>, String> {
        let mut row = csv::StringRecord::new();
        let line = |position: Option<&csv::Position>| position.map_or(0, csv::Position::line);
        match self.reader.read_record(&mut row) {
            Ok(false) => Ok(None),
            Ok(true) => {
                Ok(Some(ImportRecord { line: line(row.position()), content: self.item(&row) }))
            }
            // A device error ends the import; a bad row is one bad line.
            Err(error) if error.is_io_error() => Err(error.to_string()),
            Err(error) => {
                let content = Err(format!("is not a valid row: {error}"));
                Ok(Some(ImportRecord { line: line(error.position()), content }))
            }
        }
    }
}

/// Infers the type of each column from its cells; text for `id` and for empty columns.
pub(super) fn infer(
    input: Box<dyn BufRead + Send>,
    options: &mut TableOptions,
) -> Result<(), String> {
    let mut reader = csv::ReaderBuilder::new().delimiter(options.delimiter).from_reader(input);
    let header = reader.headers().map_err(|error| format!("the header row: {error}"))?.clone();
    let mut kinds: Vec<Option<ColumnType>> = vec![None; header.len()];
    let mut row = csv::StringRecord::new();
    loop {
        match reader.read_record(&mut row) {
            Ok(true) => {}
            Ok(false) => break,
            // Reported when the table is read.
            Err(error) if !error.is_io_error() => continue,
            Err(error) => return Err(error.to_string()),
        }
        for (kind, cell) in kinds.iter_mut().zip(&row).filter(|(_, cell)| !cell.is_empty()) {
            let seen = ColumnType::infer(cell);
            *kind =
                Some(kind.map_or(seen, |kind| if kind == seen { kind } else { ColumnType::Text }));
        }
    }
    for (name, kind) in header.iter().zip(kinds) {
        let name = name.trim();
        // An id is text in every account, even if it looks like a number.
        if let Some(kind) = kind.filter(|_| name != "id") {
            // A given type is kept.
            options.types.entry(name.to_owned()).or_insert(kind);
        }
    }
    Ok(())
}

impl ColumnType {
    /// The inferred type of a cell.
    fn infer(cell: &str) -> Self {
        match Json::parse(cell.as_bytes()) {
            Ok(Json::Bool(_)) => Self::Boolean,
            Ok(number @ Json::Number(_)) if number.to_string() == cell && is_exact(cell) => {
                Self::Number
            }
            _ => Self::Text,
        }
    }

    fn value(self, cell: &str) -> Option<Json> {
        match (self, Json::parse(cell.trim().as_bytes()).ok()) {
            (Self::Text, _) => Some(Json::from(cell)),
            (Self::Number, Some(number @ Json::Number(_))) => Some(number),
            (Self::Boolean, Some(Json::Bool(truth))) => Some(Json::Bool(truth)),
            (Self::Json, Some(value)) => Some(value),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Json => "JSON",
        }
    }
}

/// Longer numbers are identifiers such as telephone numbers, and would not fit in a double.
fn is_exact(cell: &str) -> bool {
    cell.bytes().filter(u8::is_ascii_digit).count() <= 15
}

fn check_names(names: &[String], options: &TableOptions) -> Result<(), String> {
    for (place, name) in names.iter().enumerate() {
        if name.split('.').any(str::is_empty) {
            return Err(format!(
                "the name of column {} is '{name}'; give every column a name",
                place + 1
            ));
        }
        if names.iter().take(place).any(|earlier| earlier == name) {
            return Err(format!("two columns are named '{name}'; rename one"));
        }
        let inside =
            |other: &String| other.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        if let Some(other) = names.iter().find(|other| inside(other)) {
            return Err(format!("columns '{name}' and '{other}' exclude each other; rename one"));
        }
    }
    match options.types.keys().find(|name| !names.contains(name)) {
        None => Ok(()),
        Some(name) => Err(format!(
            "--types names the column '{name}', the table has: {}; correct the name",
            names.join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(types: &[&str]) -> TableOptions {
        let types = types.iter().map(|word| typed_column(word).unwrap()).collect();
        TableOptions { delimiter: b',', types }
    }

    fn rows(text: &'static str, options: &TableOptions) -> Vec<String> {
        let mut table = CsvTable::new(Box::new(text.as_bytes()), options).unwrap();
        let mut output = Vec::new();
        while let Some(record) = table.next().unwrap() {
            let content = record.content.map_or_else(|why| why, |item| item.to_string());
            output.push(format!("{} {content}", record.line));
        }
        output
    }

    fn inferred(text: &'static str) -> Vec<String> {
        let mut options = options(&[]);
        infer(Box::new(text.as_bytes()), &mut options).unwrap();
        rows(text, &options)
    }

    #[test]
    fn everything_is_text_unless_it_is_said() {
        let text = "id,n,b\n1,2,true\n";
        assert_eq!(rows(text, &options(&[])), [r#"2 {"id":"1","n":"2","b":"true"}"#]);
        let typed = options(&["n=number", "b=boolean"]);
        assert_eq!(rows(text, &typed), [r#"2 {"id":"1","n":2,"b":true}"#]);
    }

    #[test]
    fn a_column_is_a_number_when_all_its_cells_are() {
        let text = "id,n,zip,flag,long\n1,2,01234,true,12345678901234567\n2,-1.5,12345,false,\n";
        assert_eq!(
            inferred(text),
            [
                r#"2 {"id":"1","n":2,"zip":"01234","flag":true,"long":"12345678901234567"}"#,
                r#"3 {"id":"2","n":-1.5,"zip":"12345","flag":false}"#,
            ]
        );
    }

    #[test]
    fn names_with_dots_lie_deeper_and_quotes_hold_anything() {
        let text = "id,a.b,a.c\n1,\"x, \"\"y\"\"\nz\",2\n2,,3\n";
        assert_eq!(
            rows(text, &options(&["a.c=json"])),
            [r#"2 {"id":"1","a":{"b":"x, \"y\"\nz","c":2}}"#, r#"4 {"id":"2","a":{"c":3}}"#]
        );
    }

    #[test]
    fn bad_rows_are_named_and_the_next_one_is_read() {
        let output = rows("id,n\n1,x\n2\n3,4\n", &options(&["n=number"]));
        assert_eq!(output[0], "2 has 'x' in column 'n', which is not a number");
        assert!(output[1].starts_with("3 is not a valid row"), "{output:?}");
        assert_eq!(output[2], r#"4 {"id":"3","n":4}"#);
    }

    #[test]
    fn headers_that_make_no_sense_are_refused() {
        for (text, words) in [
            ("id,,x\n", "give every column a name"),
            ("id,id\n", "two columns are named 'id'"),
            ("a.b,a\n", "exclude each other"),
        ] {
            let output = CsvTable::new(Box::new(text.as_bytes()), &options(&[])).map(|_| ());
            assert!(output.clone().unwrap_err().contains(words), "{output:?}");
        }
        let output = CsvTable::new(Box::new(&b"id\n"[..]), &options(&["n=number"])).map(|_| ());
        assert!(output.unwrap_err().contains("correct the name"));
        assert!(typed_column("n=float").unwrap_err().contains("is not a type"));
    }
}
