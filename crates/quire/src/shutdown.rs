//! Stopping on a signal. The first signal stops gracefully, the second one at once.

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::error::CommandError;

/// The exit code that a shell reports for an interrupted program.
const INTERRUPTED: i32 = 130;

/// A token that SIGTERM or SIGINT cancels. A second signal ends the process at once.
pub(crate) fn on_signal() -> Result<CancellationToken, CommandError> {
    let token = CancellationToken::new();
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let stop = token.clone();
    tokio::spawn(async move {
        either(&mut terminate, &mut interrupt).await;
        tracing::info!("shutting down: waiting for running runs; a second signal stops at once");
        stop.cancel();
        either(&mut terminate, &mut interrupt).await;
        std::process::exit(INTERRUPTED);
    });
    Ok(token)
}

/// Does the work of a command, unless SIGTERM or SIGINT ends it. The work is then dropped and cleans up after itself.
pub(crate) async fn unless_interrupted<T>(
    work: impl Future<Output = Result<T, CommandError>>,
) -> Result<T, CommandError> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::select! {
        done = work => done,
        () = either(&mut terminate, &mut interrupt) => {
            Err(CommandError::new("interrupted; run the same command again"))
        }
    }
}

async fn either(terminate: &mut Signal, interrupt: &mut Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
