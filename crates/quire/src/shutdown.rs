//! Being told to stop. The first signal asks; the second does not.

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::trouble::Trouble;

/// What a shell reports for a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// A token that is cancelled by SIGTERM or SIGINT. From the next one on, the process ends at once.
pub(crate) fn on_signal() -> Result<CancellationToken, Trouble> {
    let token = CancellationToken::new();
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let stop = token.clone();
    tokio::spawn(async move {
        either(&mut terminate, &mut interrupt).await;
        tracing::info!("stopping: runs under way get a moment to end; a second signal stops at once");
        stop.cancel();
        either(&mut terminate, &mut interrupt).await;
        std::process::exit(INTERRUPTED);
    });
    Ok(token)
}

async fn either(terminate: &mut Signal, interrupt: &mut Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
