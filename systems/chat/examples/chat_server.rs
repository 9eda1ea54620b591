//! A chat in memory with everything switched on, for the official clients of SignalR in `conformance`.
//!
//! Prints its address as JSON. One-time codes are not sent: `GET /control/code/{user}` shows the newest one, once, so
//! that a client signs in as a person does. Reminders go to the same addresses and are dropped.

#![expect(clippy::print_stdout, reason = "its one output is for the test")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use chat::{
    Chat, ChatHub, ChatParts, ChatSettings, DeliveryAddress, FeatureSettings, OtpSettings,
    OutgoingText, TextSender,
};
use client::{Account, Environment};
use serde_json::{Value, json};
use service::http::{HttpServer, HttpSettings};
use service::identity::{Identity, IdentitySettings};
use tokio::net::TcpListener;

/// The newest code to each address that nobody has asked for.
#[derive(Clone, Default)]
struct NewestCodes(Arc<Mutex<HashMap<String, String>>>);

#[async_trait]
impl TextSender for NewestCodes {
    async fn send(&self, outgoing: &OutgoingText) -> chat::Result<()> {
        let (DeliveryAddress::Mail(to) | DeliveryAddress::Mobile(to)) = &outgoing.address;
        let is_code = |word: &&str| word.len() == 6 && word.bytes().all(|b| b.is_ascii_digit());
        if let Some(code) = outgoing.text.split([' ', '.']).find(is_code) {
            let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            codes.insert(to.clone(), code.to_owned());
        }
        Ok(())
    }
}

async fn code(
    State(codes): State<NewestCodes>,
    Path(user): Path<String>,
) -> Result<Json<Value>, StatusCode> {
    let mut codes = codes.0.lock().unwrap_or_else(PoisonError::into_inner);
    let code = codes.remove(&user).ok_or(StatusCode::NOT_FOUND)?;
    Ok(Json(json!({ "code": code })))
}

fn settings() -> ChatSettings {
    let mut settings = ChatSettings { features: FeatureSettings::all(), ..ChatSettings::default() };
    settings.testing.in_memory = true;
    settings.otp = OtpSettings { memory_kib: 8_192, iterations: 1, ..OtpSettings::default() };
    // Many clients sign in from one address.
    settings.rate_limiting.auth.permit_limit = 10_000;
    settings.rate_limiting.messages.permit_limit = 10_000;
    settings.chat.connections_per_user = 1_000;
    settings
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let environment = Environment::system();
    let codes = NewestCodes::default();
    let parts = ChatParts { sender: Some(Arc::new(codes.clone())), ..ChatParts::default() };
    let account = Account::open("memory").await?;
    let chat = Chat::open(account, settings(), environment.clone(), parts).await?;
    chat.seed().await?;
    let identity = Identity::new(environment.clone(), &IdentitySettings::demo())?;
    let http = HttpSettings { requests_per_minute: 0, ..HttpSettings::default() };
    let server = HttpServer::new(environment, http, identity);
    let hub = ChatHub::new(&chat, &server);
    let control = Router::new().route("/control/code/{user}", get(code)).with_state(codes);
    let router = chat.router(&server, &[]).merge(hub.routes()).merge(control);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", json!({ "endpoint": format!("http://{}", listener.local_addr()?) }));
    tokio::join!(server.serve_at(listener, router), chat.run(server.shutdown())).0?;
    Ok(())
}
