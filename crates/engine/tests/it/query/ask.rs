//! How tests ask: a container with items, a query text, rows as text.

use engine::operation::{CreateItem, PageOptions};
use engine::query::{QueryItems, QueryMetrics, QueryPage};
use engine::{ContainerLink, Engine, Result};
use model::Json;

/// Creates items in the order given.
pub(crate) async fn fill(engine: &Engine, link: &ContainerLink, items: &[&str]) {
    for item in items {
        create(engine, link, Json::parse(item.as_bytes()).unwrap()).await;
    }
}

pub(crate) async fn create(engine: &Engine, link: &ContainerLink, item: Json) {
    let create = CreateItem {
        container: link.clone(),
        partition_key: None,
        item: item.into(),
        options: Default::default(),
    };
    engine.create_item(create).await.unwrap();
}

/// The next page of a query.
pub(crate) async fn page(
    engine: &Engine,
    query: &QueryItems,
    items_max: usize,
    continuation: Option<String>,
) -> Result<QueryPage> {
    let page = PageOptions { items_max: Some(items_max), continuation };
    Ok(engine.query_items(QueryItems { page, ..query.clone() }).await?.value)
}

/// All rows of a query, read in pages of a size, and the sum of what was touched.
pub(crate) async fn rows_in_pages(
    engine: &Engine,
    query: &QueryItems,
    items_max: usize,
) -> (Vec<String>, QueryMetrics) {
    let (mut rows, mut touched, mut continuation) = (Vec::new(), QueryMetrics::default(), None);
    loop {
        let page = page(engine, query, items_max, continuation).await.unwrap();
        assert!(page.rows.len() <= items_max);
        rows.extend(page.rows.iter().map(|row| String::from_utf8(row.to_vec()).unwrap()));
        touched.index_entries += page.metrics.index_entries;
        touched.items_loaded += page.metrics.items_loaded;
        touched.items_scanned += page.metrics.items_scanned;
        continuation = page.continuation;
        if continuation.is_none() {
            return (rows, touched);
        }
    }
}

/// The rows of a text over a whole container.
pub(crate) async fn rows(engine: &Engine, link: &ContainerLink, text: &str) -> Vec<String> {
    rows_in_pages(engine, &QueryItems::new(link.clone(), text), 1000).await.0
}
