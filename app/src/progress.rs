//! Progress bars: one moving line on a terminal, nothing elsewhere.
//!
//! Drawn on standard error, so that standard output contains only results.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar with a known total.
pub(crate) fn bar(total: u64, what: &'static str) -> ProgressBar {
    styled(
        ProgressBar::new(total),
        "{msg} {bar:32} {human_pos}/{human_len} {per_sec} eta {eta}",
        what,
    )
}

/// A bar over bytes.
pub(crate) fn bytes(total: u64, what: &'static str) -> ProgressBar {
    let template = "{msg} {bar:32} {bytes}/{total_bytes} {bytes_per_sec} eta {eta}";
    styled(ProgressBar::new(total), template, what)
}

/// A counter without a known total.
pub(crate) fn counter(what: &'static str) -> ProgressBar {
    styled(ProgressBar::no_length(), "{msg} {spinner} {human_pos} {per_sec}", what)
}

fn styled(bar: ProgressBar, template: &str, what: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())).with_message(what)
}
