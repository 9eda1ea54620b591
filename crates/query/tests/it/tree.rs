//! Random trees in the canonical form of the parser.

use proptest::prelude::*;
use query::ast::{
    BinaryOperator, ConditionalBranch, Count, CountKind, FromClause, Identifier, Literal,
    MemberStep, Negation, ObjectMember, OffsetLimit, OrderBy, OrderDirection, OrderItem, QueryTree,
    Scalar, ScalarKind, Select, SelectItem, Selection, SortOrder, Source, SourceForm, SourcePath,
    SourceRoot, SourceStep, Span, SubqueryKind, Top, UnaryOperator,
};

fn scalar_of(kind: ScalarKind) -> Scalar {
    Scalar::new(kind, Span::default())
}

/// Names that are neither reserved nor contextual.
fn identifier() -> impl Strategy<Value = String> {
    "[a-z_][a-z0-9_]{0,5}".prop_map(|name| format!("x{name}"))
}

fn name() -> impl Strategy<Value = Identifier> {
    identifier().prop_map(Identifier::new)
}

fn any_name() -> impl Strategy<Value = Identifier> {
    prop_oneof![identifier(), "\\PC{0,6}", Just("order".to_owned())].prop_map(Identifier::new)
}

fn literal() -> impl Strategy<Value = Literal> {
    prop_oneof![
        Just(Literal::Undefined),
        Just(Literal::Null),
        any::<bool>().prop_map(Literal::Bool),
        any::<i64>().prop_map(Literal::Integer),
        (-9i64..9).prop_map(Literal::Integer),
        // Through the text, so that the number has the parser's canonical form.
        any::<f64>().prop_map(|value| match value {
            -9_223_372_036_854_775_808.0 => Literal::Integer(i64::MIN),
            value => Literal::double(value),
        }),
        any::<String>().prop_map(Literal::String),
    ]
}

fn binary_operator() -> impl Strategy<Value = BinaryOperator> {
    prop::sample::select(vec![
        BinaryOperator::Or,
        BinaryOperator::And,
        BinaryOperator::Equal,
        BinaryOperator::NotEqual,
        BinaryOperator::Less,
        BinaryOperator::LessOrEqual,
        BinaryOperator::Greater,
        BinaryOperator::GreaterOrEqual,
        BinaryOperator::ShiftLeft,
        BinaryOperator::ShiftRight,
        BinaryOperator::ShiftRightUnsigned,
        BinaryOperator::Concatenate,
        BinaryOperator::BitwiseOr,
        BinaryOperator::BitwiseXor,
        BinaryOperator::BitwiseAnd,
        BinaryOperator::Add,
        BinaryOperator::Subtract,
        BinaryOperator::Multiply,
        BinaryOperator::Divide,
        BinaryOperator::Modulo,
    ])
}

fn unary_operator() -> impl Strategy<Value = UnaryOperator> {
    prop::sample::select(vec![
        UnaryOperator::Not,
        UnaryOperator::Minus,
        UnaryOperator::Plus,
        UnaryOperator::BitwiseNot,
    ])
}

fn negation() -> impl Strategy<Value = Negation> {
    prop::sample::select(vec![Negation::Plain, Negation::Negated])
}

fn leaf() -> impl Strategy<Value = Scalar> {
    prop_oneof![
        literal().prop_map(ScalarKind::Literal),
        identifier().prop_map(|name| ScalarKind::Parameter(format!("@{name}"))),
        identifier().prop_map(ScalarKind::Identifier),
    ]
    .prop_map(scalar_of)
}

pub(crate) fn scalar() -> impl Strategy<Value = Scalar> {
    leaf().prop_recursive(4, 32, 4, |inner| {
        let scalar = inner.boxed();
        prop_oneof![operators(scalar.clone()), tests(&scalar), constructors(&scalar)]
    })
}

/// Operators, through the constructors that keep trees canonical.
fn operators(scalar: BoxedStrategy<Scalar>) -> BoxedStrategy<Scalar> {
    let step = prop_oneof![
        name().prop_map(MemberStep::Property),
        scalar.clone().prop_map(MemberStep::Index),
    ];
    let branch = (scalar.clone(), scalar.clone())
        .prop_map(|(condition, value)| ConditionalBranch { condition, value });
    prop_oneof![
        (unary_operator(), scalar.clone()).prop_map(|(operator, operand)| Scalar::unary(
            operator,
            operand,
            Span::default()
        )),
        (scalar.clone(), prop::collection::vec((binary_operator(), scalar.clone()), 1..4))
            .prop_map(|(first, rest)| {
                rest.into_iter()
                    .fold(first, |left, (operator, right)| Scalar::binary(left, operator, right))
            }),
        prop::collection::vec(scalar.clone(), 2..12)
            .prop_map(|operands| Scalar::coalesce(operands, Span::default())),
        (prop::collection::vec(branch, 1..10), scalar.clone()).prop_map(|(branches, otherwise)| {
            Scalar::conditional(branches, otherwise, Span::default())
        }),
        (scalar, prop::collection::vec(step, 1..4)).prop_map(|(target, steps)| {
            steps
                .into_iter()
                .fold(target, |target, step| Scalar::member(target, step, Span::default()))
        }),
    ]
    .boxed()
}

fn tests(scalar: &BoxedStrategy<Scalar>) -> BoxedStrategy<Scalar> {
    let boxed = || scalar.clone().prop_map(Box::new);
    prop_oneof![
        (negation(), boxed(), boxed(), boxed()).prop_map(|(negation, value, low, high)| {
            ScalarKind::Between { negation, value, low, high }
        }),
        (negation(), boxed(), prop::collection::vec(scalar.clone(), 1..4))
            .prop_map(|(negation, value, list)| ScalarKind::In { negation, value, list }),
        (negation(), boxed(), boxed(), prop::option::of(any::<char>())).prop_map(
            |(negation, value, pattern, escape)| {
                ScalarKind::Like { negation, value, pattern, escape }
            }
        ),
    ]
    .prop_map(scalar_of)
    .boxed()
}

fn constructors(scalar: &BoxedStrategy<Scalar>) -> BoxedStrategy<Scalar> {
    let member =
        (any_name(), scalar.clone()).prop_map(|(name, value)| ObjectMember { name, value });
    let list = || prop::collection::vec(scalar.clone(), 0..4);
    let kind = prop::sample::select(vec![
        SubqueryKind::Scalar,
        SubqueryKind::Exists,
        SubqueryKind::Array,
        SubqueryKind::All,
        SubqueryKind::First,
        SubqueryKind::Last,
    ]);
    prop_oneof![
        prop::collection::vec(member, 0..4).prop_map(ScalarKind::Object),
        list().prop_map(ScalarKind::Array),
        (name(), list()).prop_map(|(function, arguments)| ScalarKind::Call { function, arguments }),
        (name(), list())
            .prop_map(|(function, arguments)| ScalarKind::UdfCall { function, arguments }),
        (kind, query_over(scalar.clone()).prop_map(Box::new))
            .prop_map(|(kind, query)| ScalarKind::Subquery { kind, query }),
    ]
    .prop_map(scalar_of)
    .boxed()
}

pub(crate) fn query() -> impl Strategy<Value = QueryTree> {
    query_over(scalar().boxed())
}

fn query_over(scalar: BoxedStrategy<Scalar>) -> BoxedStrategy<QueryTree> {
    (
        select(scalar.clone()),
        prop::option::of(from(scalar.clone())),
        prop::option::of(scalar.clone()),
        prop::collection::vec(scalar.clone(), 0..3),
        prop::option::of(order_by(scalar)),
        prop::option::of(offset_limit()),
    )
        .prop_map(|(select, from, filter, group_by, order_by, offset_limit)| QueryTree {
            select,
            from,
            filter,
            group_by,
            order_by,
            offset_limit,
            span: Span::default(),
        })
        .boxed()
}

fn select(scalar: BoxedStrategy<Scalar>) -> BoxedStrategy<Select> {
    let item = (scalar.clone(), prop::option::of(any_name()))
        .prop_map(|(expression, alias)| SelectItem { expression, alias });
    let selection = prop_oneof![
        Just(Selection::Star(Span::default())),
        scalar.prop_map(|scalar| Selection::Value(Box::new(scalar))),
        prop::collection::vec(item, 1..4).prop_map(Selection::List),
    ];
    let top = prop::option::of(count().prop_map(|count| Top { count, span: Span::default() }));
    (any::<bool>(), top, selection)
        .prop_map(|(distinct, top, selection)| Select { distinct, top, selection })
        .boxed()
}

fn count() -> impl Strategy<Value = Count> {
    prop_oneof![
        (0..i64::MAX).prop_map(|count| CountKind::Number(Literal::Integer(count))),
        identifier().prop_map(|name| CountKind::Parameter(format!("@{name}"))),
    ]
    .prop_map(|kind| Count { kind, span: Span::default() })
}

fn offset_limit() -> impl Strategy<Value = OffsetLimit> {
    (count(), count()).prop_map(|(offset, limit)| OffsetLimit {
        offset,
        limit,
        span: Span::default(),
    })
}

fn order_by(scalar: BoxedStrategy<Scalar>) -> BoxedStrategy<OrderBy> {
    let direction = prop_oneof![
        "[aA][sS][cC]"
            .prop_map(|spelling| OrderDirection { order: SortOrder::Ascending, spelling }),
        "[dD][eE][sS][cC]"
            .prop_map(|spelling| OrderDirection { order: SortOrder::Descending, spelling }),
    ];
    let item = (scalar.clone(), prop::option::of(direction))
        .prop_map(|(expression, direction)| OrderItem { expression, direction });
    let score = (name(), prop::collection::vec(scalar, 0..3))
        .prop_map(|(function, arguments)| scalar_of(ScalarKind::Call { function, arguments }));
    prop_oneof![
        prop::collection::vec(item, 1..3).prop_map(|items| OrderBy::Items(items, Span::default())),
        prop::collection::vec(score, 1..3)
            .prop_map(|scores| OrderBy::Rank(scores, Span::default())),
    ]
    .boxed()
}

fn from(scalar: BoxedStrategy<Scalar>) -> BoxedStrategy<FromClause> {
    let inner = select(scalar).prop_map(|select| {
        let (from, filter, order_by, offset_limit) = (None, None, None, None);
        let (group_by, span) = (Vec::new(), Span::default());
        Box::new(QueryTree { select, from, filter, group_by, order_by, offset_limit, span })
    });
    let root = prop_oneof![
        3 => name().prop_map(SourceRoot::Name),
        1 => inner.prop_map(SourceRoot::Subquery),
    ];
    let step = prop_oneof![
        name().prop_map(SourceStep::Property),
        any_name().prop_map(SourceStep::Quoted),
        (0..i64::MAX).prop_map(SourceStep::Index),
    ];
    let form = prop_oneof![
        prop::option::of(name()).prop_map(SourceForm::Value),
        name().prop_map(SourceForm::Iterate),
    ];
    let source =
        (form, root, prop::collection::vec(step, 0..3)).prop_map(|(form, root, steps)| Source {
            form,
            path: SourcePath { root, steps, span: Span::default() },
            span: Span::default(),
        });
    (source.clone(), prop::collection::vec(source, 0..2))
        .prop_map(|(first, joins)| FromClause { first, joins })
        .boxed()
}
