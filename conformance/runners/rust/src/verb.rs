//! From the name of a verb to the words of this library.

use serde_json::Value;

use crate::outcome::{Seen, Stop, unsupported};
use crate::runner::Runner;

/// Verbs this library has no words for, and why.
const WITHOUT_WORDS: &[(&str, &str)] = &[
    ("bulk", "this library has no bulk operation"),
    ("read_many", "this library cannot read many items at once"),
    ("delete_partition", "this library cannot delete a whole partition key"),
    ("list", "this library reads lists by queries only"),
    ("account", "this library does not show the account"),
    ("execute", "this library has no scripts"),
];

const NO_RESOURCES: &str =
    "this library has no users, permissions, scripts or client encryption keys";

/// Options of a step this library has no words for, and why.
const OPTIONS_WITHOUT_WORDS: &[(&str, &str)] = &[
    ("indexing", "this library has no indexing directive"),
    ("pre_triggers", "this library has no scripts"),
    ("post_triggers", "this library has no scripts"),
    ("priority", "this library sets priority and bucket by groups of the client only"),
    ("throughput_bucket", "this library sets priority and bucket by groups of the client only"),
    ("cache_seconds", "this library has no integrated cache"),
];

impl Runner {
    /// Does what a step says.
    pub(crate) async fn say(&mut self, verb: &str, step: &Value) -> Result<Seen, Stop> {
        if let Some((_, reason)) = WITHOUT_WORDS.iter().find(|(name, _)| *name == verb) {
            return Err(unsupported(reason));
        }
        if verb.ends_with("_resource") || verb.ends_with("_resources") {
            return Err(unsupported(NO_RESOURCES));
        }
        for (name, reason) in OPTIONS_WITHOUT_WORDS {
            if step.get(name).is_some() {
                return Err(unsupported(reason));
            }
        }
        match verb {
            "create" | "upsert" | "replace" => self.write(verb, step).await,
            "read" => self.read(step).await,
            "delete" => self.delete(step).await,
            "patch" => self.patch(step).await,
            "batch" => self.batch(step).await,
            "query" => self.query(step).await,
            "change_feed" => self.change_feed(step).await,
            "feed_ranges" => self.feed_ranges().await,
            "advance_clock" | "split_partition" | "enforce_throughput" | "inject_faults"
            | "was_throttled" => self.control(verb, step).await,
            _ => self.administer(verb, step).await,
        }
    }
}
