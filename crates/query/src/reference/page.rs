//! The page, in Markdown.
//!
//! Owns the rendering of declarations. Does not own the sentences about indexes: see `index`.

use std::fmt::Write;

use super::index;
use crate::function::{Example, Function, FunctionBody, FunctionFamily, ReturnKind, registry};

/// The families in the order of the page.
const FAMILIES: [(FunctionFamily, &str); 11] = [
    (FunctionFamily::Aggregate, "Aggregates"),
    (FunctionFamily::Array, "Arrays"),
    (FunctionFamily::Conditional, "Conditions"),
    (FunctionFamily::DateTime, "Dates and times"),
    (FunctionFamily::FullText, "Full text"),
    (FunctionFamily::Item, "Items"),
    (FunctionFamily::Mathematical, "Mathematics"),
    (FunctionFamily::Spatial, "Points and shapes"),
    (FunctionFamily::String, "Strings"),
    (FunctionFamily::TypeCheck, "Types"),
    (FunctionFamily::Vector, "Vectors"),
];

/// The introduction of the page.
const INTRODUCTION: &str = "# Functions

Generated from the declarations in `crates/query/src/function`; do not edit. `UPDATE_REFERENCE=1 cargo test -p
planisphere-query reference` writes it again.

Names are accepted in any case. An argument that is undefined or of the wrong type makes the result undefined unless the
text says otherwise.

The line about the index is about a filter that calls the function on an indexed property with constants beside it, as
plans are made today. Range indexes (included paths) and composite indexes serve queries. Spatial, vector and full-text
indexes are kept in the policy but serve none yet: their functions are computed for each item, with exact results.
";

/// Renders the page in Markdown.
#[must_use]
pub fn function_reference() -> String {
    let mut page = INTRODUCTION.to_owned();
    for (family, title) in FAMILIES {
        let mut functions: Vec<&Function> =
            registry().iter().filter(|function| function.family == family).collect();
        functions.sort_by_key(|function| (!function.is_documented, function.name));
        let _ = write!(page, "\n## {title}\n");
        for function in functions {
            render(function, &mut page);
        }
    }
    page
}

/// Appends the section of one function.
fn render(function: &Function, page: &mut String) {
    let _ = write!(
        page,
        "\n### {}\n\n`{}`\n\n{}\n",
        function.name,
        signature(function),
        function.summary
    );
    let _ = write!(page, "\nReturns {}. {}", returns(function.returns), index::sentence(function));
    if matches!(function.body, FunctionBody::Planned) {
        page.push_str(" Allowed only in ORDER BY RANK.");
    }
    if !function.aliases.is_empty() {
        let _ = write!(page, " Also called {}.", function.aliases.join(", "));
    }
    if !function.is_documented {
        page.push_str(" Not part of the documented language.");
    }
    page.push('\n');
    if function.examples.is_empty() {
        return;
    }
    let column = if matches!(function.body, FunctionBody::Aggregate(_)) { "Rows" } else { "Call" };
    let _ = write!(page, "\n| {column} | Result |\n|---|---|\n");
    for Example { arguments, result } in function.examples {
        let call = match function.body {
            FunctionBody::Aggregate(_) => (*arguments).to_owned(),
            _ => format!("{}({arguments})", function.name),
        };
        let _ = writeln!(page, "| {} | {} |", code(&call), code(result));
    }
}

/// The call with its argument names: optional ones in brackets, an ellipsis if the last one may be repeated.
fn signature(function: &Function) -> String {
    let required = function.required.iter().map(|name| (*name).to_owned());
    let optional = function.optional.iter().map(|name| format!("[{name}]"));
    let more = function.is_variadic.then(|| "…".to_owned());
    let arguments: Vec<String> = required.chain(optional).chain(more).collect();
    format!("{}({})", function.name, arguments.join(", "))
}

/// Text as code inside a table cell.
fn code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let quotes = if text.contains('`') { "``" } else { "`" };
    format!("{quotes}{}{quotes}", text.replace('|', "\\|"))
}

fn returns(kind: ReturnKind) -> &'static str {
    match kind {
        ReturnKind::Any => "any value",
        ReturnKind::Array => "an array",
        ReturnKind::Boolean => "a Boolean",
        ReturnKind::DateTime => "a date and time as text",
        ReturnKind::Integer => "a whole number",
        ReturnKind::Number => "a number",
        ReturnKind::Null => "null",
        ReturnKind::Object => "an object",
        ReturnKind::String => "text",
    }
}
