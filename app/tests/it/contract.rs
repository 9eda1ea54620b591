//! The contract of the client over HTTP, against the server as it ships: a process of its own.

use client::Account;
use client::contract::{self, Requirement};

use crate::serve::{start, terminate, text};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_contract_holds_against_a_server_process() {
    let (server, ready) = start(&["--memory"]);
    let account = Account::connect(text(&ready, "connectionString")).await.unwrap();
    let broken = contract::run(&account, &[Requirement::AllVersions]).await;
    account.close().await.unwrap();
    assert_eq!(terminate(server), Some(0));
    let broken = broken.unwrap();
    assert!(broken.is_empty(), "{broken:#?}");
}
