//! Delivery to local servers that validate requests, for every provider and every class of response.

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
