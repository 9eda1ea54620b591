//! The functions of the language that are used in names and lists of names. Any other is an error.

use hcl::Value;
use hcl::eval::{Context, FuncArgs, FuncDef, ParamType};

/// Declares the functions.
pub(super) fn declare(context: &mut Context<'_>) {
    let one = |function, param| FuncDef::builder().param(param).build(function);
    let many = |function| FuncDef::builder().variadic_param(ParamType::Any).build(function);
    // The evaluator has only lists and objects. Duplicates stay in a set; the builder refuses the name they declare
    // twice.
    for name in ["tolist", "toset", "tomap"] {
        context.declare_func(name, one(unchanged, ParamType::Any));
    }
    context.declare_func("lower", one(lower, ParamType::String));
    context.declare_func("upper", one(upper, ParamType::String));
    context.declare_func("join", many(join));
    context.declare_func("concat", many(concat));
    context.declare_func("format", many(format));
}

#[expect(clippy::needless_pass_by_value, reason = "the signature is the library's")]
fn unchanged(arguments: FuncArgs) -> Result<Value, String> {
    arguments.first().cloned().ok_or_else(|| "it takes one value".to_owned())
}

#[expect(clippy::needless_pass_by_value, reason = "the signature is the library's")]
fn lower(arguments: FuncArgs) -> Result<Value, String> {
    Ok(Value::from(text_at(&arguments, 0)?.to_lowercase()))
}

#[expect(clippy::needless_pass_by_value, reason = "the signature is the library's")]
fn upper(arguments: FuncArgs) -> Result<Value, String> {
    Ok(Value::from(text_at(&arguments, 0)?.to_uppercase()))
}

#[expect(clippy::needless_pass_by_value, reason = "the signature is the library's")]
fn join(arguments: FuncArgs) -> Result<Value, String> {
    let separator = text_at(&arguments, 0)?;
    let lists = arguments.iter().skip(1).flat_map(|list| list.as_array().into_iter().flatten());
    let texts = lists.map(text_of).collect::<Result<Vec<_>, _>>()?;
    Ok(Value::from(texts.join(&separator)))
}

#[expect(clippy::needless_pass_by_value, reason = "the signature is the library's")]
fn concat(arguments: FuncArgs) -> Result<Value, String> {
    let mut all = Vec::new();
    for list in arguments.iter() {
        let list = list.as_array().ok_or_else(|| format!("{list} is no list"))?;
        all.extend(list.iter().cloned());
    }
    Ok(Value::Array(all))
}

/// `%s`, `%d`, `%v` and `%%`.
#[expect(clippy::needless_pass_by_value, reason = "the signature is the library's")]
fn format(arguments: FuncArgs) -> Result<Value, String> {
    let pattern = text_at(&arguments, 0)?;
    let mut values = arguments.iter().skip(1);
    let mut text = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            text.push(letter);
            continue;
        }
        match letters.next() {
            Some('%') => text.push('%'),
            Some('s' | 'd' | 'v') => {
                let value = values.next().ok_or("it has fewer values than places")?;
                text.push_str(&text_of(value)?);
            }
            // Refused instead of ignored: a wrong name of a container would be created silently.
            other => return Err(format!("the verb %{} is unknown", other.unwrap_or(' '))),
        }
    }
    Ok(Value::from(text))
}

fn text_at(arguments: &FuncArgs, place: usize) -> Result<String, String> {
    text_of(arguments.get(place).ok_or("a value is missing")?)
}

/// A text; a number or boolean is converted as Terraform does.
pub(super) fn text_of(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(value) => Ok(value.to_string()),
        other => Err(format!("{other} is no text")),
    }
}
