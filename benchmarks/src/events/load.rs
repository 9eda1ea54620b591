//! The measurements, the same for every store.

use std::sync::Arc;
use std::time::Duration;

use super::run::{EventsOptions, EventsSide};
use super::store::LoadedStore;
use crate::meter::now;
use crate::{Result, progress};

/// Writers, events of an append, tags of an event.
pub(super) const SHAPES: [(usize, usize, usize); 12] = [
    (1, 1, 0),
    (1, 1, 1),
    (1, 1, 3),
    (1, 10, 0),
    (1, 10, 1),
    (1, 10, 3),
    (16, 1, 0),
    (16, 1, 1),
    (16, 1, 3),
    (16, 10, 0),
    (16, 10, 1),
    (16, 10, 3),
];
pub(super) const CONTENDERS: usize = 50;
/// Tags that the contenders share.
pub(super) const CONTENDED: [usize; 2] = [1, CONTENDERS];
/// Events of each tag that is read.
pub(super) const TAG_EVENTS: usize = 20;
pub(super) const TIMES: usize = 50;
const FILL_WRITERS: usize = 16;
const FILL_BATCH: usize = 99;

/// A tag in the middle of what was filled.
pub(super) fn read_tag_of(size: usize) -> String {
    format!("Fill:{}", size / TAG_EVENTS / 2)
}

/// Runs all measurements on a fresh store.
pub(super) async fn measure(
    name: &str,
    store: Arc<dyn LoadedStore>,
    options: &EventsOptions,
) -> Result<EventsSide> {
    let mut side = EventsSide { name: name.to_owned(), ..EventsSide::default() };
    let mut filled = 0;
    // Before the appends, so that the sizes are those of the store.
    for &size in &options.sizes {
        progress::step(&format!("{name}: {size} events"));
        fill(&store, filled..size).await?;
        filled = size;
        side.tag_reads_ms.push(read_tag(&*store, size).await?);
    }
    let started = now();
    let count = store.read_all().await?;
    side.read_all = Some(count as f64 / started.elapsed().as_secs_f64());
    let started = now();
    let projected = store.project().await?;
    side.projected = projected.map(|count| count as f64 / started.elapsed().as_secs_f64());
    for shape in SHAPES {
        progress::step(&format!("{name}: appends {shape:?}"));
        side.appends.push(appends(&store, shape, options.measured()).await?);
    }
    for tags in CONTENDED {
        progress::step(&format!("{name}: {CONTENDERS} writers, {tags} tags"));
        side.conditional.push(contend(&store, tags, options.measured()).await?);
    }
    let times = store.live(TIMES).await?;
    side.live_ms = times.map(median_ms);
    Ok(side)
}

async fn fill(store: &Arc<dyn LoadedStore>, range: std::ops::Range<usize>) -> Result<()> {
    let tags: Vec<String> = range.map(|number| format!("Fill:{}", number / TAG_EVENTS)).collect();
    // A writer has tags of its own, so that writers do not wait for each other.
    let share = (tags.len() / FILL_WRITERS).next_multiple_of(TAG_EVENTS).max(TAG_EVENTS);
    let work = tags.chunks(share).map(|tags| {
        let (store, tags) = (Arc::clone(store), tags.to_vec());
        tokio::spawn(async move {
            for batch in tags.chunks(FILL_BATCH) {
                store.append_tagged(batch).await?;
            }
            Ok::<(), crate::Error>(())
        })
    });
    for one in work.collect::<Vec<_>>() {
        one.await??;
    }
    Ok(())
}

async fn read_tag(store: &dyn LoadedStore, size: usize) -> Result<f64> {
    let tag = read_tag_of(size);
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let started = now();
        let found = store.read_tag(&tag).await?;
        times.push(started.elapsed());
        if found != TAG_EVENTS {
            return Err(format!("{tag} has {found} events instead of {TAG_EVENTS}").into());
        }
    }
    Ok(median_ms(times))
}

/// Events per second.
async fn appends(
    store: &Arc<dyn LoadedStore>,
    (writers, events, tags): (usize, usize, usize),
    time: Duration,
) -> Result<f64> {
    let started = now();
    let work = (0..writers).map(|writer| {
        let store = Arc::clone(store);
        tokio::spawn(async move {
            let tags: Vec<String> = (0..tags).map(|tag| format!("W{writer}:{tag}")).collect();
            let mut count = 0;
            while started.elapsed() < time {
                store.append(events, &tags).await?;
                count += events;
            }
            Ok::<usize, crate::Error>(count)
        })
    });
    sum(work.collect()).await.map(|total| total as f64 / started.elapsed().as_secs_f64())
}

/// Conditional appends per second that happened.
async fn contend(store: &Arc<dyn LoadedStore>, tags: usize, time: Duration) -> Result<f64> {
    let started = now();
    let work = (0..CONTENDERS).map(|writer| {
        let (store, tag) = (Arc::clone(store), format!("Seat{tags}:{}", writer % tags));
        tokio::spawn(async move {
            let mut count = 0;
            while started.elapsed() < time {
                count += usize::from(store.append_if_unchanged(&tag).await?);
            }
            Ok::<usize, crate::Error>(count)
        })
    });
    sum(work.collect()).await.map(|total| total as f64 / started.elapsed().as_secs_f64())
}

async fn sum(work: Vec<tokio::task::JoinHandle<Result<usize>>>) -> Result<usize> {
    let mut total = 0;
    for one in work {
        total += one.await??;
    }
    Ok(total)
}

fn median_ms(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1_000.0)
}
