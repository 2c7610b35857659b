//! Panics: a panic loses the plan in which it occurs, and nothing else.

use crate::by_plans;
use phalanx::prelude::*;
use phalanx::{Bytes, Config, Limits, Place, Session, Site, within};
use std::fmt::Debug;
use std::sync::Once;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Jobs of this site panic, and so does the planning of windows with this number of nodes.
const STRUCK: &str = "struck.rs";
const STRUCK_NODES: u64 = 61;

struct Struck;

impl Place for Struck {
    fn file(&self) -> &str {
        STRUCK
    }
    fn line(&self) -> u32 {
        7
    }
}

/// A subscriber that panics on the event of a marked job or window.
struct Striking;

impl Subscriber for Striking {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("phalanx_scheduler")
            && ["run", "plan"].contains(&metadata.name())
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut Strike);
        Id::from_u64(1)
    }
    fn record(&self, _span: &Id, _values: &Record<'_>) {}
    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}
    fn event(&self, _event: &Event<'_>) {}
    fn enter(&self, _span: &Id) {}
    fn exit(&self, _span: &Id) {}
}

struct Strike;

impl Visit for Strike {
    fn record_u64(&mut self, field: &Field, value: u64) {
        assert!(field.name() != "nodes" || value != STRUCK_NODES, "bug: a planner gave up");
    }
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let is_struck = field.name() == "site" && format!("{value:?}").contains(STRUCK);
        assert!(!is_struck, "bug: a worker gave up");
    }
}

fn strike() {
    static ONCE: Once = Once::new();
    // A test binary has no other subscriber.
    ONCE.call_once(|| tracing::subscriber::set_global_default(Striking).unwrap());
}

fn on_some(program: impl Fn()) {
    strike();
    for devices in [1, 3] {
        for small in [Bytes(0), Bytes(64 << 10)] {
            let limits = Limits { small, ..by_plans() };
            let session =
                Session::with_options(Config::for_tests(devices), None, Default::default(), limits);
            let session = session.unwrap();
            session.handle().enter(&program);
            // The session's end reports errors of plans that the program has not seen.
            let _ended = session.finish();
        }
    }
}

/// A panic of a worker ended the world of a single process, and all its arrays were lost.
#[test]
fn a_panic_of_a_worker_took_the_session_with_it() {
    on_some(|| {
        static SITE: Struck = Struck;
        let before = arange(0, 10, 1);
        before.evaluate().unwrap();
        let pending = arange(0, 5, 1) * 3;
        pending.evaluate().unwrap();
        let struck = &before + 1;
        let found = within(Site::new(&SITE), || struck.to_vec::<i64>());
        let error = found.unwrap_err();
        assert_eq!(error.code(), "PX033");
        assert!(error.to_string().contains("bug: a worker gave up"), "{error}");
        assert_eq!(struck.to_vec::<i64>().unwrap_err().code(), "PX033");
        assert_eq!((&struck * 2).sum(()).item::<i64>().unwrap_err().code(), "PX033");
        // Everything else continues.
        assert_eq!(before.sum(()).item::<i64>().unwrap(), 45);
        assert_eq!((&before + &before).max(()).item::<i64>().unwrap(), 18);
        assert_eq!(pending.to_vec::<i64>().unwrap(), [0, 3, 6, 9, 12]);
        before.slice(s![2..4]).assign(100);
        assert_eq!(before.sum(()).item::<i64>().unwrap(), 240);
    });
}

/// A panic of the planner left the window of its mesh, and the thread, in an invalid state.
#[test]
fn a_panic_of_a_planner_was_a_panic_of_the_program() {
    on_some(|| {
        let before = arange(0, 4, 1);
        before.evaluate().unwrap();
        let mut struck = before.clone();
        for _ in 0..STRUCK_NODES {
            struck = &struck + 1;
        }
        let error = struck.to_vec::<i64>().unwrap_err();
        assert_eq!(error.code(), "PX033");
        assert!(error.to_string().contains("bug: a planner gave up"), "{error}");
        assert_eq!(before.to_vec::<i64>().unwrap(), [0, 1, 2, 3]);
        assert_eq!((&before * 2).to_vec::<i64>().unwrap(), [0, 2, 4, 6]);
        assert_eq!(struck.to_vec::<i64>().unwrap_err().code(), "PX033");
    });
}
