//! The file formats of an export.

use super::{arm, terraform, toml};
use crate::schema::account::AccountSchema;
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
        self.export_in(None, format)
    }

    /// Exports the schema together with the account that it is in.
    #[must_use]
    pub fn export_with_account(
        &self,
        account: &AccountSchema,
        format: SchemaFormat,
    ) -> SchemaExport {
        self.export_in(Some(account), format)
    }

    fn export_in(&self, account: Option<&AccountSchema>, format: SchemaFormat) -> SchemaExport {
        match format {
            SchemaFormat::Toml => {
                let omitted = account.map(|_| {
                    "account: our format describes databases and containers only".to_owned()
                });
                SchemaExport { text: toml::write(self), omitted: omitted.into_iter().collect() }
            }
            SchemaFormat::Terraform => {
                let (text, omitted) = terraform::write(self, account);
                SchemaExport { text, omitted }
            }
            SchemaFormat::Arm => {
                SchemaExport { text: arm::write(self, account), omitted: Vec::new() }
            }
        }
    }
}
