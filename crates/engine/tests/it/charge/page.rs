//! `docs/request-charges.md`: the published figures and the claims of the seeds against ours, made from the same rows.

use std::fmt::Write;

use model::charge::{CHARGE_MODEL, ChargeProfile, QUERY_CONSTANTS, SIZE_STEPS};

use super::published::{Expectation, Published};
use super::{published, query_figures, seeds};

fn head(page: &mut String) {
    let _ = write!(
        page,
        "# Request charges\n\n\
         Every operation has a charge in request units. This page is made by a test from the rows that the tests\n\
         check (`UPDATE_REFERENCE=1 cargo test -p engine --test it charge::page` writes it anew). The model is\n\
         `{CHARGE_MODEL}`. Nothing here was measured by us against the hosted service: constants were fitted to what\n\
         others have published, and `planisphere cost refit` fits them to your own measurements.\n\n\
         ## The formula\n\n\
         Size is the compact JSON text without system properties. Point operations are counted in 1/21 of a request\n\
         unit, exactly.\n\n\
         - read: R(size); 1 when nothing is found or nothing has changed; twice at strong and bounded staleness\n\
         - create, delete: W(size) + 2 terms per indexed leaf, a term being 4/21; `id` is always a leaf, array\n\
         \u{20}\u{20}elements count singly; 2 terms per composite index whose paths all exist and per shape of a\n\
         \u{20}\u{20}spatial index; vectors by dimension\n\
         - replace: W(new) + W(old) in the profile `azure`, W(new) alone in `native`, + 2 terms per leaf removed or\n\
         \u{20}\u{20}added, or for the timestamp when nothing indexed has changed\n\
         - patch: as replace, + 8/21 per operation; batch: the sum; a refused write: 26/21\n\
         - a page of a feed: the reads of its items, 1 at least per physical partition\n\
         - databases, containers, offers: 1 to read, 104/21 to write\n\n"
    );
}

fn steps(page: &mut String) {
    page.push_str("| up to KB | R, read | W, write |\n|---|---|---|\n");
    for step in SIZE_STEPS {
        let printed = |units| model::RequestCharge::from_units(units);
        let (read, write) = (printed(step.read_units), printed(step.write_units));
        let _ = writeln!(page, "| {} | {read} | {write} |", step.kilobytes);
    }
    let prices = QUERY_CONSTANTS;
    let _ = write!(
        page,
        "\nA page of a query, for each physical partition it asks and for what it touches:\n\n\
         | for | request units |\n|---|---|\n"
    );
    for (what, price) in [
        ("opening a partition", prices.base),
        ("the first use of an index there", prices.first_index_use),
        (
            "each equality or range looked up there; IN of k values is k, a key in the request none",
            prices.lookup,
        ),
        ("each item returned", prices.loaded_item),
        ("each KB returned", prices.loaded_kilobyte),
        ("each item read only to be filtered or aggregated", prices.scanned_item),
        ("each KB of those", prices.scanned_kilobyte),
        (
            "each index entry walked: a value tested by CONTAINS and its like, an entry of an order that no composite \
          index serves together with the filter",
            prices.index_entry,
        ),
        ("each joined tuple, iterated element, aggregated entry", prices.tuple),
    ] {
        let _ = writeln!(page, "| {what} | {}.{:04} |", price / 10_000, price % 10_000);
    }
    page.push_str(
        "\nThe bill follows the plan that the service would run. Where this engine does less (rows made of index\n\
         terms, few items sorted after they are found) the price stays that of the plan; an order over a part of a\n\
         physical partition is taken to walk the entries that the filter finds. Vector, full-text and spatial\n\
         indexes do not serve queries yet, so those queries cost their scan.\n\n",
    );
}

fn table(page: &mut String, title: &str, figures: &[Published]) {
    let _ = write!(
        page,
        "## {title}\n\n| what | published | source | ours | off | allowed |\n|---|---|---|---|---|---|\n"
    );
    for figure in figures {
        let allowed = match figure.expectation {
            Expectation::Within(percent) => format!("{percent} %"),
            Expectation::Obsolete => "obsolete; below it".to_owned(),
        };
        let Published { what, source, published, ours, .. } = figure;
        let off = figure.percent();
        let off = if off.abs() < 0.05 { "0".to_owned() } else { format!("{off:+.1} %") };
        let _ = writeln!(page, "| {what} | {published} | {source} | {ours} | {off} | {allowed} |");
    }
    page.push('\n');
}

fn claims(page: &mut String) {
    page.push_str(
        "## The claims of the seeds\n\n\
         Each claim of the five systems in both profiles, with the condition under which it holds; `~N` is read as N,\n\
         40 percent either way. Figures in bold are out of range: they cost about twice as much where the removal of\n\
         the old version is paid.\n\n\
         | operation | claimed | azure | native | holds if |\n|---|---|---|---|---|\n",
    );
    for claim in seeds::claims() {
        let costs = |profile| {
            let texts: Vec<String> =
                (claim.cost)(profile).iter().map(ToString::to_string).collect();
            let text = texts.join(", ");
            if claim.holds(profile) { text } else { format!("**{text}**") }
        };
        let (azure, native) = (costs(ChargeProfile::Azure), costs(ChargeProfile::Native));
        let (what, claimed, condition) = (claim.what, claim.claimed, claim.condition);
        let _ = writeln!(page, "| {what} | {claimed} | {azure} | {native} | {condition} |");
    }
}

fn made() -> String {
    let mut page = String::new();
    head(&mut page);
    steps(&mut page);
    table(&mut page, "Reads and writes", &published::figures());
    table(&mut page, "Queries", &query_figures::figures());
    claims(&mut page);
    page
}

#[test]
fn the_page_of_request_charges_is_up_to_date() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/request-charges.md");
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(&path, made()).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == made(),
        "docs/request-charges.md is stale: UPDATE_REFERENCE=1 cargo test -p engine --test it charge::page"
    );
}
