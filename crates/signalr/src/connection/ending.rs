//! The end of a connection: nobody reaches it any more, the client hears why, the hub hears that it is gone.

use std::sync::Arc;

use super::close::CloseCause;
use super::hub_connection::{HubConnection, lock};
use crate::delivery::ClientAnswer;
use crate::hub::HubCore;
use crate::message::HubProtocol;

pub(super) async fn end<S: Send + Sync + 'static>(
    core: &HubCore<S>,
    connection: &Arc<HubConnection>,
    protocol: HubProtocol,
    cause: &CloseCause,
) {
    core.shared.leave_everything(connection, protocol).await;
    let awaited = std::mem::take(&mut *lock(&connection.awaited));
    for id in awaited {
        core.shared.client_answered(&id, ClientAnswer::Gone);
    }
    if matches!(cause, CloseCause::TooSlow) {
        connection.outbox.clear();
    }
    let error = cause.error(core.shared.options.detailed_errors);
    connection.outbox.push_control(protocol.close(error.as_deref(), cause.allows_reconnect()));
    connection.outbox.finish();
    // A connection that was refused was never connected for the hub.
    if !matches!(cause, CloseCause::Refused(_)) {
        core.disconnected(connection, cause.reason()).await;
    }
}
