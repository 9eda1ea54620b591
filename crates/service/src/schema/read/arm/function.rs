//! The functions of templates that depend on nothing but their arguments. Any other is unknown.

use model::{Json, Object};

type FunctionResult = Result<Json, String>;

/// Calls a function; `None` if it is not one of these.
pub(super) fn call(name: &str, arguments: &[Json]) -> Option<FunctionResult> {
    let one = || arguments.first().unwrap_or(&Json::Null);
    let text = |place: usize| text_at(name, arguments, place);
    Some(match name {
        "concat" if arguments.iter().all(|one| matches!(one, Json::Array(_))) => {
            let all = arguments.iter().filter_map(Json::as_array).flatten().cloned();
            Ok(Json::Array(all.collect()))
        }
        "concat" => Ok(Json::from(arguments.iter().map(plain).collect::<String>())),
        "format" => text(0).and_then(|it| format_text(it, arguments.get(1..).unwrap_or_default())),
        "tolower" => text(0).map(|text| Json::from(text.to_lowercase())),
        "toupper" => text(0).map(|text| Json::from(text.to_uppercase())),
        "trim" => text(0).map(|text| Json::from(text.trim())),
        "string" => Ok(Json::from(plain(one()))),
        "int" => whole_number(one()),
        "bool" => match plain(one()).to_ascii_lowercase().as_str() {
            "true" | "1" => Ok(Json::from(true)),
            "false" | "0" => Ok(Json::from(false)),
            other => Err(format!("bool() cannot read '{other}'")),
        },
        "json" => text(0).and_then(|text| {
            Json::parse(text.as_bytes()).map_err(|error| format!("json() cannot read it: {error}"))
        }),
        "equals" => Ok(Json::from(one() == arguments.get(1).unwrap_or(&Json::Null))),
        "not" => boolean(name, arguments, 0).map(|value| Json::from(!value)),
        "empty" => Ok(Json::from(length(one()) == Some(0) || *one() == Json::Null)),
        "length" => length(one())
            .map(|count| Json::from(i64::try_from(count).unwrap_or(i64::MAX)))
            .ok_or_else(|| format!("length() takes a list, a text or an object, not {}", one())),
        "contains" => contains(one(), arguments.get(1).unwrap_or(&Json::Null)),
        "createarray" | "array" => Ok(Json::Array(arguments.to_vec())),
        "createobject" => create_object(arguments),
        "union" => union(arguments),
        "range" => numbers_at(name, arguments).map(|(start, count)| {
            Json::Array((start..start.saturating_add(count)).map(Json::from).collect())
        }),
        "first" => item(one(), 0),
        "last" => item(one(), length(one()).unwrap_or_default().saturating_sub(1)),
        "split" => text(0).and_then(|whole| {
            text(1).map(|at| Json::Array(whole.split(at).map(Json::from).collect()))
        }),
        "join" => text(1).map(|with| {
            let parts: Vec<String> =
                one().as_array().unwrap_or_default().iter().map(plain).collect();
            Json::from(parts.join(with))
        }),
        "replace" => text(0).and_then(|whole| Ok(Json::from(whole.replace(text(1)?, text(2)?)))),
        "startswith" => text(0).and_then(|whole| {
            Ok(Json::from(whole.to_lowercase().starts_with(&text(1)?.to_lowercase())))
        }),
        "endswith" => text(0).and_then(|whole| {
            Ok(Json::from(whole.to_lowercase().ends_with(&text(1)?.to_lowercase())))
        }),
        "items" => items(one()),
        _ => return arithmetic(name, arguments),
    })
}

/// Calls a function over two numbers.
fn arithmetic(name: &str, arguments: &[Json]) -> Option<FunctionResult> {
    let numbers = || numbers_at(name, arguments);
    Some(match name {
        "add" => numbers().map(|(left, right)| Json::from(left.saturating_add(right))),
        "sub" => numbers().map(|(left, right)| Json::from(left.saturating_sub(right))),
        "mul" => numbers().map(|(left, right)| Json::from(left.saturating_mul(right))),
        "div" => numbers().and_then(|(left, right)| {
            left.checked_div(right).map(Json::from).ok_or_else(|| "div() by zero".to_owned())
        }),
        "mod" => numbers().and_then(|(left, right)| {
            left.checked_rem(right).map(Json::from).ok_or_else(|| "mod() by zero".to_owned())
        }),
        "min" => numbers().map(|(left, right)| Json::from(left.min(right))),
        "max" => numbers().map(|(left, right)| Json::from(left.max(right))),
        "greater" => numbers().map(|(left, right)| Json::from(left > right)),
        "greaterorequals" => numbers().map(|(left, right)| Json::from(left >= right)),
        "less" => numbers().map(|(left, right)| Json::from(left < right)),
        "lessorequals" => numbers().map(|(left, right)| Json::from(left <= right)),
        _ => return None,
    })
}

pub(super) fn text_at<'a>(name: &str, values: &'a [Json], place: usize) -> Result<&'a str, String> {
    values.get(place).and_then(Json::as_str).ok_or_else(|| format!("{name}() takes a text"))
}

fn numbers_at(name: &str, arguments: &[Json]) -> Result<(i64, i64), String> {
    let number = |place: usize| arguments.get(place).and_then(Json::as_i64);
    number(0).zip(number(1)).ok_or_else(|| format!("{name}() takes two numbers"))
}

pub(super) fn boolean(name: &str, arguments: &[Json], place: usize) -> Result<bool, String> {
    let given = arguments.get(place).and_then(Json::as_bool);
    given.ok_or_else(|| format!("{name}() takes true or false"))
}

fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

fn whole_number(value: &Json) -> FunctionResult {
    let number = match value {
        Json::Number(number) => number.as_i64(),
        value => plain(value).trim().parse().ok(),
    };
    number.map(Json::from).ok_or_else(|| format!("int() cannot read {value}"))
}

fn length(value: &Json) -> Option<usize> {
    match value {
        Json::Array(values) => Some(values.len()),
        Json::Object(object) => Some(object.iter().count()),
        Json::String(text) => Some(text.chars().count()),
        _ => None,
    }
}

fn contains(whole: &Json, part: &Json) -> FunctionResult {
    match (whole, part.as_str()) {
        (Json::Array(values), _) => Ok(Json::from(values.contains(part))),
        // The names of an object are compared without case, as Azure does.
        (Json::Object(object), Some(name)) => {
            Ok(Json::from(object.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))))
        }
        (Json::String(text), Some(part)) => Ok(Json::from(text.contains(part))),
        _ => Err(format!("contains() cannot look for {part} in {whole}")),
    }
}

fn create_object(arguments: &[Json]) -> FunctionResult {
    let mut object = Object::new();
    for pair in arguments.chunks(2) {
        match pair {
            [Json::String(name), value] => object.insert(name.as_str(), value.clone()),
            _ => return Err("createObject() takes names and values in turn".to_owned()),
        };
    }
    Ok(Json::Object(object))
}

fn union(arguments: &[Json]) -> FunctionResult {
    if arguments.iter().all(|one| matches!(one, Json::Array(_))) {
        let mut all: Vec<Json> = Vec::new();
        for value in arguments.iter().filter_map(Json::as_array).flatten() {
            if !all.contains(value) {
                all.push(value.clone());
            }
        }
        return Ok(Json::Array(all));
    }
    let mut all = Object::new();
    for one in arguments {
        let object = one.as_object().ok_or("union() takes lists only, or objects only")?;
        for (name, value) in object.iter() {
            let merged = match (all.get(name), value) {
                (Some(known @ Json::Object(_)), Json::Object(_)) => {
                    union(&[known.clone(), value.clone()])?
                }
                _ => value.clone(),
            };
            all.insert(name, merged);
        }
    }
    Ok(Json::Object(all))
}

fn item(values: &Json, place: usize) -> FunctionResult {
    match values {
        Json::String(text) => {
            Ok(Json::from(text.chars().nth(place).map(String::from).unwrap_or_default()))
        }
        values => {
            let found = values.as_array().and_then(|values| values.get(place));
            found.cloned().ok_or_else(|| format!("{values} has no such element"))
        }
    }
}

/// The members of an object as a list of `{key, value}`, by name.
fn items(object: &Json) -> FunctionResult {
    let object =
        object.as_object().ok_or_else(|| format!("items() takes an object, not {object}"))?;
    let mut members: Vec<(&str, &Json)> = object.iter().collect();
    members.sort_by_key(|(name, _)| name.to_lowercase());
    let members = members.into_iter().map(|(name, value)| {
        let mut item = Object::new();
        item.insert("key", name);
        item.insert("value", value.clone());
        Json::Object(item)
    });
    Ok(Json::Array(members.collect()))
}

/// Replaces `{0}` and so on in a text.
fn format_text(pattern: &str, values: &[Json]) -> FunctionResult {
    let mut text = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let (number, after) = after.split_once('}').ok_or("format() has a '{' without its '}'")?;
        let value = number.parse::<usize>().ok().and_then(|place| values.get(place));
        let value = value.ok_or_else(|| format!("format() has no value for {{{number}}}"))?;
        text.push_str(&plain(value));
        rest = after;
    }
    text.push_str(rest);
    Ok(Json::from(text))
}

/// Whether a function puts its arguments into a text, so that an unknown part stays inside of it.
pub(super) fn keeps_unknown_parts(name: &str) -> bool {
    matches!(name, "concat" | "format" | "createobject" | "createarray" | "array")
}
