//! Bound expression to formula.
//!
//! Owns the translation of each form; arrays and objects of constants become constants. Does not change the meaning of
//! an expression, and evaluates nothing that could fail.

use std::sync::Arc;

use model::VectorEmbeddingPolicy;

use super::SlotPaths;
use super::call::FunctionCall;
use super::form::Formula;
use super::like::Like;
use super::membership::Membership;
use super::subquery::Subquery;
use crate::bind::{BoundQuery, Expression};
use crate::function::{FunctionBody, ScalarFunction, lookup};
use crate::value::Value;

/// The context in which expressions of a query are prepared.
#[derive(Clone)]
pub(crate) struct Preparation<'query> {
    /// The paths of the slots in scope.
    pub(crate) slot_paths: SlotPaths,
    /// The container's vector policy: it decides which sort order is nearest first.
    pub(crate) vector_embeddings: &'query VectorEmbeddingPolicy,
    /// Prepares a query inside an expression. Passed in, because running queries is the business of `operator`, which
    /// depends on this module.
    prepare_subquery: PrepareSubquery,
}

/// Prepares a query inside an expression for running.
type PrepareSubquery = fn(&BoundQuery, &Preparation<'_>) -> Box<dyn Subquery>;

impl<'query> Preparation<'query> {
    pub(crate) fn new(
        vector_embeddings: &'query VectorEmbeddingPolicy,
        prepare_subquery: PrepareSubquery,
    ) -> Self {
        Self { slot_paths: SlotPaths::default(), vector_embeddings, prepare_subquery }
    }

    pub(crate) fn formula(&self, expression: &Expression) -> Formula {
        match expression {
            Expression::Literal(literal) => Formula::Constant(Value::from(literal)),
            Expression::Parameter(json) => Formula::Constant(Value::from(json)),
            Expression::Input(slot) => Formula::Input(*slot),
            Expression::GroupKey(index) => Formula::GroupKey(*index),
            Expression::Aggregate(index) => Formula::Aggregate(*index),
            Expression::Member { target, steps } => {
                Formula::Member { target: self.boxed(target), steps: steps.clone() }
            }
            Expression::Object(members) => self.object(members),
            Expression::Array(elements) => self.array(elements),
            Expression::Call { function, arguments } => self.call(function, arguments),
            Expression::UdfCall { function, arguments } => {
                Formula::UdfCall { function: function.clone(), arguments: self.formulas(arguments) }
            }
            Expression::Subquery { kind, query } => {
                Formula::Subquery { kind: *kind, query: (self.prepare_subquery)(query, self) }
            }
            _ => self.operator(expression),
        }
    }

    /// Prepares the forms with operators.
    fn operator(&self, expression: &Expression) -> Formula {
        match expression {
            Expression::Unary { operator, operand } => {
                Formula::Unary { operator: *operator, operand: self.boxed(operand) }
            }
            Expression::Chain { first, rest } => {
                let right = rest.iter().map(|(operator, right)| (*operator, self.formula(right)));
                Formula::Chain { first: self.boxed(first), rest: right.collect() }
            }
            Expression::Coalesce(operands) => Formula::Coalesce(self.formulas(operands)),
            Expression::Conditional { branches, otherwise } => {
                let branches = branches
                    .iter()
                    .map(|(condition, value)| (self.formula(condition), self.formula(value)));
                let branches = branches.collect();
                Formula::Conditional { branches, otherwise: self.boxed(otherwise) }
            }
            Expression::Between { negation, value, low, high } => Formula::Between {
                negation: *negation,
                value: self.boxed(value),
                low: self.boxed(low),
                high: self.boxed(high),
            },
            Expression::In { negation, value, list } => {
                let (value, list) = (self.formula(value), self.formulas(list));
                Formula::In(Box::new(Membership::new(*negation, value, list)))
            }
            Expression::Like { negation, value, pattern, escape } => {
                let (value, pattern) = (self.formula(value), self.formula(pattern));
                Formula::Like(Box::new(Like::new(*negation, value, pattern, *escape)))
            }
            // Not reached: `formula` handles all forms without an operator.
            _ => Formula::Constant(Value::Undefined),
        }
    }

    pub(crate) fn formulas(&self, expressions: &[Expression]) -> Vec<Formula> {
        expressions.iter().map(|expression| self.formula(expression)).collect()
    }

    fn boxed(&self, expression: &Expression) -> Box<Formula> {
        Box::new(self.formula(expression))
    }

    fn array(&self, elements: &[Expression]) -> Formula {
        let elements = self.formulas(elements);
        let constants: Option<Vec<Value>> =
            elements.iter().map(|element| element.constant().cloned()).collect();
        match constants {
            Some(constants) => Formula::Constant(Value::array(constants)),
            None => Formula::Array(elements),
        }
    }

    fn object(&self, members: &[(String, Expression)]) -> Formula {
        let members: Vec<(Arc<str>, Formula)> = members
            .iter()
            .map(|(name, value)| (name.as_str().into(), self.formula(value)))
            .collect();
        let constants: Option<Vec<(Arc<str>, Value)>> = members
            .iter()
            .map(|(name, value)| Some((name.clone(), value.constant()?.clone())))
            .collect();
        match constants {
            Some(constants) => Formula::Constant(Value::object(constants)),
            None => Formula::Object(members),
        }
    }

    fn call(&self, name: &'static str, arguments: &[Expression]) -> Formula {
        match lookup(name).map(|function| function.body) {
            Some(FunctionBody::Scalar(function)) => self.function_call(function, arguments),
            _ => Formula::Planned(name),
        }
    }

    /// Prepares a call of a function, which need not be registered under a name.
    pub(crate) fn function_call(
        &self,
        function: ScalarFunction,
        arguments: &[Expression],
    ) -> Formula {
        let paths: Vec<_> =
            arguments.iter().map(|argument| self.slot_paths.path(argument)).collect();
        // An empty list allocates nothing; most calls are over no property of the item or need no path.
        let paths = if paths.iter().any(Option::is_some) { paths } else { Vec::new() };
        Formula::Call(Box::new(FunctionCall {
            function,
            arguments: self.formulas(arguments),
            paths,
        }))
    }
}
