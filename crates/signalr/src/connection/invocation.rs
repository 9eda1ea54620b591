//! One call of a hub method: binding its parameters and running it.
//!
//! Does not own which calls may run; see `dispatch.rs`.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt as _, StreamExt as _};
use serde::de::DeserializeOwned;
use tokio::sync::{Notify, watch};

use super::hub_connection::{HubConnection, lock};
use super::upload::{UploadSink, UploadStream, upload_stream};
use crate::error::HubError;
use crate::hub::Cancellation;
use crate::message::{CallAnswer, HubProtocol, RawItem};

/// What a call brings for the parameters of its method.
#[allow(missing_debug_implementations)]
pub struct CallBinder<'a> {
    pub(super) arguments: std::vec::IntoIter<RawItem<'a>>,
    pub(super) stream_ids: std::vec::IntoIter<String>,
    pub(super) stream_buffer_items: usize,
    pub(super) cancellation: Cancellation,
    pub(super) uploads: Vec<(String, Box<dyn UploadSink>)>,
    pub(crate) protocol: HubProtocol,
}

impl CallBinder<'_> {
    /// The next argument as a value. The count was checked before.
    pub(crate) fn argument<T: DeserializeOwned>(&mut self) -> Result<T, String> {
        self.arguments.next().ok_or_else(|| "there is no further argument".to_owned())?.decode()
    }

    pub(crate) fn upload<T: DeserializeOwned + Send + 'static>(
        &mut self,
    ) -> Result<UploadStream<T>, String> {
        let id = self.stream_ids.next().ok_or_else(|| "there is no further stream".to_owned())?;
        let (stream, sink) = upload_stream(self.stream_buffer_items);
        self.uploads.push((id, sink));
        Ok(stream)
    }

    pub(crate) fn cancellation(&self) -> Cancellation {
        self.cancellation.clone()
    }
}

/// A bound call, ready to run.
pub(crate) enum Call {
    Single(BoxFuture<'static, Result<CallAnswer, HubError>>),
    Stream(BoxFuture<'static, Result<ItemStream, HubError>>),
}

/// Encoded items of a streaming method.
pub(crate) type ItemStream = BoxStream<'static, Result<Vec<u8>, HubError>>;

/// Open upload streams and cancellable calls of one connection, by their ids.
#[derive(Default)]
pub(super) struct OpenCalls {
    pub(super) cancels: Mutex<HashMap<String, watch::Sender<bool>>>,
    pub(super) uploads: Mutex<HashMap<String, Box<dyn UploadSink>>>,
}

/// Counts what runs. A slot is free again when it is dropped.
#[derive(Debug, Default)]
pub(super) struct Slots {
    taken: AtomicUsize,
    pub(super) freed: Notify,
}

impl Slots {
    /// Takes `count` slots if there are as many. Only the driver takes, so the check cannot be overtaken.
    pub(super) fn take(self: &Arc<Self>, count: usize, max: usize) -> Option<SlotGuard> {
        if self.taken.load(Ordering::Acquire) + count > max {
            return None;
        }
        self.taken.fetch_add(count, Ordering::AcqRel);
        Some(SlotGuard { slots: Arc::clone(self), count })
    }
}

/// Taken slots.
#[derive(Debug)]
pub(super) struct SlotGuard {
    slots: Arc<Slots>,
    count: usize,
}

impl Drop for SlotGuard {
    fn drop(&mut self) {
        self.slots.taken.fetch_sub(self.count, Ordering::AcqRel);
        self.slots.freed.notify_one();
    }
}

/// A call that may start.
pub(super) struct ReadyCall {
    pub(super) connection: Arc<HubConnection>,
    pub(super) protocol: HubProtocol,
    pub(super) open: Arc<OpenCalls>,
    pub(super) invocation_id: Option<String>,
    pub(super) target: String,
    pub(super) call: Call,
    pub(super) cancellation: Cancellation,
    /// The key under which the call is registered as cancellable.
    pub(super) cancel_key: Option<String>,
    pub(super) upload_ids: Vec<String>,
    pub(super) detailed_errors: bool,
}

impl ReadyCall {
    /// Runs to the end, on a task of its own if it has to wait. `slots` are held until then.
    pub(super) fn start(self, slots: Vec<SlotGuard>) {
        let mut running = Box::pin(async move {
            self.run().await;
            drop(slots);
        });
        // Most calls only queue messages and end at once. Run here, the messages of several calls that arrived together
        // reach a receiver in one write.
        if running.as_mut().now_or_never().is_none() {
            tokio::spawn(running);
        }
    }

    async fn run(self) {
        let Self { connection, protocol, invocation_id, target, cancellation, .. } = self;
        let what = format!("An unexpected error occurred invoking '{target}' on the server.");
        let describe = |error: HubError| {
            tracing::debug!(connection = %connection.id, target, %error, "a hub method failed");
            error.for_client(&what, self.detailed_errors)
        };
        let panicked = || HubError::internal("the hub method panicked");
        let outcome = match self.call {
            Call::Single(future) => AssertUnwindSafe(future)
                .catch_unwind()
                .await
                .unwrap_or_else(|_| Err(panicked()))
                .unwrap_or_else(|error| CallAnswer::Error(describe(error))),
            Call::Stream(future) => {
                let id = invocation_id.as_deref().unwrap_or_default();
                let streaming = stream_items(&connection, protocol, id, future, cancellation);
                match AssertUnwindSafe(streaming).catch_unwind().await {
                    Ok(StreamEnd::Completed) => CallAnswer::Void,
                    Ok(StreamEnd::NotStarted(error)) => CallAnswer::Error(describe(error)),
                    Ok(StreamEnd::Failed(error)) => CallAnswer::Error(error.for_client(
                        "An error occurred on the server while streaming results.",
                        self.detailed_errors,
                    )),
                    Err(_) => CallAnswer::Error(describe(panicked())),
                }
            }
        };
        for id in &self.upload_ids {
            lock(&self.open.uploads).remove(id);
        }
        if let Some(key) = &self.cancel_key {
            lock(&self.open.cancels).remove(key);
        }
        let Some(id) = invocation_id else { return };
        connection.outbox.send(protocol.completion(&id, &outcome)).await;
    }
}

enum StreamEnd {
    Completed,
    NotStarted(HubError),
    Failed(HubError),
}

async fn stream_items(
    connection: &HubConnection,
    protocol: HubProtocol,
    id: &str,
    starting: BoxFuture<'static, Result<ItemStream, HubError>>,
    cancellation: Cancellation,
) -> StreamEnd {
    let streaming = async {
        let mut items = match starting.await {
            Ok(items) => items,
            Err(error) => return StreamEnd::NotStarted(error),
        };
        while let Some(item) = items.next().await {
            let item = match item {
                Ok(item) => item,
                Err(error) => return StreamEnd::Failed(error),
            };
            if !connection.outbox.send(protocol.stream_item(id, &item)).await {
                break;
            }
        }
        StreamEnd::Completed
    };
    tokio::select! {
        biased;
        () = cancellation.cancelled() => StreamEnd::Completed,
        end = streaming => end,
    }
}
