//! Tests of values beyond one file.

mod compare;
mod operate;
mod print;
