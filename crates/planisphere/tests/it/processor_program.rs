//! The Rust program that the explorer offers for a change feed processor, for the container `orders` of `shop`. It is
//! compiled here; `main.rs` checks that it is the one of the page.

use planisphere::processor::{DeliveryContext, Processor, Reaction, ReactionError};
use planisphere::{Account, Change};
use serde_json::Value;

struct Print;

#[async_trait::async_trait]
impl Reaction<Value> for Print {
    async fn react(
        &self,
        changes: &[Change<Value>],
        _: &DeliveryContext,
    ) -> Result<(), ReactionError> {
        for change in changes {
            println!("{:?}", change.current.as_ref().map(|item| &item.value));
        }
        Ok(())
    }
}

// The feature "connect" of the package planisphere opens accounts behind an endpoint.
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (endpoint, key) = ("https://localhost:8081/", std::env::var("COSMOS_KEY")?);
    let account = Account::open(&format!("AccountEndpoint={endpoint};AccountKey={key};")).await?;
    let database = account.database("shop")?;
    let (changed, leases) = (database.container("orders")?, database.container("leases")?);
    let processor = Processor::builder(&changed, &leases, "my processor").build(Print).await?;
    processor.start()?;
    std::future::pending().await
}
