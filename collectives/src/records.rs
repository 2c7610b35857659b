//! The records of a rank for each ticketed step. Ranks exchange them when their tickets differ: a
//! user needs the first operation that differs, not the step at which the difference was noticed.
//!
//! Every process keeps its records until all ranks are known to have done the same. When rank 0
//! finds tickets that differ, it asks the two ranks for their records, compares them, and ends the
//! world with the operations that differ.

use crate::CollectiveError;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A recorded operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedOperation {
    /// A digest of everything that must be equal on all ranks.
    pub digest: u64,
    /// A description, such as `add -> f64[3, 4]`.
    pub text: String,
    /// The call site.
    pub site: String,
}

/// The records of a rank for a ticketed step, sent on request.
pub trait Recorded: Debug + Send + Sync {
    /// The operations in program order.
    fn operations(&self) -> Vec<RecordedOperation>;
}

/// The largest number of operations sent for a ticketed step.
const MOST_OPERATIONS: usize = 4096;
/// The limit in bytes for all texts of a ticketed step; the texts of later operations are left out.
const TEXT_BYTES: usize = 32 << 10;

/// The operations of a ticketed step in the form that is sent: each text once.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Listing {
    digests: Vec<u64>,
    /// The indices in `texts` of each operation's text and call site, while there is room.
    names: Vec<(u32, u32)>,
    texts: Vec<String>,
}

impl Listing {
    fn of(operations: &[RecordedOperation]) -> Listing {
        let operations = &operations[..operations.len().min(MOST_OPERATIONS)];
        let digests = operations.iter().map(|operation| operation.digest).collect();
        let mut sent = Listing { digests, ..Listing::default() };
        let mut known = std::collections::HashMap::new();
        let mut left = TEXT_BYTES;
        for operation in operations {
            let mut place = |text: &str| {
                if let Some(&place) = known.get(text) {
                    return Some(place);
                }
                left = left.checked_sub(text.len())?;
                let place = sent.texts.len() as u32;
                sent.texts.push(text.to_owned());
                known.insert(text.to_owned(), place);
                Some(place)
            };
            let (Some(text), Some(site)) = (place(&operation.text), place(&operation.site)) else {
                break;
            };
            sent.names.push((text, site));
        }
        sent
    }

    /// The names of an operation; `None` beyond the last one.
    fn operation(&self, place: usize) -> Option<Named<'_>> {
        self.digests.get(place)?;
        let text = |at: u32| self.texts.get(at as usize).map(String::as_str);
        let name = self.names.get(place).and_then(|&(name, site)| Some((text(name)?, text(site)?)));
        Some(Named(name))
    }
}

/// The text and the call site of an operation, if there was room.
struct Named<'a>(Option<(&'a str, &'a str)>);

/// The records of this process for ticketed steps that not all ranks are known to have taken.
#[derive(Debug, Default)]
pub(crate) struct Records(Mutex<VecDeque<(u64, Arc<dyn Recorded>)>>);

impl Records {
    fn locked(&self) -> MutexGuard<'_, VecDeque<(u64, Arc<dyn Recorded>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the operations of the ticket of this number.
    pub(crate) fn keep(&self, number: u64, recorded: Arc<dyn Recorded>) {
        self.locked().push_back((number, recorded));
    }

    /// Forgets the records up to this number, because all ranks have posted equal tickets.
    pub(crate) fn settle(&self, number: u64) {
        let mut kept = self.locked();
        while kept.front().is_some_and(|(kept, _)| *kept <= number) {
            kept.pop_front();
        }
    }

    /// The operations of the ticket of this number.
    pub(crate) fn of(&self, number: u64) -> Listing {
        let found = self.locked().iter().find(|(kept, _)| *kept == number).cloned();
        found.map_or_else(Listing::default, |(_, recorded)| Listing::of(&recorded.operations()))
    }
}

/// Two tickets that differ, until both ranks have sent their records.
#[derive(Debug)]
pub(crate) struct Dispute {
    /// The number of the tickets.
    pub(crate) number: u64,
    /// The two ranks, the lower first.
    pub(crate) ranks: [usize; 2],
    received: [Option<Listing>; 2],
    /// The error known from the tickets alone.
    pub(crate) error: CollectiveError,
}

impl Dispute {
    /// A dispute of two ranks; `error` is the one that their tickets cause.
    pub(crate) fn new(number: u64, ranks: [usize; 2], error: CollectiveError) -> Dispute {
        Dispute { number, ranks, received: [None, None], error }
    }

    /// Takes the records of a rank. Returns the error once both ranks have sent theirs.
    pub(crate) fn receive(&mut self, rank: usize, records: Listing) -> Option<CollectiveError> {
        let place = self.ranks.iter().position(|one| *one == rank)?;
        self.received[place] = Some(records);
        let [Some(first), Some(second)] = &self.received else { return None };
        Some(refined(self.error.clone(), first, second))
    }
}

/// Puts the first operation that differs into the error, instead of the ticketed step. A rank that
/// has no operation there keeps its step.
fn refined(mut error: CollectiveError, first: &Listing, second: &Listing) -> CollectiveError {
    let count = first.digests.len().max(second.digests.len());
    let differs = |place: &usize| first.digests.get(*place) != second.digests.get(*place);
    let Some(place) = (0..count).find(differs) else { return error };
    let CollectiveError::Divergence { first_site, first_cause, second_site, second_cause, .. } =
        &mut error
    else {
        return error;
    };
    let sides = [(first, first_cause, first_site), (second, second_cause, second_site)];
    for (records, cause, site) in sides {
        if let Some(Named(Some((text, line)))) = records.operation(place) {
            *cause = format!("records {text}");
            *site = line.to_owned();
        }
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operations(of: &[(u64, &str, &str)]) -> Listing {
        let one = |&(digest, text, site): &(u64, &str, &str)| RecordedOperation {
            digest,
            text: text.into(),
            site: site.into(),
        };
        Listing::of(&of.iter().map(one).collect::<Vec<_>>())
    }

    fn dispute() -> Dispute {
        let error = CollectiveError::Divergence {
            number: 4,
            first_rank: 0,
            first_site: "end.py:9".into(),
            first_cause: "observes a value".into(),
            second_rank: 2,
            second_site: "end.py:9".into(),
            second_cause: "observes a value".into(),
        };
        Dispute::new(4, [0, 2], error)
    }

    fn error_of(first: &[(u64, &str, &str)], second: &[(u64, &str, &str)]) -> String {
        let mut dispute = dispute();
        assert!(dispute.receive(1, operations(first)).is_none());
        assert!(dispute.receive(2, operations(second)).is_none());
        dispute.receive(0, operations(first)).expect("both ranks have sent records").to_string()
    }

    #[test]
    fn the_first_operation_that_differs_is_named() {
        let (one, two) = ((1, "add -> f64[3]", "a.py:1"), (2, "multiply -> f64[3]", "a.py:2"));
        let three = (3, "exp -> f64[3]", "a.py:3");
        let text = error_of(&[one, two], &[one, three]);
        assert!(text.contains("rank 0 records multiply -> f64[3] at a.py:2"), "{text}");
        assert!(text.contains("rank 2 records exp -> f64[3] at a.py:3"), "{text}");
        let text = error_of(&[two, one], &[one, two]);
        assert!(text.contains("rank 0 records multiply -> f64[3] at a.py:2"), "{text}");
        assert!(text.contains("rank 2 records add -> f64[3] at a.py:1"), "{text}");
        // Rank 0 has recorded nothing more.
        let text = error_of(&[one], &[one, two]);
        assert!(text.contains("rank 0 observes a value at end.py:9"), "{text}");
        assert!(text.contains("rank 2 records multiply -> f64[3] at a.py:2"), "{text}");
        // The records are equal: the tickets differ in something else.
        assert_eq!(error_of(&[one, two], &[one, two]), dispute().error.to_string());
    }

    #[test]
    fn texts_beyond_the_limit_are_left_out() {
        let long = "x".repeat(TEXT_BYTES / 2);
        let sent = operations(&[(1, &long, "a.py:1"), (2, &long, "a.py:2"), (3, "y", &long[1..])]);
        assert_eq!(sent.digests, [1, 2, 3]);
        assert_eq!(sent.names.len(), 2);
        assert!(matches!(sent.operation(2), Some(Named(None))));
        assert!(sent.operation(3).is_none());
    }

    #[test]
    fn records_of_settled_tickets_are_dropped() {
        #[derive(Debug)]
        struct One;
        impl Recorded for One {
            fn operations(&self) -> Vec<RecordedOperation> {
                vec![RecordedOperation { digest: 7, text: "add".into(), site: "a.py:1".into() }]
            }
        }
        let records = Records::default();
        (1..=3).for_each(|number| records.keep(number, Arc::new(One)));
        records.settle(2);
        assert!(records.of(2).digests.is_empty());
        assert_eq!(records.of(3).digests, [7]);
    }
}
