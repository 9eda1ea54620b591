//! The function registry as a catalog for the binder.
//!
//! Owns the translation of a registered function into a signature. Does not own the functions: see `function`.

use super::{FunctionCatalog, FunctionKind, FunctionSignature};
use crate::function::{FunctionBody, lookup};

/// Every function of the registry, by name and alias, in any case.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltInFunctions;

impl FunctionCatalog for BuiltInFunctions {
    fn find(&self, name: &str) -> Option<FunctionSignature> {
        let function = lookup(name)?;
        let kind = match function.body {
            FunctionBody::Aggregate(_) => FunctionKind::Aggregate,
            FunctionBody::Scalar(_) | FunctionBody::Planned => FunctionKind::Scalar,
        };
        Some(FunctionSignature { name: function.name, arity: function.arity(), kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::registry;

    #[test]
    fn every_name_and_alias_is_found_in_any_case() {
        for function in registry() {
            for name in std::iter::once(&function.name).chain(function.aliases) {
                let found = BuiltInFunctions.find(&name.to_lowercase()).unwrap();
                assert_eq!(found.name, function.name);
            }
        }
        assert_eq!(BuiltInFunctions.find("BADFUNC"), None);
    }

    #[test]
    fn only_aggregates_are_aggregates() {
        let names: Vec<&str> = registry()
            .iter()
            .map(|function| function.name)
            .filter(|name| BuiltInFunctions.find(name).unwrap().kind == FunctionKind::Aggregate)
            .collect();
        let expected = ["COUNT", "SUM", "AVG", "MIN", "MAX", "COUNTIF", "MAKELIST", "MAKESET"];
        assert_eq!(names, expected);
    }

    #[test]
    fn arity_is_worded_as_the_service_words_it() {
        let words = |name| BuiltInFunctions.find(name).unwrap().arity.to_string();
        assert_eq!(words("LOWER"), "1");
        assert_eq!(words("PI"), "0");
        assert_eq!(words("StartsWith"), "2 to 3");
        assert_eq!(words("concat"), "at least 2");
    }
}
