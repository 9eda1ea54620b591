//! Function declarations.
//!
//! Owns what every function declares once, from which binding, the reference and the tests are derived. Does not own
//! the list of functions: see `registry`.

use std::fmt;

use super::aggregate::Aggregate;
use super::context::CallContext;
use crate::value::Value;

/// Evaluates one call: arguments in, value out.
pub type ScalarFunction = fn(&[Value], &CallContext<'_>) -> Value;

/// One function of the language.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// The name, in the spelling of the documentation; any case is accepted.
    pub name: &'static str,
    /// Other names of the same function.
    pub aliases: &'static [&'static str],
    /// The section of the reference that lists it.
    pub family: FunctionFamily,
    /// How it is evaluated.
    pub body: FunctionBody,
    /// The names of the required arguments.
    pub required: &'static [&'static str],
    /// The names of the optional arguments.
    pub optional: &'static [&'static str],
    /// Whether the last argument may be repeated.
    pub is_variadic: bool,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// The type of its result, if it is defined.
    pub returns: ReturnKind,
    /// How a filter with it could use an index.
    pub index_use: IndexUse,
    /// Calls with their results; each is run as a test.
    pub examples: &'static [Example],
    /// Whether it is part of the documented language; others are used only by clients and old queries.
    pub is_documented: bool,
}

/// How a function is evaluated.
#[derive(Clone, Copy, Debug)]
pub enum FunctionBody {
    /// For each call, from its arguments.
    Scalar(ScalarFunction),
    /// Over the rows of a group.
    Aggregate(Aggregate),
    /// Never: the planner rewrites the query.
    Planned,
}

/// A call and its result as text; arguments are separated by commas, and `undefined` is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The arguments; for an aggregate, the values of the rows.
    pub arguments: &'static str,
    /// The result as JSON text, or `undefined`, `NaN`, `Infinity`.
    pub result: &'static str,
}

/// How many arguments a call may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arity {
    /// The minimum.
    pub min: usize,
    /// The maximum; `None` if there is no limit.
    pub max: Option<usize>,
}

/// A family of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionFamily {
    /// Over the rows of a group.
    Aggregate,
    /// On arrays and sets.
    Array,
    /// On conditions.
    Conditional,
    /// On dates and times.
    DateTime,
    /// On words of text.
    FullText,
    /// On whole items.
    Item,
    /// On numbers.
    Mathematical,
    /// On points and shapes.
    Spatial,
    /// On text.
    String,
    /// On the types of values.
    TypeCheck,
    /// On vectors.
    Vector,
}

/// The type of a defined result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnKind {
    /// Any type.
    Any,
    /// An array.
    Array,
    /// A Boolean.
    Boolean,
    /// A date and time as text.
    DateTime,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// `null`.
    Null,
    /// An object.
    Object,
    /// Text.
    String,
}

/// How a filter with the function could use an index, cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexUse {
    /// Reads exactly the requested terms.
    Seek,
    /// Reads one range of terms.
    PreciseScan,
    /// Reads a wider range than needed and filters it.
    ExpandedScan,
    /// Reads all terms of the path.
    FullScan,
    /// Benefits from a range index in a way that the documentation does not specify.
    Range,
    /// Uses a spatial, vector or full text index.
    Special,
    /// Reads the items.
    None,
}

impl Function {
    /// A function that is evaluated for each call.
    pub(super) const fn scalar(
        family: FunctionFamily,
        name: &'static str,
        evaluate: ScalarFunction,
    ) -> Self {
        Self::new(family, name, FunctionBody::Scalar(evaluate))
    }

    /// A function without arguments; the methods below add the rest.
    pub(super) const fn new(
        family: FunctionFamily,
        name: &'static str,
        body: FunctionBody,
    ) -> Self {
        Self {
            name,
            aliases: &[],
            family,
            body,
            required: &[],
            optional: &[],
            is_variadic: false,
            summary: "",
            returns: ReturnKind::Any,
            index_use: IndexUse::None,
            examples: &[],
            is_documented: true,
        }
    }

    /// Sets the names of the required arguments.
    pub(super) const fn required(mut self, required: &'static [&'static str]) -> Self {
        self.required = required;
        self
    }

    /// Sets the names of the optional arguments.
    pub(super) const fn optional(mut self, optional: &'static [&'static str]) -> Self {
        self.optional = optional;
        self
    }

    /// Allows the last argument to be repeated.
    pub(super) const fn variadic(mut self) -> Self {
        self.is_variadic = true;
        self
    }

    /// Sets the type of the result and the summary.
    pub(super) const fn returns(mut self, returns: ReturnKind, summary: &'static str) -> Self {
        self.returns = returns;
        self.summary = summary;
        self
    }

    /// Sets how a filter with it could use an index.
    pub(super) const fn index_use(mut self, index_use: IndexUse) -> Self {
        self.index_use = index_use;
        self
    }

    /// Sets other names.
    pub(super) const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Sets the examples.
    pub(super) const fn examples(mut self, examples: &'static [Example]) -> Self {
        self.examples = examples;
        self
    }

    /// Marks it as not part of the documented language.
    pub(super) const fn undocumented(mut self) -> Self {
        self.is_documented = false;
        self
    }

    /// How many arguments a call may have.
    #[must_use]
    pub fn arity(&self) -> Arity {
        // `const fn` methods build the declarations above at compile time, so the registry needs no initialization.
        let max = (!self.is_variadic).then_some(self.required.len() + self.optional.len());
        Arity { min: self.required.len(), max }
    }
}

impl Arity {
    /// Whether a call may have this number of arguments.
    #[must_use]
    pub fn allows(self, arguments: usize) -> bool {
        arguments >= self.min && self.max.is_none_or(|max| arguments <= max)
    }
}

/// The number as in the binding error: `2`, `2 to 3`, `at least 2`.
impl fmt::Display for Arity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.max {
            None => write!(formatter, "at least {}", self.min),
            Some(max) if max == self.min => write!(formatter, "{max}"),
            Some(max) => write!(formatter, "{} to {max}", self.min),
        }
    }
}

/// An example: `example("1, 2", "3")`.
pub(super) const fn example(arguments: &'static str, result: &'static str) -> Example {
    Example { arguments, result }
}
