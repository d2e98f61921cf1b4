//! The codes of failures that are nobody else's: those of the machinery around a step.

macro_rules! step_codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),+ $(,)?) => {
        /// Why a step failed, where neither the document nor a reader of it is to blame.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum StepErrorCode { $($(#[$doc])* $variant),+ }

        impl StepErrorCode {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable code.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

step_codes! {
    /// Files could not be read or written.
    StorageUnavailable = "STORAGE_UNAVAILABLE",
    /// The database did not answer.
    StoreUnavailable = "STORE_UNAVAILABLE",
    /// This worker does not have the step.
    StepNotSetUp = "STEP_NOT_SET_UP",
    /// The step broke off without saying why.
    StepPanicked = "STEP_PANICKED",
    /// The database refuses what the step produced.
    ResultNotStorable = "RESULT_NOT_STORABLE",
}
