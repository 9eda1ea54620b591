//! Injected faults: `--fault` and the rules that tests send.

use std::sync::Arc;

use clap::Args;
use gateway::FaultRules;
use model::Json;

use crate::error::CommandError;

/// The flags about faults.
#[derive(Clone, Debug, Args)]
pub(crate) struct FaultFlags {
    /// Inject a fault, for tests of retries: {"operation":"create","status":429,"probability":0.1}; may be repeated.
    /// docs/guide/test-author.md has all members
    #[arg(long, value_name = "JSON")]
    fault: Vec<String>,
}

impl FaultFlags {
    /// The rules; `None` if there are none and tests cannot send any.
    pub(crate) fn rules(
        &self,
        is_controlled: bool,
    ) -> Result<Option<Arc<FaultRules>>, CommandError> {
        if self.fault.is_empty() && !is_controlled {
            return Ok(None);
        }
        let refused = |why: String| {
            CommandError::new("reading --fault", why.trim_end_matches('.'))
                .hint("Give JSON such as '{\"status\":503,\"probability\":0.1}'")
        };
        let parse = |text: &String| Json::parse(text.as_bytes());
        let rules: Result<Vec<Json>, _> = self.fault.iter().map(parse).collect();
        let rules = rules.map_err(|error| refused(error.to_string()))?;
        let rules = FaultRules::parse(&Json::Array(rules));
        rules
            .map(|rules| Some(Arc::new(rules)))
            .map_err(|invalid| refused(invalid.message().to_owned()))
    }
}
