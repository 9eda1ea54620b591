//! Expressions.
//!
//! Owns parentheses: every operator has its own pair, so the precedence of operators never matters to a reader of the
//! text.

use super::Printer;
use super::number::significant_digits;
use crate::ast::{
    BinaryOperator, ConditionalBranch, Literal, Member, MemberStep, Negation, ObjectMember, Scalar,
    ScalarKind, SubqueryKind, UnaryOperator,
};

impl Printer {
    pub(super) fn scalar(&mut self, scalar: &Scalar) {
        match &scalar.kind {
            ScalarKind::Literal(literal) => self.literal(literal),
            ScalarKind::Parameter(name) | ScalarKind::Identifier(name) => self.push(name),
            ScalarKind::Member(member) => self.member(member),
            ScalarKind::Unary { operator, operand } => self.unary(*operator, operand),
            ScalarKind::Chain { first, rest } => self.chain(first, rest),
            ScalarKind::Coalesce(operands) => self.coalesce(operands),
            ScalarKind::Conditional { branches, otherwise } => {
                self.conditional(branches, otherwise);
            }
            ScalarKind::Between { negation, value, low, high } => {
                self.open_test(value, *negation, " BETWEEN ");
                self.scalar(low);
                self.push(" AND ");
                self.scalar(high);
                self.close(1);
            }
            ScalarKind::In { negation, value, list } => {
                self.open_test(value, *negation, " IN (");
                self.list(list, Self::scalar);
                self.push(")");
                self.close(1);
            }
            ScalarKind::Like { negation, value, pattern, escape } => {
                self.open_test(value, *negation, " LIKE ");
                self.scalar(pattern);
                if let Some(escape) = escape {
                    self.push(" ESCAPE ");
                    self.quoted(&escape.to_string());
                }
                self.close(1);
            }
            ScalarKind::Object(members) => {
                self.push("{");
                self.list(members, Self::object_member);
                self.push("}");
            }
            ScalarKind::Array(elements) => {
                self.push("[");
                self.list(elements, Self::scalar);
                self.push("]");
            }
            ScalarKind::Call { function, arguments } => self.call(&function.text, arguments),
            ScalarKind::UdfCall { function, arguments } => {
                self.push("udf.");
                self.call(&function.text, arguments);
            }
            ScalarKind::Subquery { kind, query } => {
                self.push(subquery_word(*kind));
                self.push("(");
                self.depth += 1;
                self.query(query);
                self.depth -= 1;
                self.push(")");
            }
        }
    }

    pub(super) fn literal(&mut self, literal: &Literal) {
        match literal {
            Literal::Undefined => self.push("undefined"),
            Literal::Null => self.push("null"),
            Literal::Bool(true) => self.push("true"),
            Literal::Bool(false) => self.push("false"),
            Literal::Integer(value) => self.push(&value.to_string()),
            Literal::Double(value) => self.push(&significant_digits(*value)),
            Literal::String(text) => self.quoted(text),
        }
    }

    fn member(&mut self, member: &Member) {
        // A number needs parentheses: in `1.a` the tokenizer would read the dot as part of the number.
        let is_number = matches!(
            member.target.kind,
            ScalarKind::Literal(Literal::Integer(_) | Literal::Double(_))
        );
        let pairs = usize::from(is_number);
        self.open(pairs);
        self.scalar(&member.target);
        self.close(pairs);
        for step in &member.steps {
            match step {
                MemberStep::Property(name) => {
                    self.push(".");
                    self.push(&name.text);
                }
                MemberStep::Index(index) => {
                    self.push("[");
                    self.scalar(index);
                    self.push("]");
                }
            }
        }
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Scalar) {
        self.open(1);
        self.push(match operator {
            UnaryOperator::Not => "NOT ",
            UnaryOperator::Minus => "-",
            UnaryOperator::Plus => "+",
            UnaryOperator::BitwiseNot => "~",
        });
        self.scalar(operand);
        self.close(1);
    }

    fn chain(&mut self, first: &Scalar, rest: &[(BinaryOperator, Scalar)]) {
        let is_nested = self.is_nested(rest.len());
        self.open(if is_nested { rest.len() } else { 1 });
        self.scalar(first);
        for (operator, operand) in rest {
            self.push(" ");
            self.push(operator.spelling());
            self.push(" ");
            self.scalar(operand);
            if is_nested {
                self.close(1);
            }
        }
        if !is_nested {
            self.close(1);
        }
    }

    fn coalesce(&mut self, operands: &[Scalar]) {
        let operators = operands.len().saturating_sub(1);
        let is_nested = self.is_nested(operators);
        let mut pairs = 0;
        for (index, operand) in operands.iter().enumerate() {
            if index > 0 {
                self.push(" ?? ");
            }
            if index == 0 || (is_nested && index < operators) {
                self.open(1);
                pairs += 1;
            }
            self.scalar(operand);
        }
        self.close(pairs);
    }

    fn conditional(&mut self, branches: &[ConditionalBranch], otherwise: &Scalar) {
        let is_nested = self.is_nested(branches.len());
        let mut pairs = 0;
        for (index, branch) in branches.iter().enumerate() {
            if index == 0 || is_nested {
                self.open(1);
                pairs += 1;
            }
            self.scalar(&branch.condition);
            self.push(" ? ");
            self.scalar(&branch.value);
            self.push(" : ");
        }
        self.scalar(otherwise);
        self.close(pairs);
    }

    /// Prints the start of BETWEEN, IN or LIKE.
    fn open_test(&mut self, value: &Scalar, negation: Negation, word: &str) {
        self.open(1);
        self.scalar(value);
        if negation == Negation::Negated {
            self.push(" NOT");
        }
        self.push(word);
    }

    fn object_member(&mut self, member: &ObjectMember) {
        self.quoted(&member.name.text);
        self.push(": ");
        self.scalar(&member.value);
    }

    fn call(&mut self, function: &str, arguments: &[Scalar]) {
        self.push(function);
        self.push("(");
        self.list(arguments, Self::scalar);
        self.push(")");
    }
}

/// The keyword before the parenthesis of a subquery.
fn subquery_word(kind: SubqueryKind) -> &'static str {
    match kind {
        SubqueryKind::Scalar => "",
        SubqueryKind::Exists => "EXISTS",
        SubqueryKind::Array => "ARRAY",
        SubqueryKind::All => "ALL",
        SubqueryKind::First => "FIRST",
        SubqueryKind::Last => "LAST",
    }
}
