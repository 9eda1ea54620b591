//! The file formats of an export.

use super::{arm, terraform, toml};
use crate::schema::declaration::Schema;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaFormat {
    /// Our own format.
    Toml,
    /// Terraform, provider `azurerm`.
    Terraform,
    /// An Azure Resource Manager template.
    Arm,
}

/// An exported schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaExport {
    /// The content of the file.
    pub text: String,
    /// Properties that the format cannot express.
    pub omitted: Vec<String>,
}

impl Schema {
    /// Exports the schema in a format.
    #[must_use]
    pub fn export(&self, format: SchemaFormat) -> SchemaExport {
        match format {
            SchemaFormat::Toml => SchemaExport { text: toml::write(self), omitted: Vec::new() },
            SchemaFormat::Terraform => {
                let (text, omitted) = terraform::write(self);
                SchemaExport { text, omitted }
            }
            SchemaFormat::Arm => SchemaExport { text: arm::write(self), omitted: Vec::new() },
        }
    }
}
