//! The running system on the machine's clock, until it is stopped: the rest of NT-A2.

use std::sync::Arc;

use client::Environment;
use engine::Engine;
use notifications::{NotificationSettings, Notifications};
use service::http::ShutdownSignal;

use super::ask::{Ask, Way};
use super::stage::like;
use crate::world::Provider;

pub(crate) async fn nt_a02_a_running_system_brings_it_by_itself<W: Way>() {
    let engine = Engine::in_memory().await.unwrap();
    let (account, _server) = W::account(&engine).await;
    let (environment, delivery) = (Environment::system(), Arc::new(Provider::default()));
    let system = Notifications::open(
        account,
        NotificationSettings::default(),
        environment.clone(),
        delivery,
    );
    let system = system.await.unwrap();
    let way = W::drive(&system, &environment).await;
    let shutdown = ShutdownSignal::new();
    let running = tokio::spawn({
        let (system, shutdown) = (system.clone(), shutdown.clone());
        async move { system.run(&shutdown).await }
    });
    way.ask(Ask::Send(&like("alice"))).await.unwrap();
    loop {
        let page = way.ask(Ask::List("bob")).await.unwrap();
        if page["notifications"][0]["title"] == "alice liked your post" {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    shutdown.trigger();
    running.await.unwrap().unwrap();
    // Its leases are free: another worker has them at once.
    let next = system.dispatcher("next").await.unwrap();
    assert!(next.run_once().await.unwrap().leases > 0);
}
