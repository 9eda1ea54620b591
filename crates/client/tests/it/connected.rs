//! The contract over HTTP: against our gateway on a socket, and against any account that is named.

use std::net::SocketAddr;

use client::contract::{self, Requirement};
use client::{Account, Credential, Endpoint, ErrorKind};
use engine::Engine;
use gateway::{EMULATOR_KEY, Gateway, GatewaySettings};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// The variable that names an account to test against.
const VARIABLE: &str = "PLANISPHERE_TEST_CONNECTION_STRING";

/// A gateway on a port of its own; it stops when the sender is dropped.
async fn serve() -> (SocketAddr, oneshot::Sender<()>) {
    let engine = Engine::in_memory().await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    tokio::spawn(async move {
        let gateway = Gateway::new(engine, GatewaySettings::default());
        gateway
            .serve(listener, async {
                let _ = stopped.await;
            })
            .await;
    });
    (address, stop)
}

fn connection_string(address: SocketAddr) -> String {
    format!("AccountEndpoint=http://{address}/;AccountKey={EMULATOR_KEY};")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_contract_holds_over_http() {
    let (address, _stop) = serve().await;
    let account = Account::connect(connection_string(address)).await.unwrap();
    let broken = contract::run(&account, &[Requirement::AllVersions]).await.unwrap();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_key_is_unauthorized() {
    let (address, _stop) = serve().await;
    let url = format!("http://{address}/");
    let credential = Credential::AccountKey("d3Jvbmc=".to_owned());
    let refused = match Account::connect(Endpoint::Address { url, credential }).await {
        Ok(account) => account.database("d").unwrap().read().await.unwrap_err(),
        Err(error) => error,
    };
    assert_eq!(refused.kind(), ErrorKind::Unauthorized, "{refused}");
}

#[tokio::test]
async fn a_wrong_connection_string_is_refused_without_its_key() {
    let refused = Account::open("AccountEndpoint=;AccountKey=c2VjcmV0;").await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::BadRequest);
    assert!(!refused.to_string().contains("c2VjcmV0"), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_contract_holds_on_the_account_that_is_named() {
    let Ok(place) = std::env::var(VARIABLE) else {
        eprintln!("SKIPPED: {VARIABLE} names no account to try the contract on");
        return;
    };
    let account = Account::connect(place).await.unwrap();
    // Continuous backup, which all versions need, is a choice of the account that a test cannot see.
    let broken = contract::run(&account, &[]).await.unwrap();
    assert!(broken.is_empty(), "{broken:#?}");
}
