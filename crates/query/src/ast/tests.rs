//! The canonical form of trees.

use super::*;

fn name(text: &str) -> Scalar {
    Scalar::new(ScalarKind::Identifier(text.to_owned()), Span::default())
}

#[test]
fn chains_of_one_level_are_flat_and_others_nest() {
    let both = Scalar::binary(name("a"), BinaryOperator::And, name("b"));
    let all = Scalar::binary(both, BinaryOperator::And, name("c"));
    assert!(matches!(&all.kind, ScalarKind::Chain { rest, .. } if rest.len() == 2));
    let either = Scalar::binary(all, BinaryOperator::Or, name("d"));
    assert!(matches!(&either.kind, ScalarKind::Chain { rest, .. } if rest.len() == 1));
}

#[test]
fn a_sign_before_a_number_is_part_of_it() {
    let number = |literal| Scalar::new(ScalarKind::Literal(literal), Span::default());
    let negated = |literal| match Scalar::unary(
        UnaryOperator::Minus,
        number(literal),
        Span::default(),
    )
    .kind
    {
        ScalarKind::Literal(literal) => literal,
        other => panic!("{other:?}"),
    };
    assert_eq!(negated(Literal::Integer(5)), Literal::Integer(-5));
    assert_eq!(negated(Literal::Double(9_223_372_036_854_775_808.0)), Literal::Integer(i64::MIN));
    assert_eq!(negated(Literal::Integer(i64::MIN)), Literal::Double(9_223_372_036_854_775_808.0));
    assert_eq!(negated(Literal::Double(f64::INFINITY)), Literal::Double(f64::NEG_INFINITY));
    assert_eq!(negated(Literal::Integer(0)), Literal::Integer(0));
}

#[test]
fn places_do_not_take_part_in_equality() {
    let elsewhere = Span(crate::TextLocation { start: 3, end: 4 });
    assert_eq!(Scalar::new(ScalarKind::Identifier("a".to_owned()), elsewhere), name("a"));
}
