//! Wakes readers of this process after appends of all processes: `LISTEN`.
//!
//! Owns one connection, and connecting again. A signal that was lost meanwhile does no harm: readers look by themselves
//! from time to time, and are woken when the connection is back.

use std::pin::pin;
use std::time::Duration;

use futures::{StreamExt, stream};
use tokio::sync::oneshot;
use tokio_postgres::{AsyncMessage, Config, NoTls};

use crate::storage::AppendSignal;

const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Listens until `stopped`.
pub(super) async fn run(config: Config, signal: AppendSignal, stopped: oneshot::Receiver<()>) {
    let mut stopped = pin!(stopped);
    loop {
        tokio::select! {
            ended = listen(&config, &signal) => {
                if let Err(error) = ended {
                    tracing::warn!(%error, "appends of other processes are not signalled now");
                }
            }
            _ = &mut stopped => return,
        }
        tokio::select! {
            () = tokio::time::sleep(AGAIN_AFTER) => {}
            _ = &mut stopped => return,
        }
    }
}

async fn listen(config: &Config, signal: &AppendSignal) -> Result<(), tokio_postgres::Error> {
    let (client, mut connection) = config.connect(NoTls).await?;
    let mut messages = stream::poll_fn(move |context| connection.poll_message(context));
    // The connection makes progress only while its messages are read.
    let forward = async {
        while let Some(message) = messages.next().await {
            if let AsyncMessage::Notification(_) = message? {
                signal.wake();
            }
        }
        Ok(())
    };
    let begin = async {
        client.batch_execute("LISTEN event_store").await?;
        // What was appended before the connection was there.
        signal.wake();
        std::future::pending::<Result<(), tokio_postgres::Error>>().await
    };
    tokio::select! {
        ended = forward => ended,
        ended = begin => ended,
    }
}
