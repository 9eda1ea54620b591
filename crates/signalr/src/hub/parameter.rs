//! What a hub method may take: arguments of the call, upload streams, and word of a cancellation.

use serde::de::DeserializeOwned;

use super::cancellation::Cancellation;
use super::method::MethodShape;
use crate::connection::{CallBinder, UploadStream};

/// A parameter of a hub method: any type that serde can read, an [`UploadStream`] or a [`Cancellation`].
pub trait HubParameter: Sized + Send + 'static {
    /// Counts the parameter for the shape of the method.
    #[doc(hidden)]
    fn describe(shape: &mut MethodShape);
    /// Takes the parameter from a call.
    #[doc(hidden)]
    fn bind(binder: &mut CallBinder<'_>) -> Result<Self, String>;
}

impl<T: DeserializeOwned + Send + 'static> HubParameter for T {
    fn describe(shape: &mut MethodShape) {
        shape.arguments += 1;
    }

    fn bind(binder: &mut CallBinder<'_>) -> Result<Self, String> {
        binder.argument()
    }
}

impl<T: DeserializeOwned + Send + 'static> HubParameter for UploadStream<T> {
    fn describe(shape: &mut MethodShape) {
        shape.uploads += 1;
    }

    fn bind(binder: &mut CallBinder<'_>) -> Result<Self, String> {
        binder.upload()
    }
}

impl HubParameter for Cancellation {
    fn describe(shape: &mut MethodShape) {
        shape.is_cancellable = true;
    }

    fn bind(binder: &mut CallBinder<'_>) -> Result<Self, String> {
        Ok(binder.cancellation())
    }
}
