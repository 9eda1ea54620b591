//! Async functions as hub methods.
//!
//! Does not own the table of methods; see `builder.rs`.

use std::any::TypeId;

use futures::stream::{Stream, StreamExt as _};
use serde::Serialize;

use super::caller::HubCaller;
use super::parameter::HubParameter;
use crate::connection::{Call, CallBinder, ItemStream};
use crate::error::HubError;
use crate::message::CallAnswer;

/// What a method expects of a call.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MethodShape {
    pub(crate) arguments: usize,
    pub(crate) uploads: usize,
    pub(crate) is_streaming: bool,
    pub(crate) is_cancellable: bool,
}

type BindCall<S> =
    Box<dyn Fn(HubCaller<S>, &mut CallBinder<'_>) -> Result<Call, String> + Send + Sync>;

/// A method of a hub.
pub(crate) struct HubMethod<S> {
    pub(crate) shape: MethodShape,
    /// Binds a call to the parameters; the call does not run yet.
    pub(crate) bind: BindCall<S>,
}

/// An async function with a single result: `async fn(HubCaller<S>, A, B) -> Result<R, HubError>`.
///
/// It takes up to eight parameters, see [`HubParameter`].
pub trait SingleMethod<S, P>: Send + Sync + 'static {
    #[doc(hidden)]
    fn shape() -> MethodShape;
    #[doc(hidden)]
    fn call(&self, caller: HubCaller<S>, binder: &mut CallBinder<'_>) -> Result<BoundCall, String>;
}

/// An async function with a stream of results: `async fn(HubCaller<S>, A, B) -> Result<Stream, HubError>`, where the
/// stream yields `Result<T, HubError>`.
///
/// It takes up to eight parameters, see [`HubParameter`]. The stream is dropped when the client cancels.
pub trait StreamMethod<S, P>: Send + Sync + 'static {
    #[doc(hidden)]
    fn shape() -> MethodShape;
    #[doc(hidden)]
    fn call(&self, caller: HubCaller<S>, binder: &mut CallBinder<'_>) -> Result<BoundCall, String>;
}

/// A call with its parameters.
#[doc(hidden)]
#[allow(missing_debug_implementations)]
pub struct BoundCall(pub(crate) Call);

impl<S> HubMethod<S> {
    pub(crate) fn single<P, M: SingleMethod<S, P>>(method: M) -> Self {
        Self {
            shape: M::shape(),
            bind: Box::new(move |caller, binder| Ok(method.call(caller, binder)?.0)),
        }
    }

    pub(crate) fn stream<P, M: StreamMethod<S, P>>(method: M) -> Self {
        Self {
            shape: MethodShape { is_streaming: true, ..M::shape() },
            bind: Box::new(move |caller, binder| Ok(method.call(caller, binder)?.0)),
        }
    }
}

macro_rules! methods {
    ($($name:ident),*) => {
        impl<S, F, Fut, R, $($name),*> SingleMethod<S, ($($name,)*)> for F
        where
            S: Send + Sync + 'static,
            F: Fn(HubCaller<S>, $($name),*) -> Fut + Send + Sync + 'static,
            Fut: Future<Output = Result<R, HubError>> + Send + 'static,
            R: Serialize + Send + 'static,
            $($name: HubParameter,)*
        {
            fn shape() -> MethodShape {
                #[allow(unused_mut)]
                let mut shape = MethodShape::default();
                $($name::describe(&mut shape);)*
                shape
            }

            #[allow(non_snake_case)]
            fn call(
                &self,
                caller: HubCaller<S>,
                binder: &mut CallBinder<'_>,
            ) -> Result<BoundCall, String> {
                let protocol = binder.protocol;
                $(let $name = $name::bind(binder)?;)*
                let running = self(caller, $($name),*);
                Ok(BoundCall(Call::Single(Box::pin(async move {
                    let value = running.await?;
                    // A method without a result completes without a value, and not with `null`.
                    if TypeId::of::<R>() == TypeId::of::<()>() {
                        return Ok(CallAnswer::Void);
                    }
                    protocol.value(&value).map(CallAnswer::Value)
                }))))
            }
        }

        impl<S, F, Fut, I, T, $($name),*> StreamMethod<S, ($($name,)*)> for F
        where
            S: Send + Sync + 'static,
            F: Fn(HubCaller<S>, $($name),*) -> Fut + Send + Sync + 'static,
            Fut: Future<Output = Result<I, HubError>> + Send + 'static,
            I: Stream<Item = Result<T, HubError>> + Send + 'static,
            T: Serialize + Send + 'static,
            $($name: HubParameter,)*
        {
            fn shape() -> MethodShape {
                #[allow(unused_mut)]
                let mut shape = MethodShape::default();
                $($name::describe(&mut shape);)*
                shape
            }

            #[allow(non_snake_case)]
            fn call(
                &self,
                caller: HubCaller<S>,
                binder: &mut CallBinder<'_>,
            ) -> Result<BoundCall, String> {
                let protocol = binder.protocol;
                $(let $name = $name::bind(binder)?;)*
                let starting = self(caller, $($name),*);
                Ok(BoundCall(Call::Stream(Box::pin(async move {
                    let items = starting.await?;
                    let items: ItemStream =
                        items.map(move |item| protocol.value(&item?)).boxed();
                    Ok(items)
                }))))
            }
        }
    };
}

methods!();
methods!(A1);
methods!(A1, A2);
methods!(A1, A2, A3);
methods!(A1, A2, A3, A4);
methods!(A1, A2, A3, A4, A5);
methods!(A1, A2, A3, A4, A5, A6);
methods!(A1, A2, A3, A4, A5, A6, A7);
methods!(A1, A2, A3, A4, A5, A6, A7, A8);
