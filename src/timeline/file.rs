//! The file of a timeline, in the Trace Event Format (Google, "Trace Event Format", 2016), which
//! Perfetto and the browsers' tracing pages open.
//!
//! Each rank is a process with a row for the thread of its program, and for each device a row of
//! its work and rows of its messages: messages that overlap are in different rows.

use phalanx_scheduler::{Kind, Span, Timeline, Track};
use serde_json::{Value, json};
use std::io::{self, Write};

/// The numbers of rows that a track may take.
const ROWS: usize = 100;

/// Writes the file.
pub(super) fn write(timeline: &Timeline, to: &mut impl Write) -> io::Result<()> {
    let mut separator = "";
    write!(to, "{{\"displayTimeUnit\": \"ns\", \"traceEvents\": [")?;
    let mut put = |event: Value| -> io::Result<()> {
        write!(to, "{separator}\n{event}")?;
        separator = ",";
        Ok(())
    };
    // The program's thread comes first within its rank.
    let mut tracks: Vec<&Track> = timeline.tracks.iter().collect();
    tracks.sort_by_key(|track| (track.rank, track.is_program() as usize ^ 1));
    let mut last = None;
    let mut of_rank = 0;
    for track in tracks {
        if last != Some(track.rank) {
            put(named("process_name", track.rank, 0, &format!("rank {}", track.rank)))?;
            put(sorted("process_sort_index", track.rank, 0, track.rank))?;
            (last, of_rank) = (Some(track.rank), 0);
        }
        let first = of_rank * ROWS;
        of_rank += 1;
        let rows = rows(track);
        for row in 0..=rows.iter().copied().max().unwrap_or(0) {
            let name = match row {
                0 => track.name.clone(),
                1 => format!("{} messages", track.name),
                _ => format!("{} messages {row}", track.name),
            };
            put(named("thread_name", track.rank, first + row, &name))?;
            put(sorted("thread_sort_index", track.rank, first + row, first + row))?;
        }
        for (span, row) in track.spans.iter().zip(rows) {
            put(event(track, span, first + row))?;
        }
    }
    let dropped: u64 = timeline.tracks.iter().map(|track| track.dropped).sum();
    writeln!(to, "\n], \"otherData\": {{\"dropped\": {dropped}}}}}")
}

/// The row of each span of a track: 0 for work, from 1 on for messages.
fn rows(track: &Track) -> Vec<usize> {
    let mut order: Vec<usize> = (0..track.spans.len()).collect();
    order.sort_by_key(|&at| track.spans[at].start);
    let mut rows = vec![0; track.spans.len()];
    // The end of the last message of each row.
    let mut ends: Vec<i64> = Vec::new();
    for at in order {
        let span = &track.spans[at];
        if span.kind != Kind::Message {
            continue;
        }
        let free = ends.iter().position(|end| *end <= span.start);
        let row = match free {
            Some(row) => row,
            // Further rows would be those of another track.
            None if ends.len() + 1 >= ROWS => ends.len() - 1,
            None => {
                ends.push(0);
                ends.len() - 1
            }
        };
        ends[row] = span.end;
        rows[at] = row + 1;
    }
    rows
}

fn event(track: &Track, span: &Span, row: usize) -> Value {
    let microseconds = |nanoseconds: i64| nanoseconds as f64 / 1e3;
    let mut arguments = json!({ "plan": span.plan });
    if span.bytes > 0 {
        arguments["bytes"] = json!(span.bytes);
        let length = (span.end - span.start).max(1);
        arguments["GB/s"] = json!((span.bytes as f64 / length as f64 * 10.0).round() / 10.0);
    }
    json!({
        "ph": "X",
        "pid": track.rank,
        "tid": row,
        "ts": microseconds(span.start),
        "dur": microseconds((span.end - span.start).max(0)),
        "name": track.names.get(span.name as usize),
        "cat": span.kind.name(),
        "args": arguments,
    })
}

fn named(what: &str, rank: usize, row: usize, name: &str) -> Value {
    json!({ "ph": "M", "pid": rank, "tid": row, "name": what, "args": { "name": name } })
}

fn sorted(what: &str, rank: usize, row: usize, place: usize) -> Value {
    json!({ "ph": "M", "pid": rank, "tid": row, "name": what, "args": { "sort_index": place } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(kind: Kind, start: i64, end: i64) -> Span {
        Span { kind, name: 0, start, end, bytes: 4096, plan: 3 }
    }

    fn track(rank: usize, name: &str, spans: Vec<Span>) -> Track {
        let names = vec![String::from("add \"3\"")];
        Track { rank, name: String::from(name), names, spans, dropped: 0 }
    }

    #[test]
    fn the_file_is_json_with_rows_that_do_not_overlap() {
        let messages = vec![
            span(Kind::Launch, 0, 1500),
            span(Kind::Message, 100, 400),
            span(Kind::Message, 300, 600),
            span(Kind::Message, 400, 500),
        ];
        let program = track(1, "program", vec![span(Kind::Plan, 0, 10)]);
        let tracks = vec![track(1, "cpu:0", messages), program];
        let mut text = Vec::new();
        write(&Timeline { tracks }, &mut text).expect("memory takes all");
        let file: Value = serde_json::from_slice(&text).expect("the file is JSON");
        let events = file["traceEvents"].as_array().expect("a list");
        let rows: Vec<(u64, f64)> = events
            .iter()
            .filter(|event| event["ph"] == "X")
            .map(|event| (event["tid"].as_u64().unwrap(), event["ts"].as_f64().unwrap()))
            .collect();
        assert_eq!(rows, [(0, 0.0), (100, 0.0), (101, 0.1), (102, 0.3), (101, 0.4)]);
        let launch = events.iter().find(|event| event["cat"] == "launch").expect("a launch");
        assert_eq!((&launch["dur"], &launch["name"]), (&json!(1.5), &json!("add \"3\"")));
        assert_eq!(launch["args"], json!({ "plan": 3, "bytes": 4096, "GB/s": 2.7 }));
        let names = events.iter().filter(|event| event["name"] == "thread_name");
        let names: Vec<&Value> = names.map(|event| &event["args"]["name"]).collect();
        assert_eq!(names, ["program", "cpu:0", "cpu:0 messages", "cpu:0 messages 2"]);
    }

    #[test]
    fn more_messages_at_a_time_than_rows_stay_within_the_track() {
        let spans = (0..200).map(|start| span(Kind::Message, start, 1000)).collect();
        let rows = rows(&track(0, "cpu:0", spans));
        assert_eq!(rows.iter().max(), Some(&(ROWS - 1)));
    }
}
