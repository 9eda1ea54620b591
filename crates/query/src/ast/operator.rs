//! Operators and their precedence.
//!
//! Owns the service's precedence, which differs from SQL and C: all comparisons and shifts share one level, and so do
//! `|`, `^`, `&`, `+` and `-`.

/// A prefix operator. All of them, NOT included, bind tighter than any binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `NOT`
    Not,
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `~`
    BitwiseNot,
}

/// An operator between two operands. All of them are left-associative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `OR`
    Or,
    /// `AND`
    And,
    /// `=`
    Equal,
    /// `!=` or `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `>>>`
    ShiftRightUnsigned,
    /// `||`
    Concatenate,
    /// `|`
    BitwiseOr,
    /// `^`
    BitwiseXor,
    /// `&`
    BitwiseAnd,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
}

/// The precedence of a binary operator, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precedence {
    /// `OR`
    Or,
    /// `AND`
    And,
    /// Comparisons and shifts.
    Comparison,
    /// `||`
    Concatenation,
    /// `|`, `^`, `&`, `+`, `-`
    Additive,
    /// `*`, `/`, `%`
    Multiplicative,
}

impl BinaryOperator {
    /// Its precedence.
    #[must_use]
    pub fn precedence(self) -> Precedence {
        match self {
            Self::Or => Precedence::Or,
            Self::And => Precedence::And,
            Self::Equal
            | Self::NotEqual
            | Self::Less
            | Self::LessOrEqual
            | Self::Greater
            | Self::GreaterOrEqual
            | Self::ShiftLeft
            | Self::ShiftRight
            | Self::ShiftRightUnsigned => Precedence::Comparison,
            Self::Concatenate => Precedence::Concatenation,
            Self::BitwiseOr | Self::BitwiseXor | Self::BitwiseAnd | Self::Add | Self::Subtract => {
                Precedence::Additive
            }
            Self::Multiply | Self::Divide | Self::Modulo => Precedence::Multiplicative,
        }
    }

    /// Its printed form.
    #[must_use]
    pub fn spelling(self) -> &'static str {
        match self {
            Self::Or => "OR",
            Self::And => "AND",
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::ShiftRightUnsigned => ">>>",
            Self::Concatenate => "||",
            Self::BitwiseOr => "|",
            Self::BitwiseXor => "^",
            Self::BitwiseAnd => "&",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
        }
    }
}
