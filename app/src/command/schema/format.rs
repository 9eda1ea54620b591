//! The formats in which a schema can be exported.

use clap::ValueEnum;
use service::schema::SchemaFormat;

/// The format of an exported schema.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SchemaFormatArg {
    /// Terraform, for the provider azurerm
    Terraform,
    /// Azure Resource Manager template
    Arm,
    /// Our own format, for `planisphere schema apply`
    Toml,
}

impl SchemaFormatArg {
    pub(crate) fn format(self) -> SchemaFormat {
        match self {
            Self::Terraform => SchemaFormat::Terraform,
            Self::Arm => SchemaFormat::Arm,
            Self::Toml => SchemaFormat::Toml,
        }
    }
}
