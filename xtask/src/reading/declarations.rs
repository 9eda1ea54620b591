//! Type and function declarations in a Rust file, found by their keywords.
//!
//! Reads the blanked code of `rust_text.rs`, so keywords inside strings and comments do not count. Declarations inside
//! `#[cfg(test)]` items are left out: tests may name their helpers freely.

use super::rust_function::test_ranges;

/// A `struct`, `enum`, `trait` or `union`, or a `type` outside of an `impl`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypeDeclaration {
    pub(crate) name: String,
    /// Counted from one.
    pub(crate) line: usize,
}

/// The head of a function: everything from its name to its body or semicolon, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FunctionHead {
    pub(crate) name: String,
    pub(crate) is_async: bool,
    /// The text between the parentheses.
    pub(crate) parameters: String,
    /// The text after `->`, empty for the unit type.
    pub(crate) returns: String,
    pub(crate) line: usize,
}

/// All types that a file declares.
pub(crate) fn types(code: &str) -> Vec<TypeDeclaration> {
    let tests = test_ranges(code);
    let mut found = Vec::new();
    for (index, line) in code.lines().enumerate() {
        let number = index + 1;
        if tests.iter().any(|range| range.contains(&number)) {
            continue;
        }
        if let Some(name) = declared_type(line) {
            found.push(TypeDeclaration { name: name.to_owned(), line: number });
        }
    }
    found
}

fn declared_type(line: &str) -> Option<&str> {
    let rest = without_visibility(line.trim_start());
    let keywords = ["struct ", "enum ", "trait ", "union "];
    // An indented `type` is an associated type of a trait: its name belongs to the trait.
    let is_alias = line.starts_with("type ") || line.starts_with("pub");
    let alias = is_alias.then(|| rest.strip_prefix("type ")).flatten();
    let rest = keywords.iter().find_map(|keyword| rest.strip_prefix(keyword)).or(alias)?;
    let end = rest.find(|char: char| !is_name_char(char)).unwrap_or(rest.len());
    rest.get(..end).filter(|name| name.starts_with(|char: char| char.is_ascii_uppercase()))
}

/// All functions that a file declares, with and without a body.
pub(crate) fn function_heads(code: &str) -> Vec<FunctionHead> {
    let tests = test_ranges(code);
    let mut found = Vec::new();
    let lines: Vec<&str> = code.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let number = index + 1;
        let in_test = tests.iter().any(|range| range.contains(&number));
        let Some((before, _)) = line.split_once("fn ").filter(|_| !in_test) else { continue };
        // The end of a longer word, not the keyword.
        if before.ends_with(is_name_char) {
            continue;
        }
        // Rustfmt gives each parameter of a long head a line of its own; sixteen lines leave room for twice the seven
        // parameters that clippy allows. A head that is longer has no closing parenthesis in the text and is left out.
        let text = lines.iter().skip(index).take(16).copied().collect::<Vec<_>>().join(" ");
        if let Some(head) = parse_head(&text, number) {
            found.push(head);
        }
    }
    found
}

fn parse_head(text: &str, line: usize) -> Option<FunctionHead> {
    let (before, after) = text.split_once("fn ")?;
    let name_end = after.find(|char: char| !is_name_char(char))?;
    let (name, rest) = after.split_at_checked(name_end)?;
    // Skip type parameters: the first parenthesis outside angle brackets opens the parameters.
    let open = parameters_start(rest)?;
    let inside = rest.get(open + 1..)?;
    let close = matching_parenthesis(inside)?;
    let tail = inside.get(close + 1..)?;
    let end = tail.find(['{', ';']).unwrap_or(tail.len());
    let tail = tail.get(..end)?;
    let returns = tail.split_once("->").map_or("", |(_, returns)| returns);
    let returns = returns.split(" where ").next().unwrap_or(returns).trim().to_owned();
    Some(FunctionHead {
        name: name.to_owned(),
        is_async: before.split_whitespace().any(|word| word == "async"),
        parameters: inside.get(..close)?.trim().to_owned(),
        returns,
        line,
    })
}

fn parameters_start(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut previous = ' ';
    for (at, char) in text.char_indices() {
        match char {
            '<' => depth += 1,
            // The arrow of a bound such as `Fn(u8) -> bool` closes no angle bracket.
            '>' if previous != '-' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => return Some(at),
            _ => {}
        }
        previous = char;
    }
    None
}

fn matching_parenthesis(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, char) in text.char_indices() {
        match char {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The line without `pub`, `pub(crate)` and the like.
fn without_visibility(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else { return line };
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')').map_or(rest, |(_, rest)| rest),
        None => rest,
    };
    rest.trim_start()
}

fn is_name_char(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

#[cfg(test)]
mod tests {
    use super::{function_heads, types};

    #[test]
    fn types_are_found_outside_tests() {
        let code = "pub(crate) struct A;\nenum B {}\npub type C = u8;\n    type D = u8;\n\
                    #[cfg(test)]\nmod tests {\n    struct E;\n}\n    pub trait F {}\n";
        let names: Vec<_> = types(code).into_iter().map(|found| found.name).collect();
        assert_eq!(names, ["A", "B", "C", "F"]);
    }

    #[test]
    fn heads_of_functions_are_parsed() {
        let code = "pub async fn is_a<F: Fn(u8) -> bool>(\n    &mut self,\n    f: F,\n) -> Option<bool> {\n}\n\
                    fn b();\n";
        let heads = function_heads(code);
        let [a, b] = heads.as_slice() else { panic!("{heads:?}") };
        assert_eq!(
            (a.name.as_str(), a.is_async, a.returns.as_str()),
            ("is_a", true, "Option<bool>")
        );
        assert_eq!(a.parameters, "&mut self,     f: F,");
        assert_eq!((b.name.as_str(), b.parameters.as_str(), b.line), ("b", "", 6));
    }
}
