//! Delivery against local servers that check what they get, for every provider and every class of answer.

mod apns;
mod fcm;
mod front;
mod goaway;
mod ground;
mod judges;
mod mail;
mod pipeline;
mod providers;
mod secrets;
mod tls;
mod webhook;
