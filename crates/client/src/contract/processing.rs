//! Promises about the processor.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use model::PartitionKey;

use super::Ground;
use super::check::{Checked, Order, Violation, equal, holds};
use crate::change_feed::Change;
use crate::processor::{Context, Processor, ProcessorStart, Reaction, ReactionError};
use crate::query::Query;

/// Remembers the orders of one customer, and fails for those that cost 13.
#[derive(Clone)]
struct Remember {
    customer: String,
    seen: Arc<Mutex<Vec<(String, i64)>>>,
}

impl Remember {
    fn new(customer: &str) -> Self {
        Self { customer: customer.to_owned(), seen: Arc::default() }
    }

    fn seen(&self) -> Vec<(String, i64)> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Reaction<Order> for Remember {
    async fn react(&self, changes: &[Change<Order>], _: &Context) -> Result<(), ReactionError> {
        let items = changes.iter().filter_map(|change| change.current.as_ref());
        let ours: Vec<_> = items.filter(|item| item.value.customer == self.customer).collect();
        if ours.iter().any(|item| item.value.total == 13) {
            return Err("thirteen".into());
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.extend(ours.into_iter().map(|item| (item.value.id.clone(), item.value.total)));
        Ok(())
    }
}

async fn processor(
    ground: &Ground,
    name: &str,
    instance: &str,
    reaction: &Remember,
) -> Result<Processor<Order>, Violation> {
    let builder = Processor::<Order>::builder(&ground.orders, &ground.leases, name);
    let builder = builder.instance(instance).start_at(ProcessorStart::Now).attempts_max(2);
    Ok(builder.build(reaction.clone()).await?)
}

pub(super) async fn a_processor_goes_on_where_it_was(ground: Ground) -> Checked {
    let customer = ground.fresh("processed");
    let key = PartitionKey::from(customer.as_str());
    let reaction = Remember::new(&customer);
    let first = processor(&ground, &customer, "one", &reaction).await?;
    first.run_once().await?;
    ground.orders.create(&key, &Order::new("1", &customer, 1)).await?;
    holds("its leases are taken", first.run_once().await?.leases > 0)?;
    equal("handled at once", reaction.seen(), vec![("1".to_owned(), 1)])?;
    first.run_once().await?;
    equal("not handled again", reaction.seen().len(), 1)?;
    first.stop().await?;
    ground.orders.create(&key, &Order::new("2", &customer, 2)).await?;
    let second = processor(&ground, &customer, "two", &reaction).await?;
    holds("leases that were freed are taken", second.run_once().await?.leases > 0)?;
    equal("handled by the next", reaction.seen().last().cloned(), Some(("2".to_owned(), 2)))?;
    equal("handled once", reaction.seen().len(), 2)
}

pub(super) async fn a_lease_has_one_owner(ground: Ground) -> Checked {
    let customer = ground.fresh("owned");
    let reaction = Remember::new(&customer);
    let first = processor(&ground, &customer, "one", &reaction).await?;
    let second = processor(&ground, &customer, "two", &reaction).await?;
    let all = first.run_once().await?.leases;
    let ranges = ground.orders.feed_ranges().await?.value.len();
    equal("alone it has all leases", all, ranges)?;
    for _ in 0..4 {
        second.run_once().await?;
        first.run_once().await?;
    }
    let (one, two) = (first.run_once().await?.leases, second.run_once().await?.leases);
    equal("together they have all leases", one + two, ranges)?;
    holds("and share them", one.abs_diff(two) <= 1)
}

pub(super) async fn what_cannot_be_handled_is_parked(ground: Ground) -> Checked {
    let customer = ground.fresh("parked");
    let key = PartitionKey::from(customer.as_str());
    let reaction = Remember::new(&customer);
    let one = processor(&ground, &customer, "one", &reaction).await?;
    one.run_once().await?;
    for (id, total) in [("1", 1), ("2", 13), ("3", 3)] {
        ground.orders.create(&key, &Order::new(id, &customer, total)).await?;
    }
    equal("parked", one.run_once().await?.parked, 1)?;
    let handled = vec![("1".to_owned(), 1), ("3".to_owned(), 3)];
    equal("handled", reaction.seen(), handled)?;
    let text = Query::text("SELECT VALUE c.item.total FROM c WHERE c.processor = @name");
    let query =
        text.parameter("@name", customer.as_str()).fan_out("parked items have keys of their own");
    equal("kept", ground.leases.query::<i64>(&query).await?.value, vec![13])?;
    equal("not tried again", one.run_once().await?.parked, 0)
}
