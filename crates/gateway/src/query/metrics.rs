//! The header with query metrics.
//!
//! Owns its text. Counts are exact. Times that are not measured separately are zero.

use std::time::Duration;

use engine::query::QueryMetrics;

pub(super) fn format_metrics(metrics: &QueryMetrics) -> String {
    let milliseconds = |duration: Duration| duration.as_secs_f64() * 1000.0;
    let ratio = match metrics.retrieved_items {
        0 => 1.0,
        #[expect(clippy::cast_precision_loss, reason = "a ratio for people to read")]
        retrieved => (metrics.output_items as f64 / retrieved as f64).min(1.0),
    };
    let times = [
        ("totalExecutionTimeInMs", milliseconds(metrics.total_time)),
        ("queryCompileTimeInMs", milliseconds(metrics.compile_time)),
        ("queryLogicalPlanBuildTimeInMs", 0.0),
        ("queryPhysicalPlanBuildTimeInMs", 0.0),
        ("queryOptimizationTimeInMs", 0.0),
        ("VMExecutionTimeInMs", milliseconds(metrics.total_time)),
        ("indexLookupTimeInMs", milliseconds(metrics.index_time)),
        ("documentLoadTimeInMs", milliseconds(metrics.load_time)),
        ("systemFunctionExecuteTimeInMs", 0.0),
        ("userFunctionExecuteTimeInMs", 0.0),
    ];
    let counts = [
        ("retrievedDocumentCount", metrics.retrieved_items),
        ("retrievedDocumentSize", metrics.retrieved_bytes),
        ("outputDocumentCount", metrics.output_items),
        ("outputDocumentSize", metrics.output_bytes),
    ];
    let mut text = String::new();
    times.iter().for_each(|(name, value)| text += &format!("{name}={value:.2};"));
    counts.iter().for_each(|(name, value)| text += &format!("{name}={value};"));
    text + &format!("writeOutputTimeInMs=0.00;indexUtilizationRatio={ratio:.2}")
}
