//! The input, output and environment of the ranks of a run.

use crate::program::{errors, phalanx, run_script, sorted_lines, with_input};

#[test]
fn lines_carry_the_rank_and_rank_0s_output_does_not() {
    let script = "echo out $PHALANX_RANK; echo err $PHALANX_RANK >&2";
    let output = run_script(3, script).output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    assert_eq!(sorted_lines(&output.stdout), ["[1] out 1", "[2] out 2", "out 0"]);
    assert_eq!(sorted_lines(&output.stderr), ["[0] err 0", "[1] err 1", "[2] err 2"]);
}

#[test]
fn rank_0s_output_passes_byte_by_byte() {
    let script = r"[ $PHALANX_RANK = 0 ] && printf 'a\r\000\377b' || true";
    let output = run_script(2, script).output().unwrap();
    assert_eq!(output.stdout, b"a\r\0\xffb");
}

#[test]
fn output_without_a_line_end_is_not_lost() {
    let output = run_script(2, "printf half$PHALANX_RANK >&2").output().unwrap();
    assert_eq!(sorted_lines(&output.stderr), ["[0] half0", "[1] half1"]);
}

#[test]
fn much_output_arrives_whole_and_in_lines() {
    let script =
        "i=0; while [ $i -lt 2000 ]; do echo line $i of $PHALANX_RANK >&2; i=$((i+1)); done";
    let output = run_script(3, script).output().unwrap();
    let text = errors(&output);
    for rank in 0..3 {
        let mark = format!("[{rank}] ");
        let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix(&mark)).collect();
        let expected: Vec<String> = (0..2000).map(|i| format!("line {i} of {rank}")).collect();
        assert_eq!(lines, expected);
    }
}

#[test]
fn logs_keep_the_output_of_each_rank() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join("logs");
    let script = r"printf 'a\r\000\377\n'; echo err $PHALANX_RANK >&2; exit $PHALANX_RANK";
    let mut command = phalanx();
    command.args(["run", "-n", "2", "--logs"]).arg(&logs).args(["sh", "-c", script]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    // The lines still arrive where they do without logs.
    let mut lines: Vec<&[u8]> = output.stdout.split_inclusive(|&byte| byte == b'\n').collect();
    lines.sort();
    assert_eq!(lines, [b"[1] a\r\0\xff\n".as_slice(), b"a\r\0\xff\n"]);
    for rank in 0..2 {
        let log = std::fs::read(logs.join(format!("rank-{rank}.log"))).unwrap();
        let err = format!("err {rank}\n").into_bytes();
        let out = b"a\r\0\xff\n".to_vec();
        assert!(
            log == [out.clone(), err.clone()].concat() || log == [err, out].concat(),
            "{log:?}"
        );
    }
}

#[test]
fn only_rank_0_reads_the_input() {
    let output = with_input(run_script(2, "cat; echo read by $PHALANX_RANK"), b"text\n");
    assert_eq!(sorted_lines(&output.stdout), ["[1] read by 1", "read by 0", "text"]);
}

#[test]
fn ranks_find_their_variables() {
    let script = "echo $PHALANX_RANK/$PHALANX_SIZE $PHALANX_ADDRESS $(wc -c < $PHALANX_TOKEN_FILE) \
                  bind=$PHALANX_BIND $PHALANX_DEVICES $PHALANX_THREADS $PHALANX_TIMEOUT";
    let mut command = phalanx();
    command.env("PHALANX_BIND", "10.1.2.3").env("PHALANX_RANK", "7").env("PHALANX_THREADS", "3");
    command.args(["run", "-n", "2", "--devices", "cpu:2", "--timeout", "9.5", "sh", "-c", script]);
    let output = command.output().unwrap();
    let lines = sorted_lines(&output.stdout);
    assert_eq!(lines.len(), 2, "{}", errors(&output));
    let (first, second) = (&lines[0], lines[1].strip_prefix("[1] ").unwrap());
    let address = first.split(' ').nth(1).unwrap();
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    assert_eq!(*first, format!("0/2 {address} 64 bind= cpu:2 3 9.5"));
    assert_eq!(second, format!("1/2 {address} 64 bind= cpu:2 3 9.5"));
}

#[test]
fn cores_are_divided_among_the_ranks() {
    let cores = std::thread::available_parallelism().unwrap().get();
    let output = run_script(2, "echo $PHALANX_THREADS").output().unwrap();
    let share = (cores / 2).max(1);
    assert_eq!(sorted_lines(&output.stdout), [share.to_string(), format!("[1] {share}")].sorted());
}

/// Puts a few expected lines in the order in which `sorted_lines` gives them.
trait Sorted {
    fn sorted(self) -> Self;
}

impl<const N: usize> Sorted for [String; N] {
    fn sorted(mut self) -> Self {
        self.sort();
        self
    }
}
