//! What each message of a client causes, with the answers of the official server.
//!
//! Does not own running a call; see `invocation.rs`.

use std::sync::Arc;

use tokio::sync::watch;

use super::close::CloseCause;
use super::driver::ConnectionLoop;
use super::hub_connection::lock;
use super::invocation::{Call, CallBinder, ReadyCall};
use super::upload::UploadSink;
use crate::hub::{Cancellation, HubMethod};
use crate::message::{CallAnswer, ClientMessage, ClientOutcome, RawItem};

/// A call as it arrived.
struct ArrivedCall<'a> {
    invocation_id: Option<String>,
    target: String,
    arguments: Vec<RawItem<'a>>,
    stream_ids: Vec<String>,
    streaming: bool,
}

impl<S: Send + Sync + 'static> ConnectionLoop<S> {
    pub(super) fn dispatch(&mut self, message: ClientMessage<'_>) -> Result<(), CloseCause> {
        match message {
            ClientMessage::Invocation {
                invocation_id,
                target,
                arguments,
                stream_ids,
                streaming,
            } => {
                let call = ArrivedCall { invocation_id, target, arguments, stream_ids, streaming };
                let id = call.invocation_id.clone();
                if let (Err(error), Some(id)) = (self.invoke(call), id) {
                    self.answer(&id, error);
                }
            }
            ClientMessage::StreamItem { stream_id, item } => self.stream_item(&stream_id, item),
            ClientMessage::Completion { invocation_id, outcome } => {
                self.completion(&invocation_id, outcome);
            }
            ClientMessage::CancelInvocation { invocation_id } => {
                // An unknown id is a call that has just ended.
                if let Some(cancel) = lock(&self.open.cancels).get(&invocation_id) {
                    cancel.send_replace(true);
                }
            }
            ClientMessage::Ack { sequence_id } => self.connection.outbox.acknowledge(sequence_id),
            ClientMessage::Close { error } => return Err(CloseCause::ClientClosed(error)),
            ClientMessage::Ping | ClientMessage::Sequence { .. } | ClientMessage::Unknown => {}
        }
        Ok(())
    }

    /// Starts a call or lets it wait. The error is for the client.
    fn invoke(&mut self, arrived: ArrivedCall<'_>) -> Result<(), String> {
        let core = Arc::clone(&self.core);
        let options = &core.shared.options;
        let Some(method) = core.method(&arrived.target) else {
            return Err(format!(
                "Failed to invoke '{}' due to an error on the server. \
                 HubException: Method does not exist.",
                arrived.target
            ));
        };
        check_call(method, &arrived, options.detailed_errors)?;
        let ArrivedCall { invocation_id, target, arguments, stream_ids, streaming } = arrived;
        let (cancel, cancelled) = watch::channel(false);
        let cancellation = Cancellation::new(cancelled);
        let mut binder = CallBinder {
            arguments: arguments.into_iter(),
            stream_ids: stream_ids.clone().into_iter(),
            stream_buffer_items: options.stream_buffer_items,
            cancellation: cancellation.clone(),
            uploads: Vec::new(),
            protocol: self.protocol,
        };
        let caller = core.caller(&self.connection);
        let call = (method.bind)(caller, &mut binder).map_err(|_| {
            let detail = "Error binding arguments. Make sure that the types of the provided \
                          values match the types of the hub method being invoked.";
            unbound(&target, detail, options.detailed_errors)
        })?;
        let is_cancellable = streaming || method.shape.is_cancellable;
        let streams = usize::from(streaming) + stream_ids.len();
        let stream_slots = self.streams.take(streams, options.streams_max).ok_or_else(|| {
            let max = options.streams_max;
            format!("Failed to invoke '{target}': the connection has {max} open streams, the most it may.")
        })?;
        let uploads = std::mem::take(&mut binder.uploads);
        // A call without an id can only be cancelled by the end of the connection.
        let cancel_key = is_cancellable.then(|| match &invocation_id {
            Some(id) => id.clone(),
            None => self.anonymous_key(),
        });
        self.register(cancel_key.as_deref(), cancel, uploads)?;
        let is_plain = matches!(call, Call::Single(_)) && stream_ids.is_empty();
        let ready = ReadyCall {
            connection: Arc::clone(&self.connection),
            protocol: self.protocol,
            open: Arc::clone(&self.open),
            invocation_id,
            target,
            call,
            cancellation,
            cancel_key,
            upload_ids: stream_ids,
            detailed_errors: options.detailed_errors,
        };
        match is_plain {
            true => {
                self.waiting.push_back(ready);
                self.start_waiting();
            }
            // Streams have their own limit, and a call that reads a stream must run while the stream arrives.
            false => ready.start(vec![stream_slots]),
        }
        Ok(())
    }

    fn anonymous_key(&mut self) -> String {
        self.anonymous_calls += 1;
        format!("\0{}", self.anonymous_calls)
    }

    /// Makes a call known under its id and its streams under theirs, all or nothing.
    fn register(
        &self,
        id: Option<&str>,
        cancel: watch::Sender<bool>,
        uploads: Vec<(String, Box<dyn UploadSink>)>,
    ) -> Result<(), String> {
        let mut open_uploads = lock(&self.open.uploads);
        for (index, (stream_id, _)) in uploads.iter().enumerate() {
            let is_repeated = uploads.iter().take(index).any(|(earlier, _)| earlier == stream_id);
            if is_repeated || open_uploads.contains_key(stream_id) {
                return Err(format!("Stream ID '{stream_id}' is already in use."));
            }
        }
        if let Some(id) = id {
            let mut cancels = lock(&self.open.cancels);
            if cancels.contains_key(id) {
                return Err(format!("Invocation ID '{id}' is already in use."));
            }
            cancels.insert(id.to_owned(), cancel);
        }
        open_uploads.extend(uploads);
        Ok(())
    }

    /// Starts as many of the waiting calls as may run.
    pub(super) fn start_waiting(&mut self) {
        let max = self.core.shared.options.parallel_invocations_max.max(1);
        while !self.waiting.is_empty() {
            let Some(slot) = self.running.take(1, max) else { return };
            if let Some(ready) = self.waiting.pop_front() {
                ready.start(vec![slot]);
            }
        }
    }

    fn stream_item(&mut self, stream_id: &str, item: RawItem<'_>) {
        let mut uploads = lock(&self.open.uploads);
        // An unknown id is a stream whose method has just ended.
        let Some(sink) = uploads.get_mut(stream_id) else { return };
        match sink.push(item) {
            Ok(parked) => self.parked = parked,
            Err(_) => {
                if let Some(sink) = uploads.remove(stream_id) {
                    sink.complete(Some("Failed to bind Stream message.".to_owned()));
                }
            }
        }
    }

    fn completion(&self, id: &str, outcome: ClientOutcome<'_>) {
        if let Some(sink) = lock(&self.open.uploads).remove(id) {
            let error = match outcome {
                ClientOutcome::Error(error) => Some(error),
                ClientOutcome::Void | ClientOutcome::Result(_) => None,
            };
            sink.complete(error);
        } else if lock(&self.connection.awaited).remove(id) {
            self.core.shared.client_answered(id, outcome.into());
        }
    }

    /// An error in place of a result. It is queued without waiting for room, because the driver must not wait.
    fn answer(&self, id: &str, error: String) {
        let frame = self.protocol.completion(id, &CallAnswer::Error(error));
        self.connection.deliver(frame);
    }
}

/// What a client reads about arguments that do not fit.
fn unbound(target: &str, detail: &str, detailed_errors: bool) -> String {
    let what = format!("Failed to invoke '{target}' due to an error on the server.");
    match detailed_errors {
        true => format!("{what} InvalidDataException: {detail}"),
        false => what,
    }
}

/// Whether a call fits the shape of its method. The error is for the client.
fn check_call<S>(
    method: &HubMethod<S>,
    call: &ArrivedCall<'_>,
    detailed_errors: bool,
) -> Result<(), String> {
    let (target, shape) = (&call.target, &method.shape);
    let (given, expected) = (call.arguments.len(), shape.arguments);
    if given != expected {
        let detail =
            format!("Invocation provides {given} argument(s) but target expects {expected}.");
        return Err(unbound(target, &detail, detailed_errors));
    }
    match (shape.is_streaming, call.streaming) {
        (true, false) => {
            return Err(format!(
                "The client attempted to invoke the streaming '{target}' method with a \
                 non-streaming invocation."
            ));
        }
        (false, true) => {
            return Err(format!(
                "The client attempted to invoke the non-streaming '{target}' method with a \
                 streaming invocation."
            ));
        }
        (true, true) | (false, false) => {}
    }
    let (streams, expected) = (call.stream_ids.len(), shape.uploads);
    match streams == expected {
        true => Ok(()),
        false => Err(format!(
            "An unexpected error occurred invoking '{target}' on the server. \
             HubException: Client sent {streams} stream(s), Hub method expects {expected}."
        )),
    }
}
