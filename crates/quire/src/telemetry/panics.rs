//! Panics in the log.

/// From now on a panic leaves only its place in the code: its message may quote a document. It goes to the log or, without
/// one, to standard error.
pub fn log_only_the_place_of_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        if tracing::dispatcher::has_been_set() {
            let thread = std::thread::current();
            tracing::error!(place, thread = thread.name().unwrap_or_default(), "panicked");
        } else {
            eprintln!("quire: internal error at {place}; please report it");
        }
    }));
}
