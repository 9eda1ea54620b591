//! A future whose panic is an error and not the end of its connection.
//!
//! Owns catching; what is answered instead is the caller's.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// Why a future did not end: the text of its panic.
#[derive(Debug)]
pub(crate) struct Panicked(pub(crate) String);

/// Runs a future, which stays where it is pinned, and catches its panic.
pub(crate) struct Guarded<'pinned, F> {
    inner: Pin<&'pinned mut F>,
}

impl<'pinned, F: Future> Guarded<'pinned, F> {
    pub(crate) fn new(inner: Pin<&'pinned mut F>) -> Self {
        Self { inner }
    }
}

impl<F: Future> Future for Guarded<'_, F> {
    type Output = Result<F::Output, Panicked>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let inner = self.inner.as_mut();
        // A future that panicked is never polled again, so what it left behind is not seen.
        match catch_unwind(AssertUnwindSafe(|| inner.poll(context))) {
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(panic) => Poll::Ready(Err(Panicked(text(panic.as_ref())))),
        }
    }
}

fn text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without a reason".to_owned())
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::Guarded;

    #[tokio::test]
    async fn a_panic_is_caught_with_its_text() {
        let number = 7;
        let panicked = pin!(async move {
            tokio::task::yield_now().await;
            assert_eq!(number, 8, "seven is not eight");
        });
        let panicked = Guarded::new(panicked).await.unwrap_err();
        assert!(panicked.0.contains("seven is not eight"));
        assert_eq!(Guarded::new(pin!(async { 1 })).await.unwrap(), 1);
    }
}
