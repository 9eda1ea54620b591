//! From the text of a script to its function.
//!
//! Owns the two forms of a script: one function (declared, anonymous or an arrow), or a program whose first declared
//! function is the script. Compiling runs nothing of the text; code outside of the function runs when the function is
//! made of it, in the run itself. The places in error messages are those of the stored text.

use engine::script_runtime::ScriptSource;
use rquickjs::context::EvalOptions;
use rquickjs::{Array, Ctx, Exception, Function, Module, Value};

/// What precedes the text of a script on its first line, in bytes: `(()=>(` or `(()=>{`.
pub(super) const PREFIX_BYTES: usize = 6;

/// Compiles scripts and keeps them in the realm, outside of every object that a script can reach.
pub(crate) fn compile_all(ctx: &Ctx<'_>, sources: &[ScriptSource]) -> rquickjs::Result<()> {
    let list = Array::new(ctx.clone())?;
    for (place, source) in sources.iter().enumerate() {
        list.set(place, compile(ctx, source)?)?;
    }
    let _ = ctx.store_userdata(list);
    Ok(())
}

/// The functions of the compiled scripts, in their order. Code outside of them runs here.
pub(crate) fn instantiate_all(ctx: &Ctx<'_>, sources: &[ScriptSource]) -> rquickjs::Result<()> {
    for (place, source) in sources.iter().enumerate() {
        let compiled: Function<'_> = script(ctx, place)?;
        let value: Value<'_> = compiled.call(())?;
        if !value.is_function() {
            let message = format!("The script '{}' is not a function.", source.name);
            let error = Exception::from_message(ctx.clone(), &message)?;
            return Err(ctx.throw(error.into_value()));
        }
        if let Some(list) = ctx.userdata::<Array<'_>>() {
            list.set(place, value)?;
        }
    }
    Ok(())
}

/// The script at a place: compiled, and its function once it was instantiated.
pub(crate) fn script<'js>(ctx: &Ctx<'js>, place: usize) -> rquickjs::Result<Function<'js>> {
    match ctx.userdata::<Array<'js>>() {
        Some(list) => list.get(place),
        None => Err(rquickjs::Error::Unknown),
    }
}

/// Compiles scripts that are provably nothing but an expression, so that compiling them runs nothing of them.
///
/// The text is compiled between two kinds of brackets, the first time as a module, which runs nothing at all. A text
/// that closes a bracket it has not opened can fit one of them only: what was then compiled between parentheses has
/// not left them.
pub(super) fn compile_expressions(ctx: &Ctx<'_>, sources: &[ScriptSource]) -> rquickjs::Result<()> {
    for source in sources {
        let text = &source.text;
        // Comments in a script, and operators in a module: both must read the same tokens.
        if text.contains("<!--") || text.contains("-->") {
            return Err(rquickjs::Error::Unknown);
        }
        Module::declare(ctx.clone(), source.name.as_str(), format!("(()=>[{text}\n])"))?;
    }
    compile_all(ctx, sources)
}

/// A function that evaluates to the script.
fn compile<'js>(ctx: &Ctx<'js>, source: &ScriptSource) -> rquickjs::Result<Function<'js>> {
    let filename = format!("{}.js", source.name);
    let evaluate = |text: String| {
        let mut options = named(&filename);
        // A script chooses strict mode by itself.
        options.strict = false;
        ctx.eval_with_options::<Function<'js>, _>(text, options)
    };
    let text = &source.text;
    match evaluate(format!("(()=>({text}\n))")) {
        Err(error) if error.is_exception() => match first_function(text) {
            Some(name) => {
                let _ = ctx.catch();
                evaluate(format!("(()=>{{{text}\n; return {name}; }})"))
            }
            None => Err(error),
        },
        compiled => compiled,
    }
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
