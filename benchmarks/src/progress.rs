//! Progress output: bars on a terminal only; steps as lines everywhere.

use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over so many items.
pub(crate) fn bar(items: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(items);
    if let Ok(style) =
        ProgressStyle::with_template("{msg:28} {wide_bar} {pos}/{len} {per_sec} {eta}")
    {
        bar.set_style(style);
    }
    bar.set_message(what.to_owned());
    bar
}

/// A step that shows no progress.
pub(crate) fn step(what: &str) {
    if !std::io::stderr().is_terminal() {
        // Nobody reads it if this fails.
        let _ = writeln!(std::io::stderr(), "{what}");
        return;
    }
    let line = ProgressBar::new_spinner();
    line.set_message(what.to_owned());
    line.tick();
    line.finish();
}
