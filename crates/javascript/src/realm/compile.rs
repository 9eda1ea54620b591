//! From the text of a script to its function.
//!
//! Owns the two forms of a script: one function (declared, anonymous or an arrow), or a program whose first declared
//! function is the script. The places in error messages are those of the stored text.

use engine::script_runtime::ScriptSource;
use rquickjs::context::EvalOptions;
use rquickjs::{Ctx, Exception, Function, Value};

/// Compiles a script; its function has not run.
pub(crate) fn compile<'js>(
    ctx: &Ctx<'js>,
    source: &ScriptSource,
) -> rquickjs::Result<Function<'js>> {
    let filename = format!("{}.js", source.name);
    let evaluate = |text: String| {
        let mut options = named(&filename);
        // A script chooses strict mode by itself.
        options.strict = false;
        ctx.eval_with_options::<Value<'js>, _>(text, options)
    };
    let text = &source.text;
    let value = match evaluate(format!("({text}\n)")) {
        Err(error) if error.is_exception() => match first_function(text) {
            Some(name) => {
                let _ = ctx.catch();
                evaluate(format!("(function () {{ {text}\n; return {name}; }})()"))?
            }
            None => return Err(error),
        },
        value => value?,
    };
    value.as_function().cloned().ok_or_else(|| {
        let name = &source.name;
        let error = Exception::from_message(
            ctx.clone(),
            &format!("The script '{name}' is not a function."),
        );
        match error {
            Ok(error) => ctx.throw(error.into_value()),
            Err(error) => error,
        }
    })
}

/// Options for a text whose places in error messages have a file name.
pub(crate) fn named(filename: &str) -> EvalOptions {
    let mut options = EvalOptions::default();
    options.filename = Some(filename.to_owned());
    options
}

/// The name of the first function that a program declares.
fn first_function(text: &str) -> Option<&str> {
    const KEYWORD: &str = "function";
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    let mut rest = text;
    loop {
        let at = rest.find(KEYWORD)?;
        let (before, after) = rest.split_at_checked(at)?;
        let after = after.get(KEYWORD.len()..)?;
        rest = after;
        if before.chars().next_back().is_some_and(is_part) {
            continue;
        }
        let name = after
            .trim_start_matches(|character: char| character.is_whitespace() || character == '*');
        let end = name.find(|character| !is_part(character)).unwrap_or(name.len());
        let (name, _) = name.split_at_checked(end)?;
        if !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit()) {
            return Some(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_declared_function_of_a_program_is_found() {
        for (text, name) in [
            ("function a() {} function b() {}", Some("a")),
            ("'use strict'; function * gen() {}", Some("gen")),
            ("malfunction(); function $x(){}", Some("$x")),
            ("(function () {})", None),
            ("var x = 1;", None),
        ] {
            assert_eq!(first_function(text), name, "{text}");
        }
    }
}
