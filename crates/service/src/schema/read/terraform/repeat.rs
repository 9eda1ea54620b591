//! The instances that `for_each`, `count` and `dynamic` make of a block.

use hcl::Value;
use hcl::edit::expr::Expression;
use hcl::edit::structure::Block;

use super::instance::{ResourceInstance, counted, instance, pairs_of};
use super::module::TerraformResource;
use super::scope::TerraformScope;
use crate::schema::location::SchemaError;

impl TerraformScope<'_> {
    /// The instances of a block: itself, or one per key.
    pub(super) fn instances(
        &self,
        resource: &TerraformResource,
    ) -> Result<Vec<Option<ResourceInstance>>, SchemaError> {
        let location = |name| {
            let attribute = resource.attribute(name);
            attribute
                .map_or(resource.location.clone(), |it| self.module.location(resource.file, it))
        };
        if let Some(attribute) = resource.attribute("for_each") {
            let over = self.evaluate(&attribute.value, resource.file, None)?;
            let pairs =
                pairs_of(over).map_err(|why| SchemaError::at(&location("for_each"), why))?;
            let each =
                |(key, value)| Some(instance("each".to_owned(), Value::from(key), value, None));
            return Ok(pairs.into_iter().map(each).collect());
        }
        if let Some(attribute) = resource.attribute("count") {
            let count = self.evaluate(&attribute.value, resource.file, None)?;
            let count = count.as_number().and_then(hcl::Number::as_u64).ok_or_else(|| {
                SchemaError::at(&location("count"), format!("count is a whole number, not {count}"))
            })?;
            return Ok((0..count).map(|index| Some(counted(index))).collect());
        }
        Ok(vec![None])
    }

    /// The instances of a `dynamic` block, each with the name of its iterator.
    pub(super) fn dynamic_instances(
        &self,
        block: &Block,
        file: usize,
        outer: Option<&ResourceInstance>,
    ) -> Result<Vec<ResourceInstance>, SchemaError> {
        let at = |message: String| SchemaError::at(&self.module.location(file, block), message);
        let over = block.body.get_attribute("for_each");
        let over = over.ok_or_else(|| at("a 'dynamic' block has no 'for_each'".to_owned()))?;
        let label = block.labels.first().map_or("", |label| label.as_str());
        let iterator = match block.body.get_attribute("iterator").map(|it| &it.value) {
            Some(Expression::Variable(name)) => name.as_str(),
            _ => label,
        };
        let over = match self.evaluate(&over.value, file, outer)? {
            // A list has its positions as keys here, unlike in the `for_each` of a resource. They are numbers, so that
            // an expression can compare them.
            Value::Array(list) => {
                let numbered = list.into_iter().enumerate();
                numbered.map(|(index, value)| (Value::from(index), value)).collect()
            }
            Value::Null => Vec::new(),
            other => {
                let pairs = pairs_of(other).map_err(at)?;
                pairs.into_iter().map(|(key, value)| (Value::from(key), value)).collect::<Vec<_>>()
            }
        };
        let each = |(key, value)| instance(iterator.to_owned(), key, value, outer.cloned());
        Ok(over.into_iter().map(each).collect())
    }
}
