//! Promises about the processor.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use model::PartitionKey;

use super::ContractFixture;
use super::check::{AccountCaseResult, AccountViolation, TestOrder, equal, holds};
use crate::change_feed::Change;
use crate::processor::{DeliveryContext, Processor, ProcessorStart, Reaction, ReactionError};
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
impl Reaction<TestOrder> for Remember {
    async fn react(
        &self,
        changes: &[Change<TestOrder>],
        _: &DeliveryContext,
    ) -> Result<(), ReactionError> {
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
    fixture: &ContractFixture,
    name: &str,
    instance: &str,
    reaction: &Remember,
) -> Result<Processor<TestOrder>, AccountViolation> {
    let builder = Processor::<TestOrder>::builder(&fixture.orders, &fixture.leases, name);
    let builder = builder.instance(instance).start_at(ProcessorStart::Now).attempts_max(2);
    Ok(builder.build(reaction.clone()).await?)
}

pub(super) async fn a_processor_goes_on_where_it_was(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let customer = fixture.fresh("processed");
    let key = PartitionKey::from(customer.as_str());
    let reaction = Remember::new(&customer);
    let first = processor(&fixture, &customer, "one", &reaction).await?;
    first.run_once().await?;
    fixture.orders.create(&key, &TestOrder::new("1", &customer, 1)).await?;
    holds("its leases are taken", first.run_once().await?.leases > 0)?;
    equal("handled at once", reaction.seen(), vec![("1".to_owned(), 1)])?;
    first.run_once().await?;
    equal("not handled again", reaction.seen().len(), 1)?;
    first.stop().await?;
    fixture.orders.create(&key, &TestOrder::new("2", &customer, 2)).await?;
    let second = processor(&fixture, &customer, "two", &reaction).await?;
    holds("leases that were freed are taken", second.run_once().await?.leases > 0)?;
    equal("handled by the next", reaction.seen().last().cloned(), Some(("2".to_owned(), 2)))?;
    equal("handled once", reaction.seen().len(), 2)
}

pub(super) async fn a_lease_has_one_owner(fixture: ContractFixture) -> AccountCaseResult {
    let customer = fixture.fresh("owned");
    let reaction = Remember::new(&customer);
    let first = processor(&fixture, &customer, "one", &reaction).await?;
    let second = processor(&fixture, &customer, "two", &reaction).await?;
    let all = first.run_once().await?.leases;
    let ranges = fixture.orders.feed_ranges().await?.value.len();
    equal("alone it has all leases", all, ranges)?;
    for _ in 0..4 {
        second.run_once().await?;
        first.run_once().await?;
    }
    let (one, two) = (first.run_once().await?.leases, second.run_once().await?.leases);
    equal("together they have all leases", one + two, ranges)?;
    holds("and share them", one.abs_diff(two) <= 1)
}

pub(super) async fn what_cannot_be_handled_is_parked(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let customer = fixture.fresh("parked");
    let key = PartitionKey::from(customer.as_str());
    let reaction = Remember::new(&customer);
    let one = processor(&fixture, &customer, "one", &reaction).await?;
    one.run_once().await?;
    for (id, total) in [("1", 1), ("2", 13), ("3", 3)] {
        fixture.orders.create(&key, &TestOrder::new(id, &customer, total)).await?;
    }
    equal("parked", one.run_once().await?.parked, 1)?;
    let handled = vec![("1".to_owned(), 1), ("3".to_owned(), 3)];
    equal("handled", reaction.seen(), handled)?;
    let text = Query::text("SELECT VALUE c.item.total FROM c WHERE c.processor = @name");
    let query =
        text.parameter("@name", customer.as_str()).fan_out("parked items have keys of their own");
    equal("kept", fixture.leases.query::<i64>(&query).await?.value, vec![13])?;
    equal("not tried again", one.run_once().await?.parked, 0)
}
