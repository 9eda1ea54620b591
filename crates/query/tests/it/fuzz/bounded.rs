//! The bounded runs.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::corpus::Corpus;
use super::mutate::{Dice, by_bytes, by_tokens};
use super::oracle;

/// The default number of inputs of a run: what a few seconds allow.
const INPUTS: u64 = if cfg!(debug_assertions) { 8_000 } else { 200_000 };

/// The seeds of a run: all of them, or the one that failed.
fn seeds() -> Vec<u64> {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    match (number("FUZZ_SEED"), number("FUZZ_INPUTS")) {
        (Some(seed), _) => vec![seed],
        (None, inputs) => (0..inputs.unwrap_or(INPUTS)).collect(),
    }
}

/// Runs a check on the input of each seed; a panic is reported with the seed and the input.
fn run(input: impl Fn(&mut Dice) -> Vec<u8>, check: impl Fn(&[u8])) {
    for seed in seeds() {
        let input = input(&mut Dice::new(seed));
        let outcome = catch_unwind(AssertUnwindSafe(|| check(&input)));
        let shown = String::from_utf8_lossy(&input);
        assert!(outcome.is_ok(), "FUZZ_SEED={seed} gives the input\n{shown}");
    }
}

#[test]
fn queries_are_rejected_or_parsed() {
    let Corpus { queries, .. } = Corpus::read();
    let input = |dice: &mut Dice| {
        let text: &str = dice.pick(&queries);
        match dice.below(3) {
            0 => by_bytes(text.as_bytes(), dice),
            _ => {
                let other: &str = dice.pick(&queries);
                by_tokens(text, other, dice).into_bytes()
            }
        }
    };
    run(input, |input| oracle::check_query(&String::from_utf8_lossy(input)));
}

#[test]
fn items_are_rejected_or_parsed() {
    let Corpus { items, .. } = Corpus::read();
    let input = |dice: &mut Dice| {
        let text: &str = dice.pick(&items);
        by_bytes(text.as_bytes(), dice)
    };
    run(input, oracle::check_item);
}

#[test]
fn unchanged_texts_pass() {
    let Corpus { queries, items } = Corpus::read();
    queries.iter().for_each(|text| oracle::check_query(text));
    items.iter().for_each(|text| oracle::check_item(text.as_bytes()));
}
