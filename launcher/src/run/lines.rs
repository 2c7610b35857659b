//! Divides the output of a rank into lines.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// A longer line is relayed in parts, so that a rank that writes no line ends uses little memory.
const LONGEST_LINE: u64 = 1 << 20;

/// How long the start of a line waits for its end.
const PROMPT: Duration = Duration::from_millis(50);

/// The most parts of a rank's output that wait to be written.
const PARTS: usize = 16;

/// Passes the lines of `source` to `write`, each as soon as it is complete, so that lines of others
/// do not split a program's partial writes. A part that is not completed soon, such as a question
/// to the user, is passed as it is.
pub(super) fn whole_lines(
    mut source: impl Read + Send + 'static,
    mut write: impl FnMut(&[u8]),
) -> io::Result<()> {
    let (sender, parts) = sync_channel::<Vec<u8>>(PARTS);
    thread::spawn(move || {
        let mut part = vec![0; 1 << 16];
        // The receiver ends only with the launcher.
        while let Ok(count @ 1..) = source.read(&mut part) {
            if sender.send(part[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    let mut held: Vec<u8> = Vec::new();
    let mut since = Instant::now();
    loop {
        let received = if held.is_empty() {
            parts.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            parts.recv_timeout(PROMPT.saturating_sub(since.elapsed()))
        };
        match received {
            Ok(part) => {
                if held.is_empty() {
                    since = Instant::now();
                }
                held.extend_from_slice(&part);
                let is_long = held.len() as u64 >= LONGEST_LINE;
                let end = held.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                let end = if is_long { held.len() } else { end };
                if end > 0 {
                    write(&held[..end]);
                    held.drain(..end);
                    since = Instant::now();
                }
            }
            Err(RecvTimeoutError::Timeout) => write(&std::mem::take(&mut held)),
            Err(RecvTimeoutError::Disconnected) => {
                if !held.is_empty() {
                    write(&held);
                }
                return Ok(());
            }
        }
    }
}

/// Passes every line of `source` to `write`, with the rank's number before it and a line end after
/// it.
pub(super) fn mark_lines(
    rank: usize,
    source: impl Read,
    mut write: impl FnMut(&[u8]),
) -> io::Result<()> {
    let mut source = BufReader::new(source);
    let mark = format!("[{rank}] ").into_bytes();
    loop {
        let mut line = mark.clone();
        let count = (&mut source).take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if count == 0 {
            return Ok(());
        }
        if line.last() != Some(&b'\n') {
            line.push(b'\n');
        }
        write(&line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    fn marked(rank: usize, text: &[u8]) -> Vec<u8> {
        let mut written = Vec::new();
        mark_lines(rank, text, |line| written.extend_from_slice(line)).unwrap();
        written
    }

    #[test]
    fn each_line_carries_the_rank() {
        assert_eq!(marked(2, b"one\n\ntwo\n"), b"[2] one\n[2] \n[2] two\n");
    }

    /// A source that returns these parts, with a pause before each.
    struct Slow(Vec<(Duration, &'static [u8])>);

    impl Read for Slow {
        fn read(&mut self, place: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let (pause, part) = self.0.remove(0);
            thread::sleep(pause);
            place[..part.len()].copy_from_slice(part);
            Ok(part.len())
        }
    }

    #[test]
    fn lines_are_given_whole_and_questions_soon() {
        let (none, long) = (Duration::ZERO, PROMPT * 10);
        let parts = vec![
            (none, b"a word".as_slice()),
            (none, b" and a"),
            (none, b"nother\nnext"),
            (none, b" line\n"),
            (none, b"name? "),
            (long, b"\xff\0"),
        ];
        let (sender, given) = channel();
        whole_lines(Slow(parts), |part| sender.send(part.to_vec()).unwrap()).unwrap();
        drop(sender);
        let given: Vec<Vec<u8>> = given.iter().collect();
        assert_eq!(given.concat(), b"a word and another\nnext line\nname? \xff\0");
        assert!(given.contains(&b"name? ".to_vec()), "{given:?}");
        // On a busy machine a line may be treated as a question.
        let whole = [b"a word and another\n".as_slice(), b"next line\n"].concat();
        assert!(given[0].ends_with(b"another\n") || given.concat().starts_with(&whole));
    }

    #[test]
    fn an_unfinished_line_is_finished() {
        assert_eq!(marked(11, b"one\ntwo"), b"[11] one\n[11] two\n");
        assert_eq!(marked(0, b""), b"");
    }

    #[test]
    fn bytes_that_are_no_text_pass() {
        assert_eq!(marked(1, b"\xff\x00\r\n"), b"[1] \xff\x00\r\n");
    }

    #[test]
    fn a_line_without_end_is_cut() {
        let long = vec![b'x'; LONGEST_LINE as usize + 3];
        let written = marked(1, &long);
        assert!(written.ends_with(b"x\n[1] xxx\n"));
        assert_eq!(written.len(), long.len() + 2 * b"[1] \n".len());
    }
}
