//! DOCUMENTID: the number of an item in its partition.
//!
//! Reads it from `_rid`. Does not own how resource ids are built: see `model`.

use model::ResourceId;

use crate::function::declaration::{Function, FunctionFamily, IndexUse, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(FunctionFamily::Item, "DOCUMENTID", |arguments, _| {
        arguments.first().and_then(ordinal).into()
    })
    .required(&["item"])
    .index_use(IndexUse::Range)
    .returns(
        ReturnKind::Integer,
        "The number of an item inside its physical partition, taken from its resource id.",
    )
    .examples(&[
        example(r#"{"_rid": "36ZyAPW+uN8NAAAAAAAAAA=="}"#, "13"),
        example(r#"{"_rid": "x"}"#, "undefined"),
        example("{}", "undefined"),
    ])];

fn ordinal(item: &Value) -> Option<i64> {
    let rid = ResourceId::parse(item.property("_rid").as_str()?).ok()?;
    i64::try_from(rid.ordinal()?).ok()
}
