//! What the client makes of what comes back.
