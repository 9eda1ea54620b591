//! A future that catches the panics of another one, so that a panic fails one request and not its connection.
//!
//! Owns catching the panic. The caller decides what to answer.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// The message of a caught panic.
#[derive(Debug)]
pub(crate) struct PanicMessage(pub(crate) String);

/// Polls a pinned future and catches its panics.
pub(crate) struct CatchPanic<'pinned, F> {
    inner: Pin<&'pinned mut F>,
}

impl<'pinned, F: Future> CatchPanic<'pinned, F> {
    pub(crate) fn new(inner: Pin<&'pinned mut F>) -> Self {
        Self { inner }
    }
}

impl<F: Future> Future for CatchPanic<'_, F> {
    type Output = Result<F::Output, PanicMessage>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let inner = self.inner.as_mut();
        // The future is never polled again after a panic, so nobody observes the state that it left behind.
        match catch_unwind(AssertUnwindSafe(|| inner.poll(context))) {
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(panic) => Poll::Ready(Err(PanicMessage(message(panic.as_ref())))),
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::CatchPanic;

    #[tokio::test]
    async fn a_panic_is_caught_with_its_message() {
        let number = 7;
        let panicked = pin!(async move {
            tokio::task::yield_now().await;
            assert_eq!(number, 8, "seven is not eight");
        });
        let panicked = CatchPanic::new(panicked).await.unwrap_err();
        assert!(panicked.0.contains("seven is not eight"));
        assert_eq!(CatchPanic::new(pin!(async { 1 })).await.unwrap(), 1);
    }
}
