//! The wire form of errors.

use super::*;

#[test]
fn a_coded_error_prints_severity_location_code_and_message_in_that_order() {
    let error = text::unknown_function(TextLocation { start: 7, end: 14 }, "BADFUNC");
    assert_eq!(
        to_json(&[error]).to_string(),
        concat!(
            r#"{"errors":[{"severity":"Error","location":{"start":7,"end":14},"code":"SC2005","#,
            r#""message":"'BADFUNC' is not a recognized built-in function name."}]}"#
        )
    );
}

#[test]
fn a_number_code_is_printed_without_quotes_and_without_location() {
    assert_eq!(
        to_json(&[text::order_by_expression()]).to_string(),
        concat!(
            r#"{"errors":[{"severity":"Error","code":2206,"message":"Unsupported ORDER BY clause. "#,
            r#"ORDER BY item expression could not be mapped to a document path."}]}"#
        )
    );
}

#[test]
fn refusals_are_bare_texts_under_a_capital_member() {
    assert_eq!(
        to_json(&[text::order_by_correlated()]).to_string(),
        r#"{"Errors":["Order-by over correlated collections is not supported."]}"#
    );
}

#[test]
fn coded_errors_hide_refusals() {
    let errors = [text::order_by_correlated(), text::order_by_expression()];
    assert!(!to_json(&errors).to_string().contains("correlated"));
}

#[test]
fn an_error_displays_code_place_and_sentence() {
    let error = text::syntax(TextLocation { start: 1, end: 2 }, "/");
    assert_eq!(error.to_string(), "SC1001 1..2: Syntax error, incorrect syntax near '/'.");
}
