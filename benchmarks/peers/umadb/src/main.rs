//! The load of `benchmarks events` on UmaDB: one task per call, its result as one number per line.
//!
//! ```text
//! umadb-load URL appends WRITERS EVENTS TAGS MILLISECONDS     events per second
//! umadb-load URL contend WRITERS TAGS MILLISECONDS            conditional appends per second
//! umadb-load URL fill FROM TO TAG_EVENTS                      fills; a tag has so many events
//! umadb-load URL read-tag TAG TIMES                           milliseconds of a read, the median; then events
//! umadb-load URL read-all                                     events per second
//! umadb-load URL latency TIMES                                milliseconds from append to reader, the median
//! ```

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use umadb_client::{AsyncUmaDbClient, UmaDbClient};
use umadb_dcb::{
    DcbAppendCondition, DcbError, DcbEvent, DcbEventStoreAsync, DcbQuery, DcbQueryItem,
};
use uuid::Uuid;

type Failure = Box<dyn std::error::Error + Send + Sync>;

const PAYLOAD: &str = r#"{"studentId":"s1","name":"Ann Example","maxClassCount":5}"#;
const FILL_BATCH: usize = 99;

fn event(tags: Vec<String>) -> DcbEvent {
    DcbEvent::default()
        .event_type("StudentCreated")
        .tags(tags)
        .data(PAYLOAD.as_bytes())
        .uuid(Uuid::new_v4())
}

fn of_tag(tag: &str) -> DcbQuery {
    DcbQuery::new().item(DcbQueryItem::new().tags([tag]))
}

async fn read(
    client: &AsyncUmaDbClient,
    query: Option<DcbQuery>,
) -> Result<(usize, Option<u64>), Failure> {
    let mut found = client.read(query, None, false, None).await?;
    let mut count = 0;
    while let Some(one) = found.next().await {
        one?;
        count += 1;
    }
    Ok((count, found.head().await?))
}

async fn appends(
    client: Arc<AsyncUmaDbClient>,
    (writers, events, tags): (usize, usize, usize),
    time: Duration,
) -> Result<f64, Failure> {
    let started = Instant::now();
    let work = (0..writers).map(|writer| {
        let client = Arc::clone(&client);
        tokio::spawn(async move {
            let mut count = 0;
            while started.elapsed() < time {
                let tags: Vec<String> = (0..tags).map(|tag| format!("W{writer}:{tag}")).collect();
                let batch = (0..events).map(|_| event(tags.clone())).collect();
                client.append(batch, None, None).await?;
                count += events;
            }
            Ok::<usize, DcbError>(count)
        })
    });
    let work: Vec<_> = work.collect();
    let mut total = 0;
    for one in work {
        total += one.await??;
    }
    Ok(total as f64 / started.elapsed().as_secs_f64())
}

async fn contend(
    client: Arc<AsyncUmaDbClient>,
    writers: usize,
    tags: usize,
    time: Duration,
) -> Result<f64, Failure> {
    let started = Instant::now();
    let work = (0..writers).map(|writer| {
        let client = Arc::clone(&client);
        let tag = format!("Seat{tags}:{}", writer % tags);
        tokio::spawn(async move {
            let mut count = 0;
            while started.elapsed() < time {
                let query = of_tag(&tag);
                // The newest event is what the decision depends on.
                let mut found = client.read(Some(query.clone()), None, true, Some(1)).await?;
                let mut after = None;
                while let Some(one) = found.next().await {
                    after = Some(one?.position);
                }
                let condition = DcbAppendCondition { fail_if_events_match: query, after };
                match client.append(vec![event(vec![tag.clone()])], Some(condition), None).await {
                    Ok(_) => count += 1,
                    Err(DcbError::IntegrityError(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok::<usize, DcbError>(count)
        })
    });
    let work: Vec<_> = work.collect();
    let mut total = 0;
    for one in work {
        total += one.await??;
    }
    Ok(total as f64 / started.elapsed().as_secs_f64())
}

async fn fill(
    client: &AsyncUmaDbClient,
    range: std::ops::Range<usize>,
    of_tag: usize,
) -> Result<(), Failure> {
    let numbers: Vec<usize> = range.collect();
    for batch in numbers.chunks(FILL_BATCH) {
        let made = batch.iter().map(|number| event(vec![format!("Fill:{}", number / of_tag)]));
        client.append(made.collect(), None, None).await?;
    }
    Ok(())
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1_000.0)
}

async fn latency(client: Arc<AsyncUmaDbClient>, times: usize) -> Result<f64, Failure> {
    let head = client.head().await?;
    let mut subscription = client.subscribe(None, head).await?;
    let mut found = Vec::new();
    for _ in 0..times {
        let started = Instant::now();
        client.append(vec![event(Vec::new())], None, None).await?;
        if let Some(one) = subscription.next().await {
            one?;
        }
        found.push(started.elapsed());
    }
    Ok(median(found))
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let url = words.first().ok_or("give the URL of a server")?.clone();
    let task = words.get(1).ok_or("give a task")?.as_str();
    let number = |at: usize| -> Result<usize, Failure> {
        Ok(words.get(at).ok_or("a number is missing")?.parse()?)
    };
    let ms =
        |at: usize| -> Result<Duration, Failure> { Ok(Duration::from_millis(number(at)? as u64)) };
    let client = Arc::new(UmaDbClient::new(url).connect_async().await?);
    match task {
        "appends" => {
            let shape = (number(2)?, number(3)?, number(4)?);
            println!("{}", appends(client, shape, ms(5)?).await?);
        }
        "contend" => println!("{}", contend(client, number(2)?, number(3)?, ms(4)?).await?),
        "fill" => fill(&client, number(2)?..number(3)?, number(4)?).await?,
        "read-tag" => {
            let tag = words.get(2).ok_or("give a tag")?;
            let (mut times, mut count) = (Vec::new(), 0);
            for _ in 0..number(3)? {
                let started = Instant::now();
                count = read(&client, Some(of_tag(tag))).await?.0;
                times.push(started.elapsed());
            }
            println!("{}\n{count}", median(times));
        }
        "read-all" => {
            let started = Instant::now();
            let (count, _) = read(&client, None).await?;
            println!("{}", count as f64 / started.elapsed().as_secs_f64());
        }
        "latency" => println!("{}", latency(client, number(2)?).await?),
        other => return Err(format!("there is no task '{other}'").into()),
    }
    Ok(())
}
