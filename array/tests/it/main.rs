//! Arrays through the public API: printing, and the conditions that close windows.

mod display;
mod windows;
