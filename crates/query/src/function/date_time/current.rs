//! GETCURRENTDATETIME, GETCURRENTTICKS, GETCURRENTTIMESTAMP and their STATIC variants.
//!
//! Owns which time each returns: that of the row or that of the query. The context provides both.

use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};

const FAMILY: FunctionFamily = FunctionFamily::DateTime;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FAMILY, "GETCURRENTDATETIME", |_, context| context.now.to_string().into())
        .returns(ReturnKind::DateTime, "The current date and time, evaluated for every row.")
        .examples(&[example("", "\"2024-10-14T14:20:30.6668888Z\"")]),
    Function::scalar(FAMILY, "GETCURRENTDATETIMESTATIC", |_, context| {
        context.query_start.to_string().into()
    })
    .returns(
        ReturnKind::DateTime,
        "The date and time at which the query started, the same for all rows.",
    )
    .examples(&[example("", "\"2024-10-14T14:20:30.0000000Z\"")]),
    Function::scalar(FAMILY, "GETCURRENTTICKS", |_, context| context.now.ticks().into())
        .returns(
            ReturnKind::Integer,
            "The 100-nanosecond ticks since 1970, evaluated for every row.",
        )
        .examples(&[example("", "17289156306668888")]),
    Function::scalar(FAMILY, "GETCURRENTTICKSSTATIC", |_, context| {
        context.query_start.ticks().into()
    })
    .returns(
        ReturnKind::Integer,
        "The 100-nanosecond ticks since 1970 at which the query started, the same for all rows.",
    )
    .examples(&[example("", "17289156300000000")]),
    Function::scalar(FAMILY, "GETCURRENTTIMESTAMP", |_, context| context.now.milliseconds().into())
        .returns(ReturnKind::Integer, "The milliseconds since 1970, evaluated for every row.")
        .examples(&[example("", "1728915630666")]),
    Function::scalar(FAMILY, "GETCURRENTTIMESTAMPSTATIC", |_, context| {
        context.query_start.milliseconds().into()
    })
    .returns(
        ReturnKind::Integer,
        "The milliseconds since 1970 at which the query started, the same for all rows.",
    )
    .examples(&[example("", "1728915630000")]),
];
