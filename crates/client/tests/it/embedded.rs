//! The contract inside the program: in memory and in a folder.

use client::contract::{self, Requirement};
use client::{Account, ErrorKind, StorageLocation};

async fn check(account: &Account) {
    let broken = contract::run(account, &[Requirement::AllVersions]).await.unwrap();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_contract_holds_in_memory() {
    let account = Account::embedded(StorageLocation::Memory).await.unwrap();
    check(&account).await;
    account.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_contract_holds_in_a_folder_and_what_was_written_is_there_again() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("account");
    let account = Account::embedded(place.as_path()).await.unwrap();
    check(&account).await;
    account.close().await.unwrap();
    drop(account);
    let again = Account::open(place.to_str().unwrap()).await.unwrap();
    again.database("planisphere-contract").unwrap().read().await.unwrap();
    again.close().await.unwrap();
}

#[tokio::test]
async fn one_setting_says_where_an_account_is() {
    let memory = Account::open("memory").await.unwrap();
    memory.database("d").unwrap().create_if_missing(None).await.unwrap();
    memory.close().await.unwrap();
    let closed = memory.database("d").unwrap().read().await;
    assert_eq!(closed.unwrap_err().kind(), ErrorKind::Unavailable);
}

#[cfg(not(feature = "connect"))]
#[tokio::test]
async fn without_the_feature_an_endpoint_is_refused() {
    let refused = Account::open("AccountEndpoint=http://localhost:1/;AccountKey=a2V5;").await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unsupported);
}
