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

/// An async function that a client calls: `async fn(HubCaller<S>, A, B) -> Result<R, HubError>`. Of a streaming method,
/// `R` is a stream that yields `Result<T, HubError>`; it is dropped when the client cancels.
///
/// It takes up to eight parameters, see [`HubParameter`].
pub trait MethodFunction<S, P>: Send + Sync + 'static {
    /// What the function returns when it has ended.
    type Output;
    #[doc(hidden)]
    type Running: Future<Output = Self::Output> + Send + 'static;
    #[doc(hidden)]
    fn shape() -> MethodShape;
    #[doc(hidden)]
    fn call(
        &self,
        caller: HubCaller<S>,
        binder: &mut CallBinder<'_>,
    ) -> Result<Self::Running, String>;
}

impl<S> HubMethod<S> {
    pub(crate) fn single<P, R, M>(method: M) -> Self
    where
        M: MethodFunction<S, P, Output = Result<R, HubError>>,
        R: Serialize + Send + 'static,
    {
        let bind: BindCall<S> = Box::new(move |caller, binder| {
            let protocol = binder.protocol;
            let running = method.call(caller, binder)?;
            Ok(Call::Single(Box::pin(async move {
                let value = running.await?;
                // A method without a result completes without a value, and not with `null`.
                if TypeId::of::<R>() == TypeId::of::<()>() {
                    return Ok(CallAnswer::Void);
                }
                protocol.value(&value).map(CallAnswer::Value)
            })))
        });
        Self { shape: M::shape(), bind }
    }

    pub(crate) fn stream<P, I, T, M>(method: M) -> Self
    where
        M: MethodFunction<S, P, Output = Result<I, HubError>>,
        I: Stream<Item = Result<T, HubError>> + Send + 'static,
        T: Serialize + Send + 'static,
    {
        let bind: BindCall<S> = Box::new(move |caller, binder| {
            let protocol = binder.protocol;
            let starting = method.call(caller, binder)?;
            Ok(Call::Stream(Box::pin(async move {
                let items: ItemStream =
                    starting.await?.map(move |item| protocol.value(&item?)).boxed();
                Ok(items)
            })))
        });
        Self { shape: MethodShape { is_streaming: true, ..M::shape() }, bind }
    }
}

macro_rules! method_functions {
    ($($name:ident),*) => {
        impl<S, F, Fut, $($name),*> MethodFunction<S, ($($name,)*)> for F
        where
            S: Send + Sync + 'static,
            F: Fn(HubCaller<S>, $($name),*) -> Fut + Send + Sync + 'static,
            Fut: Future + Send + 'static,
            $($name: HubParameter,)*
        {
            type Output = Fut::Output;
            type Running = Fut;

            fn shape() -> MethodShape {
                #[allow(unused_mut)]
                let mut shape = MethodShape::default();
                $($name::describe(&mut shape);)*
                shape
            }

            #[allow(non_snake_case, unused_variables)]
            fn call(
                &self,
                caller: HubCaller<S>,
                binder: &mut CallBinder<'_>,
            ) -> Result<Fut, String> {
                $(let $name = $name::bind(binder)?;)*
                Ok(self(caller, $($name),*))
            }
        }
    };
}

method_functions!();
method_functions!(A1);
method_functions!(A1, A2);
method_functions!(A1, A2, A3);
method_functions!(A1, A2, A3, A4);
method_functions!(A1, A2, A3, A4, A5);
method_functions!(A1, A2, A3, A4, A5, A6);
method_functions!(A1, A2, A3, A4, A5, A6, A7);
method_functions!(A1, A2, A3, A4, A5, A6, A7, A8);
