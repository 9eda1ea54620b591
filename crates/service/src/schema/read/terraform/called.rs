//! Modules that are called: the scope inside of one, and its outputs outside.

use std::collections::BTreeMap;

use hcl::{Map, Value};

use super::instance::ResourceInstance;
use super::module::{TerraformModule, TerraformResource};
use super::scope::TerraformScope;
use crate::schema::location::{SchemaError, SourceLocation};

/// The arguments of a `module` block that are no variables of it.
const OF_MODULE: &[&str] = &["source", "version", "providers", "for_each", "count", "depends_on"];

impl<'m> TerraformScope<'m> {
    /// The scope inside of a module: its variables are the arguments of the block.
    pub(super) fn inside(
        &self,
        block: &TerraformResource,
        module: &'m TerraformModule,
        iteration: Option<&ResourceInstance>,
    ) -> Self {
        let mut scope = Self::new(module, BTreeMap::new(), self.database);
        for attribute in block.body.attributes() {
            let name = attribute.key.as_str();
            if OF_MODULE.contains(&name) {
                continue;
            }
            // An argument such as the name of an account may be unknown, as long as no schema depends on it.
            match self.evaluate(&attribute.value, block.file, iteration) {
                Ok(value) => scope.values.insert(name.to_owned(), value).map(|_| ()),
                Err(error) => scope.unknown.insert(name.to_owned(), error).map(|_| ()),
            };
        }
        scope
    }

    /// An output of a module, or all outputs of a repeated one.
    pub(super) fn module_output(
        &self,
        name: &str,
        rest: &[&str],
        location: &SourceLocation,
    ) -> Result<(usize, Value), SchemaError> {
        let refused = |why: String| SchemaError::at(location, why);
        let call = self.module.call(name);
        let call = call.ok_or_else(|| refused(format!("no module is named '{name}'")))?;
        let module = match &call.module {
            Ok(module) => module.as_ref(),
            Err(why) => return Err(refused(format!("the module '{name}' is not read: {why}"))),
        };
        let output = |scope: &Self, output: &str| {
            let found = module.outputs.get(output);
            let term = found
                .ok_or_else(|| refused(format!("the module '{name}' has no output '{output}'")))?;
            scope.evaluate(&term.expression, term.file, None)
        };
        let what = format!("module.{name}");
        let instances = self.instances(&call.block)?;
        if let (Some(first), [None]) = (rest.first(), instances.as_slice()) {
            let value = self.resolve_once(&what, location, |scope| {
                output(&scope.inside(&call.block, module, None), first)
            })?;
            return Ok((3, value));
        }
        let mut all = Map::new();
        for iteration in instances.iter().flatten() {
            let scope = self.inside(&call.block, module, Some(iteration));
            let outputs = module.outputs.keys();
            // An output that cannot be resolved is left out: the expression may not need it.
            let known = outputs.filter_map(|each| Some((each.clone(), output(&scope, each).ok()?)));
            all.insert(iteration.key.clone(), Value::Object(known.collect()));
        }
        let is_counted = call.block.attribute("count").is_some();
        let all = match is_counted {
            true => Value::Array(all.into_values().collect()),
            false => Value::Object(all),
        };
        Ok((2, all))
    }
}
