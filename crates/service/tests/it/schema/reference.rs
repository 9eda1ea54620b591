//! The example of the reference page is a schema.

use client::{Account, StorageLocation};
use service::schema::Schema;

const PAGE: &str = include_str!("../../../../../docs/reference/schema.md");

#[tokio::test]
async fn the_example_of_the_reference_page_is_read_and_applied() {
    let (_, rest) = PAGE.split_once("```toml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let schema = Schema::from_toml("schema.md", example).unwrap();
    assert_eq!(schema.databases().len(), 1);
    assert!(schema.databases()[0].containers().len() >= 3);
    let account = Account::embedded(StorageLocation::Memory).await.unwrap();
    let plan = schema.apply(&account).await.unwrap();
    let printed = PAGE.split_once("```text\n").unwrap().1.split_once("\n```").unwrap().0;
    assert_eq!(plan.to_string(), printed);
    assert!(schema.plan(&account).await.unwrap().is_same());
}
