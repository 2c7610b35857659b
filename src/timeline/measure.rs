//! Lengths of time: how long spans of time last together, and how much of them others cover.

use phalanx_scheduler::Span;

/// Spans of time in order, which neither overlap nor touch, in nanoseconds.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Times(Vec<(i64, i64)>);

impl Times {
    /// The time of some spans.
    pub fn of<'a>(spans: impl Iterator<Item = &'a Span>) -> Times {
        let mut ends: Vec<(i64, i64)> =
            spans.map(|span| (span.start, span.end)).filter(|(start, end)| start < end).collect();
        ends.sort_unstable();
        let mut times: Vec<(i64, i64)> = Vec::new();
        for (start, end) in ends {
            match times.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => times.push((start, end)),
            }
        }
        Times(times)
    }

    /// The nanoseconds.
    pub fn length(&self) -> i64 {
        self.0.iter().map(|(start, end)| end - start).sum()
    }

    /// The nanoseconds that are in both.
    pub fn shared(&self, other: &Times) -> i64 {
        let (mut own, mut others) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut shared = 0;
        while let (Some(a), Some(b)) = (own.peek(), others.peek()) {
            shared += (a.1.min(b.1) - a.0.max(b.0)).max(0);
            if a.1 < b.1 {
                own.next()
            } else {
                others.next()
            };
        }
        shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_scheduler::Kind;

    fn times(of: &[(i64, i64)]) -> Times {
        let span = |&(start, end): &(i64, i64)| Span {
            kind: Kind::Launch,
            name: 0,
            start,
            end,
            bytes: 0,
            plan: 0,
        };
        let spans: Vec<Span> = of.iter().map(span).collect();
        Times::of(spans.iter())
    }

    #[test]
    fn time_that_spans_share_counts_once() {
        let messages = times(&[(5, 10), (0, 4), (3, 6), (20, 30), (40, 40)]);
        assert_eq!(messages, times(&[(0, 10), (20, 30)]));
        assert_eq!(messages.length(), 20);
        let work = times(&[(2, 3), (8, 25), (29, 100)]);
        assert_eq!(messages.shared(&work), 1 + 2 + 5 + 1);
        assert_eq!(work.shared(&messages), messages.shared(&work));
        assert_eq!(messages.shared(&Times::default()), 0);
    }
}
