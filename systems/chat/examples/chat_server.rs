//! A chat in memory with everything switched on, for the official clients of SignalR in `conformance`.
//!
//! Prints its address as JSON. One-time codes are not sent: `GET /control/code/{user}` shows the newest one, so that a
//! client signs in as a person does.

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

/// The newest text to each address.
#[derive(Clone, Default)]
struct NewestTexts(Arc<Mutex<HashMap<String, String>>>);

#[async_trait]
impl TextSender for NewestTexts {
    async fn send(&self, outgoing: &OutgoingText) -> chat::Result<()> {
        let (DeliveryAddress::Mail(to) | DeliveryAddress::Mobile(to)) = &outgoing.address;
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.insert(to.clone(), outgoing.text.clone());
        Ok(())
    }
}

async fn code(
    State(texts): State<NewestTexts>,
    Path(user): Path<String>,
) -> Result<Json<Value>, StatusCode> {
    let texts = texts.0.lock().unwrap_or_else(PoisonError::into_inner);
    let text = texts.get(&user).ok_or(StatusCode::NOT_FOUND)?;
    let code: String = text.chars().filter(char::is_ascii_digit).take(6).collect();
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
    let texts = NewestTexts::default();
    let parts = ChatParts { sender: Some(Arc::new(texts.clone())), ..ChatParts::default() };
    let account = Account::open("memory").await?;
    let chat = Chat::open(account, settings(), environment.clone(), parts).await?;
    chat.seed().await?;
    let identity = Identity::new(environment.clone(), &IdentitySettings::demo())?;
    let http = HttpSettings { requests_per_minute: 0, ..HttpSettings::default() };
    let server = HttpServer::new(environment, http, identity);
    let hub = ChatHub::new(&chat, &server);
    let control = Router::new().route("/control/code/{user}", get(code)).with_state(texts);
    let router = chat.router(&server, &[]).merge(hub.routes()).merge(control);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", json!({ "endpoint": format!("http://{}", listener.local_addr()?) }));
    tokio::join!(server.serve_at(listener, router), chat.run(server.shutdown())).0?;
    Ok(())
}
