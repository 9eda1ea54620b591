//! The service's error messages, one constructor each.
//!
//! Owns the code and the message of each rule, so that no other file spells them. Clients and tests compare these
//! texts: they must stay byte for byte. Does not decide when a rule is broken.

use super::{QueryError, TextLocation};

/// A token that is not allowed here.
pub(crate) fn syntax(location: TextLocation, token: &str) -> QueryError {
    QueryError::compiler(1001, location, format!("Syntax error, incorrect syntax near '{token}'."))
}

/// The text ends too early.
pub(crate) fn unexpected_end(location: TextLocation) -> QueryError {
    QueryError::compiler(1002, location, "Syntax error, unexpected end-of-file.")
}

/// A character that starts no token.
pub(crate) fn invalid_token(location: TextLocation, token: &str) -> QueryError {
    QueryError::compiler(1010, location, format!("Syntax error, invalid token '{token}'."))
}

/// An unterminated string, or one with an invalid escape or a control character.
pub(crate) fn invalid_string(location: TextLocation, token: &str) -> QueryError {
    let message = format!("Syntax error, invalid string literal token '{token}'.");
    QueryError::compiler(1012, location, message)
}

/// A name that is not an alias in scope.
pub(crate) fn unresolved(location: TextLocation, name: &str) -> QueryError {
    QueryError::compiler(2001, location, format!("Identifier '{name}' could not be resolved."))
}

/// A call of a function that does not exist.
pub(crate) fn unknown_function(location: TextLocation, name: &str) -> QueryError {
    QueryError::compiler(
        2005,
        location,
        format!("'{name}' is not a recognized built-in function name."),
    )
}

/// Two select items, or two members of an object, with the same name.
pub(crate) fn duplicate_property(location: TextLocation, name: &str) -> QueryError {
    let message =
        format!("Object creation error, property name '{name}' specified more than once.");
    QueryError::compiler(2022, location, message)
}

/// `SELECT *` with GROUP BY.
pub(crate) fn star_with_group_by(location: TextLocation) -> QueryError {
    QueryError::compiler(2041, location, "'SELECT *' is not allowed with GROUP BY.")
}

/// `SELECT *` over several inputs.
pub(crate) fn star_with_several_inputs() -> QueryError {
    QueryError::refusal("'SELECT *' is only valid with a single input set.")
}

/// `SELECT *` without FROM.
pub(crate) fn star_without_from() -> QueryError {
    QueryError::refusal("'SELECT *' is not valid if FROM clause is omitted.")
}

/// A call with a wrong number of arguments; `count` is the expected number in words.
pub(crate) fn wrong_arity(location: TextLocation, function: &str, count: &str) -> QueryError {
    let message = format!("The {function} function requires {count} argument(s).");
    QueryError::compiler(2050, location, message)
}

/// TOP of something that is not a 32-bit integer.
pub(crate) fn top_count(location: TextLocation) -> QueryError {
    let message = "The count value provided for a TOP clause must be an integer.";
    QueryError::compiler(2060, location, message)
}

/// LIMIT beyond 32 bits.
pub(crate) fn limit_count(location: TextLocation) -> QueryError {
    QueryError::compiler(2061, location, "The LIMIT count value exceeds the maximum allowed value.")
}

/// OFFSET beyond 32 bits.
pub(crate) fn offset_count(location: TextLocation) -> QueryError {
    QueryError::compiler(
        2062,
        location,
        "The OFFSET count value exceeds the maximum allowed value.",
    )
}

/// An aggregate inside an aggregate.
pub(crate) fn nested_aggregate(location: TextLocation) -> QueryError {
    let message = "Cannot perform an aggregate function on an expression containing an \
                   aggregate or a subquery.";
    QueryError::compiler(2101, location, message)
}

/// An aggregate in a clause without groups.
pub(crate) fn misplaced_aggregate(clause: &str) -> QueryError {
    QueryError::refusal(format!("Aggregate functions are not allowed in the {clause} clause."))
}

/// A subquery in GROUP BY.
pub(crate) fn subquery_in_group_by() -> QueryError {
    QueryError::refusal("Subqueries are not allowed in the GROUP BY clause.")
}

/// A constant in GROUP BY.
pub(crate) fn constant_in_group_by() -> QueryError {
    QueryError::refusal("A GROUP BY expression must contain at least one property reference.")
}

/// A property in a select list that sees only groups.
pub(crate) fn ungrouped_property(location: TextLocation, property: &str) -> QueryError {
    let message = format!(
        "Property reference '{property}' is invalid in the select list because it is not \
         contained in either an aggregate function or the GROUP BY clause."
    );
    QueryError::compiler(2102, location, message)
}

/// ORDER BY in a subquery.
pub(crate) fn order_by_in_subquery(location: TextLocation) -> QueryError {
    QueryError::compiler(2202, location, "'ORDER BY' is not supported in subqueries.")
}

/// TOP in a subquery.
pub(crate) fn top_in_subquery(location: TextLocation) -> QueryError {
    QueryError::compiler(2203, location, "'TOP' is not supported in subqueries.")
}

/// OFFSET LIMIT in a subquery.
pub(crate) fn offset_limit_in_subquery(location: TextLocation) -> QueryError {
    QueryError::compiler(2204, location, "'OFFSET LIMIT' clause is not supported in subqueries.")
}

/// ORDER BY of an expression that no index can serve.
pub(crate) fn order_by_expression() -> QueryError {
    let message = "Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to \
                   a document path.";
    QueryError::numbered(2206, message)
}

/// ORDER BY over the elements of a JOIN.
pub(crate) fn order_by_correlated() -> QueryError {
    QueryError::refusal("Order-by over correlated collections is not supported.")
}

/// ORDER BY RANK of something other than a score.
pub(crate) fn rank_function(location: TextLocation) -> QueryError {
    let message = "The ORDER BY RANK clause must be followed by a VectorDistance and/or a \
                   FullTextScore function call.";
    QueryError::compiler(2221, location, message)
}

/// ORDER BY RANK over `FROM x IN ...`.
pub(crate) fn rank_with_in(location: TextLocation) -> QueryError {
    let message =
        "The FROM clause with the IN operator is not allowed with the ORDER BY RANK clause.";
    QueryError::compiler(2223, location, message)
}

/// ORDER BY RANK over a JOIN.
pub(crate) fn rank_with_join(location: TextLocation) -> QueryError {
    let message = "The JOIN operator is not allowed with the ORDER BY RANK clause.";
    QueryError::compiler(2224, location, message)
}

/// ORDER BY RANK over a subquery in FROM.
pub(crate) fn rank_with_subquery(location: TextLocation) -> QueryError {
    let message = "Subqueries in the FROM clause are not allowed with the ORDER BY RANK clause.";
    QueryError::compiler(2225, location, message)
}

/// ORDER BY RANK in a subquery.
pub(crate) fn rank_in_subquery(location: TextLocation) -> QueryError {
    QueryError::compiler(2228, location, "The ORDER BY RANK clause is not supported in subqueries.")
}

/// Weights that do not match the scores.
pub(crate) fn rank_weights(location: TextLocation) -> QueryError {
    let message = "The last parameter of the RRF function is an optional array of weights. When \
                   present, it must be a literal array of numbers, one for each of the component \
                   scores used for the RRF function. The length of this array must be the same \
                   as the number of the component scores.";
    QueryError::compiler(2229, location, message)
}

/// Too many terms in one score. The wording is ours: only the limit is known.
pub(crate) fn too_many_terms(location: TextLocation, limit: usize) -> QueryError {
    let message =
        format!("The FullTextScore function accepts at most {limit} search terms in one call.");
    QueryError::compiler(2240, location, message)
}

/// Too many scores in one fusion. The wording is ours: only the limit is known.
pub(crate) fn too_many_fused(location: TextLocation, limit: usize) -> QueryError {
    QueryError::compiler(
        2229,
        location,
        format!("The RRF function accepts at most {limit} arguments."),
    )
}

/// ASC or DESC after a score.
pub(crate) fn rank_direction() -> QueryError {
    QueryError::refusal(
        "Specifying a sort order (ASC or DESC) in the ORDER BY RANK clause is not allowed.",
    )
}

/// ASC or DESC after a distance. The wording is ours: the service's was never recorded.
pub(crate) fn distance_direction() -> QueryError {
    QueryError::refusal(
        "Specifying a sorting order (ASC or DESC) with VectorDistance function is not supported.",
    )
}

/// An option of a distance that is out of range.
pub(crate) fn list_size_multiplier(location: TextLocation, value: &str) -> QueryError {
    let message = format!(
        "The 'searchListSizeMultiplier' value {value} specified in the VectorDistance function is \
         outside the supported range. The value must be between 1 and 100."
    );
    QueryError::compiler(2213, location, message)
}

/// A score outside ORDER BY RANK.
pub(crate) fn score_outside_rank(location: TextLocation, function: &str) -> QueryError {
    let message = format!("The {function} function is only allowed in the ORDER BY RANK clause.");
    QueryError::compiler(2240, location, message)
}

/// An index that depends on the row.
pub(crate) fn member_indexer(location: TextLocation) -> QueryError {
    let message = "The specified query includes 'member indexer' which is currently not supported.";
    QueryError::compiler(2990, location, message)
}

/// Too many JOINs.
pub(crate) fn too_many_joins(location: TextLocation, limit: usize) -> QueryError {
    let message = format!(
        "The SQL query exceeded the maximum number of joins. The allowed limit is {limit}."
    );
    QueryError::compiler(3002, location, message)
}

/// Too many calls of user-defined functions.
pub(crate) fn too_many_udf_calls(location: TextLocation, limit: usize) -> QueryError {
    let message = format!(
        "The SQL query exceeded the maximum number of user-defined function calls. The allowed \
         limit is {limit}."
    );
    QueryError::compiler(3005, location, message)
}

/// A query text beyond the length limit.
pub(crate) fn text_too_long(location: TextLocation, limit: usize) -> QueryError {
    let message = format!("The SQL query text exceeded the maximum limit of {limit} characters.");
    QueryError::compiler(3020, location, message)
}

/// Nesting beyond what the stages can recurse into. The wording is ours: the service documents no such limit.
pub(crate) fn too_deep(limit: usize) -> QueryError {
    QueryError::refusal(format!(
        "The SQL query exceeded the maximum number of nesting levels. The allowed limit is {limit}."
    ))
}

/// Two inputs with the same alias. The wording is ours: the service's was never recorded.
pub(crate) fn duplicate_alias(name: &str) -> QueryError {
    QueryError::refusal(format!(
        "The input alias '{name}' is specified more than once in the FROM clause."
    ))
}

/// A parameter passed twice.
pub(crate) fn duplicate_parameter(name: &str) -> QueryError {
    QueryError::refusal(format!("Invalid query. Specified duplicate parameter name '{name}'."))
}

/// A parameter whose name is not an `@identifier`.
pub(crate) fn invalid_parameter(name: &str) -> QueryError {
    QueryError::refusal(format!(
        "Invalid query. Specified parameter name '{name}' is invalid. Parameter names should be \
         in the format of symbol '@' followed by a valid identifier. E.g. @param1"
    ))
}

/// A parameter that is used so often that its copies exceed the limit. The wording is ours.
pub(crate) fn parameters_too_large(name: &str, bytes_max: usize) -> QueryError {
    QueryError::refusal(format!(
        "The uses of parameters, the last of them '{name}', exceed {bytes_max} bytes. Use a large parameter once, or \
         shorten it."
    ))
}

/// A subquery in parentheses that iterates an array could return several rows.
pub(crate) fn scalar_subquery_rows() -> QueryError {
    QueryError::refusal(
        "The cardinality of a scalar subquery result set cannot be greater than one.",
    )
}
