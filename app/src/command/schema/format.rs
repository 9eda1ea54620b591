//! The formats in which a schema can be exported.

use clap::ValueEnum;
use service::schema::Form;

/// The format of an exported schema.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SchemaFormat {
    /// Terraform, for the provider azurerm
    Terraform,
    /// Azure Resource Manager template
    Arm,
    /// Our own format, for `planisphere schema apply`
    Toml,
}

impl SchemaFormat {
    pub(crate) fn form(self) -> Form {
        match self {
            Self::Terraform => Form::Terraform,
            Self::Arm => Form::Arm,
            Self::Toml => Form::Toml,
        }
    }
}
