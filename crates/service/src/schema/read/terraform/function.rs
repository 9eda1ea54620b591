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
    for (name, function) in COLLECTIONS {
        context.declare_func(*name, many(*function));
    }
}

type TerraformFunction = fn(FuncArgs) -> Result<Value, String>;

/// Functions over lists and maps, by name.
const COLLECTIONS: &[(&str, TerraformFunction)] = &[
    ("merge", |arguments| {
        let mut all = hcl::Map::new();
        for map in arguments.iter() {
            let map = map.as_object().ok_or_else(|| format!("{map} is no map"))?;
            all.extend(map.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        Ok(Value::Object(all))
    }),
    ("keys", |arguments| {
        let map = map_at(&arguments, 0)?;
        let mut names: Vec<&String> = map.keys().collect();
        names.sort();
        Ok(Value::Array(names.into_iter().map(|name| Value::from(name.as_str())).collect()))
    }),
    ("values", |arguments| {
        let map = map_at(&arguments, 0)?;
        let mut pairs: Vec<_> = map.iter().collect();
        pairs.sort_by_key(|(name, _)| *name);
        Ok(Value::Array(pairs.into_iter().map(|(_, value)| value.clone()).collect()))
    }),
    ("lookup", |arguments| {
        let (map, name) = (map_at(&arguments, 0)?, text_at(&arguments, 1)?);
        let found = map.get(&name).or_else(|| arguments.get(2));
        found.cloned().ok_or_else(|| format!("the map has no '{name}'"))
    }),
    ("length", |arguments| {
        let count = match arguments.first() {
            Some(Value::Array(list)) => list.len(),
            Some(Value::Object(map)) => map.len(),
            Some(Value::String(text)) => text.chars().count(),
            _ => return Err("it takes a list, a map or a text".to_owned()),
        };
        Ok(Value::from(count))
    }),
    ("flatten", |arguments| Ok(Value::Array(flat(list_at(&arguments, 0)?)))),
    ("distinct", |arguments| {
        let mut all: Vec<Value> = Vec::new();
        for value in list_at(&arguments, 0)? {
            if !all.contains(value) {
                all.push(value.clone());
            }
        }
        Ok(Value::Array(all))
    }),
    ("compact", |arguments| {
        let is_given = |value: &&Value| **value != Value::Null && **value != Value::from("");
        Ok(Value::Array(list_at(&arguments, 0)?.iter().filter(is_given).cloned().collect()))
    }),
    ("contains", |arguments| {
        let sought = arguments.get(1).ok_or("a value is missing")?;
        Ok(Value::from(list_at(&arguments, 0)?.contains(sought)))
    }),
    ("element", |arguments| {
        let list = list_at(&arguments, 0)?;
        let index = arguments.get(1).and_then(Value::as_u64).ok_or("it takes a position")?;
        let index = usize::try_from(index).unwrap_or_default().checked_rem(list.len());
        let found = index.and_then(|index| list.get(index));
        found.cloned().ok_or_else(|| "the list is empty".to_owned())
    }),
    ("coalesce", |arguments| {
        let is_given = |value: &&Value| **value != Value::Null && **value != Value::from("");
        let found = arguments.iter().find(is_given);
        found.cloned().ok_or_else(|| "no value is given".to_owned())
    }),
    ("split", |arguments| {
        let (at, text) = (text_at(&arguments, 0)?, text_at(&arguments, 1)?);
        Ok(Value::Array(text.split(at.as_str()).map(Value::from).collect()))
    }),
    ("replace", |arguments| {
        let (text, from) = (text_at(&arguments, 0)?, text_at(&arguments, 1)?);
        Ok(Value::from(text.replace(&from, &text_at(&arguments, 2)?)))
    }),
    ("trimspace", |arguments| Ok(Value::from(text_at(&arguments, 0)?.trim()))),
    ("tostring", |arguments| Ok(Value::from(text_at(&arguments, 0)?))),
    ("tonumber", |arguments| {
        let text = text_at(&arguments, 0)?;
        text.parse::<i64>().map(Value::from).map_err(|_| format!("'{text}' is no whole number"))
    }),
    ("file", |arguments| {
        let path = text_at(&arguments, 0)?;
        let text = std::fs::read_to_string(&path);
        text.map(Value::from).map_err(|error| format!("{path} cannot be read: {error}"))
    }),
    ("max", |arguments| largest(&arguments, false)),
    ("min", |arguments| largest(&arguments, true)),
];

fn list_at(arguments: &FuncArgs, place: usize) -> Result<&[Value], String> {
    match arguments.get(place) {
        Some(Value::Array(list)) => Ok(list),
        other => Err(format!("{} is no list", other.unwrap_or(&Value::Null))),
    }
}

fn map_at(arguments: &FuncArgs, place: usize) -> Result<&hcl::Map<String, Value>, String> {
    let given = arguments.get(place).ok_or("a value is missing")?;
    given.as_object().ok_or_else(|| format!("{given} is no map"))
}

fn flat(list: &[Value]) -> Vec<Value> {
    let each = list.iter().flat_map(|value| match value {
        Value::Array(inner) => flat(inner),
        other => vec![other.clone()],
    });
    each.collect()
}

fn largest(arguments: &FuncArgs, is_smallest: bool) -> Result<Value, String> {
    let numbers = arguments.iter().map(Value::as_i64).collect::<Option<Vec<i64>>>();
    let numbers = numbers.ok_or("it takes whole numbers")?;
    let found = if is_smallest { numbers.iter().min() } else { numbers.iter().max() };
    found.map(|found| Value::from(*found)).ok_or_else(|| "a value is missing".to_owned())
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
