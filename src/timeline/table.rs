//! The table of a timeline: for each kind of step and each device, the time and the bytes, the
//! share of messages that is hidden behind work, and the imbalance of the devices.

use super::measure::Times;
use phalanx_ops::Bytes;
use phalanx_scheduler::{Kind, Span, Timeline, Track};
use std::fmt::Write;

/// The most tracks of a kind that have a row each; of more, only the fastest, a middle and the
/// slowest have one.
const MOST_ROWS: usize = 16;

/// What a track spent on one kind.
struct Row<'a> {
    track: &'a Track,
    spans: usize,
    /// In nanoseconds.
    time: i64,
    bytes: u64,
    /// The nanoseconds of messages during which the device worked.
    hidden: Option<i64>,
}

impl<'a> Row<'a> {
    fn of(track: &'a Track, kind: Kind) -> Option<Row<'a>> {
        let of_kind = || track.spans.iter().filter(move |span| span.kind == kind);
        let spans = of_kind().count();
        if spans == 0 {
            return None;
        }
        let times = Times::of(of_kind());
        let hidden = (kind == Kind::Message).then(|| {
            times.shared(&Times::of(track.spans.iter().filter(|span| span.kind.is_work())))
        });
        let bytes = of_kind().map(|span| span.bytes).sum();
        Some(Row { track, spans, time: times.length(), bytes, hidden })
    }
}

/// The table, ended by a line that names the ranks and the length of the timeline.
pub(super) fn text(timeline: &Timeline) -> String {
    let mut text = format!(
        "{:<11} {:<16} {:>8} {:>11} {:>6} {:>11} {:>7} {:>10}\n",
        "kind", "device", "steps", "time", "", "bytes", "hidden", "imbalance"
    );
    let all = || timeline.tracks.iter().flat_map(|track| &track.spans);
    let start = all().map(|span| span.start).min().unwrap_or(0);
    let end = all().map(|span: &Span| span.end).max().unwrap_or(start);
    let length = (end - start).max(1);
    for kind in Kind::ALL {
        let rows: Vec<Row<'_>> =
            timeline.tracks.iter().filter_map(|track| Row::of(track, kind)).collect();
        let times = || rows.iter().map(|row| row.time);
        let most = times().max().unwrap_or(0);
        // The mean is over all devices: one that has nothing to do is out of balance too.
        let is_alike = |track: &&Track| track.is_program() == kind.is_of_program();
        let alike = timeline.tracks.iter().filter(is_alike).count();
        let mean = times().sum::<i64>() as f64 / alike.max(1) as f64;
        let imbalance = if mean > 0.0 { most as f64 / mean } else { 1.0 };
        for (number, row) in shown(&rows).into_iter().enumerate() {
            let imbalance = match number {
                0 if alike > 1 => format!("{imbalance:.2}"),
                _ => String::new(),
            };
            let hidden = row.hidden.map_or_else(String::new, |hidden| {
                format!("{:.0} %", 100.0 * hidden as f64 / row.time.max(1) as f64)
            });
            let bytes =
                if row.bytes > 0 { Bytes(row.bytes as usize).to_string() } else { String::new() };
            let _ = writeln!(
                text,
                "{:<11} {:<16} {:>8} {:>8.3} ms {:>4.0} % {bytes:>11} {hidden:>7} {imbalance:>10}",
                if number == 0 { kind.name() } else { "" },
                format!("{} {}", row.track.rank, row.track.name),
                row.spans,
                row.time as f64 / 1e6,
                100.0 * row.time as f64 / length as f64,
            );
        }
    }
    let dropped: u64 = timeline.tracks.iter().map(|track| track.dropped).sum();
    if dropped > 0 {
        let _ = writeln!(text, "{dropped} later steps were not recorded");
    }
    let ranks = timeline.tracks.iter().map(|track| track.rank).max().map_or(0, |last| last + 1);
    let ranks = if ranks == 1 { String::from("1 rank") } else { format!("{ranks} ranks") };
    let _ = write!(text, "timeline of {ranks}, {:.3} s, ", length as f64 / 1e9);
    text
}

/// The rows to show.
fn shown<'r, 'a>(rows: &'r [Row<'a>]) -> Vec<&'r Row<'a>> {
    let mut shown: Vec<&Row<'_>> = rows.iter().collect();
    if shown.len() > MOST_ROWS {
        shown.sort_by_key(|row| row.time);
        shown = vec![shown[0], shown[shown.len() / 2], shown[shown.len() - 1]];
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(kind: Kind, start: i64, end: i64, bytes: u64) -> Span {
        Span { kind, name: 0, start, end, bytes, plan: 0 }
    }

    fn track(rank: usize, name: &str, spans: Vec<Span>) -> Track {
        Track { rank, name: String::from(name), names: Vec::new(), spans, dropped: 0 }
    }

    #[test]
    fn the_table_has_times_bytes_hidden_shares_and_imbalance() {
        let ms = 1_000_000;
        let first = vec![
            span(Kind::Launch, 0, 3 * ms, 1 << 20),
            span(Kind::Message, 2 * ms, 6 * ms, 1 << 21),
            span(Kind::Wait, 3 * ms, 6 * ms, 0),
        ];
        let second = vec![span(Kind::Launch, 0, ms, 1 << 20)];
        let program = vec![span(Kind::Plan, 0, ms / 2, 0)];
        let tracks =
            vec![track(0, "cpu:0", first), track(0, "program", program), track(1, "cpu:0", second)];
        let expected = "\
kind        device              steps        time              bytes  hidden  imbalance
launch      0 cpu:0                 1    3.000 ms   50 %     1.0 MiB               1.50
            1 cpu:0                 1    1.000 ms   17 %     1.0 MiB                   \n\
wait        0 cpu:0                 1    3.000 ms   50 %                           2.00
message     0 cpu:0                 1    4.000 ms   67 %     2.0 MiB    25 %       2.00
plan        0 program               1    0.500 ms    8 %                               \n\
timeline of 2 ranks, 0.006 s, ";
        assert_eq!(text(&Timeline { tracks }), expected);
    }

    #[test]
    fn of_many_devices_three_are_shown() {
        let track = |rank| track(rank, "cpu:0", vec![span(Kind::Copy, 0, 1 + rank as i64, 8)]);
        let text = text(&Timeline { tracks: (0..40).map(track).collect() });
        let devices: Vec<&str> = text.lines().filter(|line| line.contains("cpu:0")).collect();
        assert_eq!(devices.len(), 3, "{text}");
        for (line, rank) in devices.iter().zip(["0 cpu", "20 cpu", "39 cpu"]) {
            assert!(line.contains(rank), "{text}");
        }
    }
}
