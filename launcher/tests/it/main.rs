//! The `phalanx` program as a user meets it: started, interrupted, killed and misused.

mod ending;
mod hosts;
mod information;
mod output;
mod program;
mod secret;
mod ssh;
