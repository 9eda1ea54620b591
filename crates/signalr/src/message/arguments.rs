//! Arguments of an invocation of a client: a tuple of values that serde can write.
//!
//! Does not own arguments that a client sends; see `hub/parameter.rs`.

use serde::Serialize;

use super::protocol::HubProtocol;
use crate::error::HubError;

/// Arguments of an invocation of a client: `()`, `(a,)`, `(a, b)` and so on, up to eight.
pub trait HubArguments {
    /// The arguments as an array in the protocol.
    #[doc(hidden)]
    fn encode(&self, protocol: ProtocolChoice) -> Result<Vec<u8>, HubError>;
}

/// Names a protocol without showing its implementation.
#[doc(hidden)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations)]
pub struct ProtocolChoice(pub(crate) HubProtocol);

impl HubArguments for () {
    fn encode(&self, protocol: ProtocolChoice) -> Result<Vec<u8>, HubError> {
        // serde writes the unit as `null`, and an invocation needs an array.
        let nothing: [u8; 0] = [];
        protocol.0.value(&nothing)
    }
}

macro_rules! tuple_arguments {
    ($($name:ident),+) => {
        impl<$($name: Serialize),+> HubArguments for ($($name,)+) {
            fn encode(&self, protocol: ProtocolChoice) -> Result<Vec<u8>, HubError> {
                protocol.0.value(self)
            }
        }
    };
}

tuple_arguments!(A);
tuple_arguments!(A, B);
tuple_arguments!(A, B, C);
tuple_arguments!(A, B, C, D);
tuple_arguments!(A, B, C, D, E);
tuple_arguments!(A, B, C, D, E, F);
tuple_arguments!(A, B, C, D, E, F, G);
tuple_arguments!(A, B, C, D, E, F, G, H);
