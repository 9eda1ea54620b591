//! GETCURRENTDATETIME, GETCURRENTTICKS, GETCURRENTTIMESTAMP and their STATIC twins.
//!
//! Owns which time each gives: the row's, or the query's. Does not own the time: the context carries both.

use crate::function::declaration::{Family, Function, ReturnKind, call};

const FAMILY: Family = Family::DateTime;

pub(in crate::function) const FUNCTIONS: &[Function] = &[
    Function::scalar(FAMILY, "GETCURRENTDATETIME", |_, context| context.now.to_string().into())
        .gives(ReturnKind::DateTime, "The current date and time, anew for every row.")
        .examples(&[call("", "\"2024-10-14T14:20:30.6668888Z\"")]),
    Function::scalar(FAMILY, "GETCURRENTDATETIMESTATIC", |_, context| {
        context.query_start.to_string().into()
    })
    .gives(ReturnKind::DateTime, "The date and time the query began at, the same for all rows.")
    .examples(&[call("", "\"2024-10-14T14:20:30.0000000Z\"")]),
    Function::scalar(FAMILY, "GETCURRENTTICKS", |_, context| context.now.ticks().into())
        .gives(ReturnKind::Integer, "The 100-nanosecond ticks since 1970, anew for every row.")
        .examples(&[call("", "17289156306668888")]),
    Function::scalar(FAMILY, "GETCURRENTTICKSSTATIC", |_, context| {
        context.query_start.ticks().into()
    })
    .gives(
        ReturnKind::Integer,
        "The 100-nanosecond ticks since 1970 at which the query began, the same for all rows.",
    )
    .examples(&[call("", "17289156300000000")]),
    Function::scalar(FAMILY, "GETCURRENTTIMESTAMP", |_, context| context.now.milliseconds().into())
        .gives(ReturnKind::Integer, "The milliseconds since 1970, anew for every row.")
        .examples(&[call("", "1728915630666")]),
    Function::scalar(FAMILY, "GETCURRENTTIMESTAMPSTATIC", |_, context| {
        context.query_start.milliseconds().into()
    })
    .gives(
        ReturnKind::Integer,
        "The milliseconds since 1970 at which the query began, the same for all rows.",
    )
    .examples(&[call("", "1728915630000")]),
];
