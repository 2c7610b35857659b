//! Guards the tasks of the network thread. The runtime does not report the panic of a task, and all
//! ranks would wait for that task's work.

use super::fabric::Fabric;
use crate::CollectiveError;
use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

/// The code of an internal error.
const BUG: &str = "PX033";

/// Runs a task of a fabric. If it panics, the world ends on all ranks.
pub(crate) async fn guarded(fabric: Arc<Fabric>, task: impl Future<Output = ()>) {
    let mut task = pin!(task);
    let outcome = poll_fn(|context| {
        // The state that a panicked task leaves behind belongs to a world that ends.
        let poll = AssertUnwindSafe(|| task.as_mut().poll(context));
        match catch_unwind(poll) {
            Ok(polled) => polled.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    });
    if let Err(panic) = outcome.await {
        let (rank, error_code) = (fabric.rank, String::from(BUG));
        let message = format!("the network's thread panicked: {}", text(&*panic));
        fabric.fail(CollectiveError::Aborted { rank, error_code, message });
    }
}

fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("bug: it has no text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_panics_ends_the_world_with_its_text() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let fabric = Fabric::new(3, Vec::new());
        runtime.block_on(async {
            tokio::spawn(guarded(fabric.clone(), async {})).await.unwrap();
            assert!(!fabric.failure.is_set());
            let panics = async {
                tokio::task::yield_now().await;
                panic!("bug: {}", "a frame of nobody");
            };
            tokio::spawn(guarded(fabric.clone(), panics)).await.unwrap();
        });
        let error = fabric.failure.get().unwrap();
        assert_eq!(
            error.to_string(),
            "rank 3 failed: the network's thread panicked: bug: a frame of nobody [PX033]"
        );
    }
}
