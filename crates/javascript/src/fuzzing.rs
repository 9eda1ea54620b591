//! What must hold of any script text, for the fuzz target and the replay of its seeds.
//!
//! A text is compiled, run as a procedure and called as a function, with small limits. It ends, and the process lives.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engine::script_runtime::{
    ScriptAnswer, ScriptCall, ScriptLimits, ScriptMeter, ScriptPurpose, ScriptRuntime,
    ScriptSource, ScriptStep,
};

use crate::JavaScript;

/// A clock that moves a millisecond each time it is read: scripts end by their number of steps.
#[derive(Default)]
struct CountingMeter {
    reads: AtomicU64,
}

impl ScriptMeter for CountingMeter {
    fn elapsed(&self) -> Duration {
        Duration::from_millis(self.reads.fetch_add(1, Ordering::Relaxed))
    }

    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Runs a text in both ways.
pub fn script_text(text: &str) {
    let limits = ScriptLimits {
        time_max: Duration::from_millis(300),
        memory_bytes_max: 4 << 20,
        stack_bytes_max: 128 << 10,
        output_bytes_max: 1 << 20,
        operations_max: 8,
        log_bytes_max: 1024,
    };
    let meter: Arc<dyn ScriptMeter> = Arc::new(CountingMeter::default());
    let source = ScriptSource { name: "fuzz".to_owned(), text: text.into() };
    let runtime = JavaScript::new();
    if let Ok(functions) = runtime.functions(vec![source.clone()], limits, Arc::clone(&meter)) {
        let _ = functions.call("fuzz", &[None]);
    }
    let call = ScriptCall {
        source,
        purpose: ScriptPurpose::Procedure { arguments: "[1,\"a\",{}]".to_owned() },
        self_link: "dbs/a/colls/b/".to_owned(),
        alternate_link: "dbs/a/colls/b".to_owned(),
        wants_log: true,
        seed: 7,
        limits,
        meter,
    };
    let Ok(mut run) = runtime.start(call) else { return };
    let mut answers = Vec::new();
    while let Ok(ScriptStep::Operations(operations)) = run.resume(std::mem::take(&mut answers)) {
        answers.extend(operations.iter().map(|_| ScriptAnswer::Item("{\"id\":\"x\"}".to_owned())));
    }
    assert!(run.log().len() <= limits.log_bytes_max);
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_seed_ends() {
        fuzz_seeds::replay(env!("CARGO_MANIFEST_DIR"), "script_text", |seed| {
            super::script_text(std::str::from_utf8(seed).unwrap());
        });
    }
}
