//! Expressions over rows of slots.

use crate::ast::BinaryOperator;
use crate::bind::{Expression, PathStep};
use crate::budget::BudgetError;
use crate::evaluate::{EvaluationContext, EvaluationError, UserFunctions};
use crate::function::UtcDateTime;
use crate::operator::PreparedExpression;
use crate::value::Value;

fn context() -> EvaluationContext {
    EvaluationContext::starting_at(UtcDateTime::from_milliseconds(0).unwrap())
}

fn integer(value: i64) -> Expression {
    Expression::Literal(crate::ast::Literal::Integer(value))
}

fn property(slot: usize, name: &str) -> Expression {
    let target = Box::new(Expression::Input(slot));
    Expression::Member { target, steps: vec![PathStep::Property(name.into())] }
}

fn evaluate(expression: &Expression, slots: &[Value]) -> Result<Value, EvaluationError> {
    PreparedExpression::new(expression).evaluate(slots, &context())
}

#[test]
fn slots_are_positions() {
    let slots = [Value::from(1), Value::object([("a", Value::from("x"))])];
    assert_eq!(evaluate(&Expression::Input(0), &slots), Ok(Value::from(1)));
    assert_eq!(evaluate(&property(1, "a"), &slots), Ok(Value::from("x")));
    assert_eq!(evaluate(&property(0, "a"), &slots), Ok(Value::Undefined));
    assert_eq!(evaluate(&Expression::Input(2), &slots), Ok(Value::Undefined));
    assert_eq!(evaluate(&property(2, "a"), &slots), Ok(Value::Undefined));
}

#[test]
fn outside_of_a_group_keys_and_results_are_undefined() {
    assert_eq!(evaluate(&Expression::GroupKey(0), &[]), Ok(Value::Undefined));
    assert_eq!(evaluate(&Expression::Aggregate(0), &[]), Ok(Value::Undefined));
}

#[test]
fn chains_of_every_level_are_walked_in_a_loop() {
    let sum = |operator: BinaryOperator, first: i64| Expression::Chain {
        first: Box::new(integer(first)),
        rest: (0..20_000).map(|_| (operator, integer(1))).collect(),
    };
    let small = std::thread::Builder::new().stack_size(256 << 10).spawn(move || {
        assert_eq!(evaluate(&sum(BinaryOperator::Add, 0), &[]), Ok(Value::from(20_000)));
        assert_eq!(evaluate(&sum(BinaryOperator::Multiply, 7), &[]), Ok(Value::from(7)));
        assert_eq!(evaluate(&sum(BinaryOperator::And, 1), &[]), Ok(Value::Undefined));
        assert_eq!(evaluate(&sum(BinaryOperator::Concatenate, 1), &[]), Ok(Value::Undefined));
        assert_eq!(evaluate(&sum(BinaryOperator::Equal, 1), &[]), Ok(Value::from(false)));
    });
    small.unwrap().join().unwrap();
}

#[test]
fn long_lists_coalesces_and_conditionals_are_walked_in_a_loop() {
    let undefined = || property(0, "nope");
    let coalesce = Expression::Coalesce((0..20_000).map(|_| undefined()).collect());
    assert_eq!(evaluate(&coalesce, &[]), Ok(Value::Undefined));
    let branches = (0..20_000).map(|_| (undefined(), integer(1))).collect();
    let conditional = Expression::Conditional { branches, otherwise: Box::new(integer(2)) };
    assert_eq!(evaluate(&conditional, &[]), Ok(Value::from(2)));
}

#[test]
fn a_long_text_is_joined_in_one_pass() {
    let text = |text: &str| Expression::Literal(crate::ast::Literal::String(text.into()));
    let chain = Expression::Chain {
        first: Box::new(text("")),
        rest: (0..20_000).map(|_| (BinaryOperator::Concatenate, text("0123456789"))).collect(),
    };
    let value = evaluate(&chain, &[]).unwrap();
    assert_eq!(value.as_str().map(str::len), Some(200_000));
}

#[test]
fn every_error_has_a_sentence_and_numbers_have_a_code() {
    let errors = [
        EvaluationError::ScalarSubqueryRows,
        EvaluationError::UnknownUserFunction("f".into()),
        EvaluationError::NotRepresentable,
        EvaluationError::Budget(BudgetError::HeldBytes { bytes_max: 1 }),
        EvaluationError::PlannedFunction("RRF"),
        EvaluationError::ItemText(model::Json::parse(b"{").unwrap_err()),
    ];
    for error in errors {
        let sentence = error.to_string();
        assert!(sentence.ends_with('.') && !sentence.contains("Error"), "{sentence}");
        let code = error.to_query_error().code;
        assert_eq!(
            code == crate::QueryErrorCode::Number(4001),
            error == EvaluationError::NotRepresentable
        );
    }
}

#[test]
fn user_functions_are_called_with_the_values_of_their_arguments() {
    struct Functions;
    impl UserFunctions for Functions {
        fn call(&self, name: &str, arguments: &[Value]) -> Result<Value, EvaluationError> {
            match name {
                "list" => Ok(Value::array(arguments.iter().cloned())),
                _ => Err(EvaluationError::UnknownUserFunction(name.to_owned())),
            }
        }
    }
    let context = EvaluationContext { user_functions: std::sync::Arc::new(Functions), ..context() };
    let call = |function: &str| Expression::UdfCall {
        function: function.into(),
        arguments: vec![integer(1), property(0, "nope"), integer(2)],
    };
    let list = PreparedExpression::new(&call("list")).evaluate(&[], &context);
    assert_eq!(list, Ok(Value::array([Value::from(1), Value::from(2)])));
    let unknown = PreparedExpression::new(&call("List")).evaluate(&[], &context);
    assert_eq!(unknown, Err(EvaluationError::UnknownUserFunction("List".into())));
}
