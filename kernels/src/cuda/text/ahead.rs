//! Loops whose points teams and chunks share, and loads that a thread issues ahead of combining.

use super::writer::Writer;
use crate::cuda::variant::{Chunks, LoopLanes};
use crate::ir::{Expr, Fold, Stmt, ValueId};

/// The most bytes that a thread loads ahead.
const MOST_AHEAD: usize = 128;
/// The most points that a thread loads ahead for.
const MOST_ROUNDS: usize = 8;

/// The values that a thread loads before it combines anything.
pub(super) struct Ahead {
    values: Vec<ValueId>,
    /// The number of points to load for; 1 if nothing is loaded ahead.
    rounds: usize,
}

impl Writer<'_> {
    /// The loop over the points of a thread; `at_point` writes the body for each.
    pub(super) fn shared_loop(
        &mut self,
        number: usize,
        lanes: u32,
        ahead: &Ahead,
        at_point: &dyn Fn(&mut Self),
    ) {
        let team = self.variant.team();
        let LoopLanes { tall, tail, once } = self.variant.loop_lanes[number];
        let lanes = if tall { 1 } else { lanes };
        let end = match tall {
            true => self.stretches(number),
            false => format!("(Position)a.points{number}"),
        };
        let round = team * lanes;
        // Chunks take rounds in turn, so that blocks read neighbouring memory at the same time.
        let first = format!("t * {lanes}");
        let (mut begin, step) = match self.variant.chunks {
            Chunks::One => (first, round.to_string()),
            _ => {
                let step = format!("({round} * (Position)a.chunks)");
                (format!("c * {round} + {first}"), step)
            }
        };
        if ahead.rounds > 1 {
            self.line(format!("Position at{number} = {begin};"));
            self.loop_ahead(number, ahead, &step, at_point);
            // Fewer points than that remain.
            begin = format!("at{number}");
        } else if !once {
            // A thread loads enough at once if it has points in several rows.
            self.line(if tall { "#pragma unroll 1" } else { "#pragma unroll 4" });
        }
        if once {
            self.line(format!("const Position p{number} = {begin};"));
            self.line(format!("if (p{number} < {end}) {{"));
        } else {
            self.line(format!(
                "for (Position p{number} = {begin}; p{number} < {end}; p{number} += {step}) {{"
            ));
        }
        self.indent += 1;
        if tail && !tall {
            self.line("bool valid[N];");
            self.line(format!("LANES valid[k] = p{number} + k < {end};"));
        }
        self.end_point(number, at_point);
    }

    /// The body at a point of a loop, and its closing brace.
    fn end_point(&mut self, number: usize, at_point: &dyn Fn(&mut Self)) {
        self.loop_positions(number);
        self.open.push(number);
        at_point(self);
        self.open.pop();
        self.indent -= 1;
        self.line("}");
    }

    /// The loop over batches of the points that a thread loads ahead.
    fn loop_ahead(
        &mut self,
        number: usize,
        ahead: &Ahead,
        step: &str,
        at_point: &dyn Fn(&mut Self),
    ) {
        let Ahead { values, rounds } = ahead;
        self.line(format!(
            "for (; at{number} + {} * {step} < (Position)a.points{number}; at{number} += {rounds} \
             * {step}) {{",
            rounds - 1
        ));
        self.indent += 1;
        for &value in values {
            let name = self.kernel[value].dtype.name();
            let lanes = if self.laned[value.index()] { "[N]" } else { "" };
            self.line(format!("{name} ahead{value}[{rounds}]{lanes};"));
        }
        let round = |writer: &mut Self, at_round: &dyn Fn(&mut Self)| {
            writer.line("#pragma unroll");
            writer.line(format!("for (int u = 0; u < {rounds}; u++) {{"));
            writer.indent += 1;
            writer.line(format!("const Position p{number} = at{number} + u * {step};"));
            writer.end_point(number, at_round);
        };
        round(self, &|writer| {
            for &value in values {
                writer.value(value);
                writer.line(if writer.laned[value.index()] {
                    format!("LANES ahead{value}[u][k] = v{value}[k];")
                } else {
                    format!("ahead{value}[u] = v{value};")
                });
            }
        });
        round(self, &|writer| {
            for &value in values {
                let lane = if writer.laned[value.index()] { "[k]" } else { "" };
                writer.define(value, &format!("ahead{value}[u]{lane}"));
                writer.early.insert(value);
            }
            at_point(writer);
            values.iter().for_each(|value| _ = writer.early.remove(value));
        });
        self.indent -= 1;
        self.line("}");
    }

    /// The positions of the groups of a loop at a point of it.
    pub(super) fn loop_positions(&mut self, number: usize) {
        let groups = self.variant.loops[number].len();
        let LoopLanes { tall, tail, .. } = self.variant.loop_lanes[number];
        if groups == 1 {
            self.line(format!("const Position l{number}_0 = p{number};"));
        }
        if groups < 2 {
            return;
        }
        self.line(format!("Position rest{number} = p{number};"));
        for group in (0..groups).rev() {
            let is_rows = tall && self.variant.lane_group_of(number) == Some(group);
            let times = if is_rows { " * N" } else { "" };
            if group == 0 {
                self.line(format!("const Position l{number}_0 = rest{number}{times};"));
                continue;
            }
            let extent = match is_rows {
                true => rows_of_lanes(number, group),
                false => format!("(Position)a.n_l{number}_{group}"),
            };
            self.line(format!("const Position q{number}_{group} = rest{number} / {extent};"));
            self.line(format!(
                "const Position l{number}_{group} = (rest{number} - q{number}_{group} * \
                 {extent}){times};"
            ));
            self.line(format!("rest{number} = q{number}_{group};"));
        }
        if let (true, true, Some(group)) = (tall, tail, self.variant.lane_group_of(number)) {
            self.line("bool valid[N];");
            self.line(format!(
                "LANES valid[k] = l{number}_{group} + k < (Position)a.n_l{number}_{group};"
            ));
        }
    }

    /// The points of a loop, where those of a thread in successive rows count once.
    fn stretches(&self, number: usize) -> String {
        let extent = |group: usize| match self.variant.lane_group_of(number) == Some(group) {
            true => rows_of_lanes(number, group),
            false => format!("(Position)a.n_l{number}_{group}"),
        };
        (0..self.variant.loops[number].len()).map(extent).collect::<Vec<_>>().join(" * ")
    }

    /// The loads that a thread issues for several points before it combines the first. In moments
    /// the quotient of each point is a branch, and the compiler moves no load across it.
    pub(super) fn ahead(
        &self,
        number: usize,
        body: &[Stmt],
        folds: &[Fold],
        begun: usize,
    ) -> Ahead {
        let none = Ahead { values: Vec::new(), rounds: 1 };
        let is_moments = (begun..begun + folds.len()).any(|number| self.is_moments(number));
        let LoopLanes { tall, tail, once } = self.variant.loop_lanes[number];
        let lets = |statement: &Stmt| matches!(statement, Stmt::Let(_));
        if !is_moments || tall || tail || once || !body.iter().all(lets) {
            return none;
        }
        let is_load = |value: &ValueId| match self.kernel[*value].expr {
            Expr::Load { guard: None, .. } => self.is_early(*value),
            _ => false,
        };
        let value = |statement: &Stmt| match statement {
            Stmt::Let(value) => Some(*value),
            _ => None,
        };
        let values: Vec<ValueId> = body.iter().filter_map(value).filter(is_load).collect();
        let bytes = |&value: &ValueId| {
            let lanes = if self.laned[value.index()] { self.variant.lanes() as usize } else { 1 };
            self.kernel[value].dtype.size() * lanes
        };
        match values.iter().map(bytes).sum::<usize>() {
            0 => none,
            bytes => Ahead { values, rounds: (MOST_AHEAD / bytes).clamp(1, MOST_ROUNDS) },
        }
    }
}

/// The number of stretches of rows, each of the points of a thread, of a group.
fn rows_of_lanes(number: usize, group: usize) -> String {
    format!("(((Position)a.n_l{number}_{group} + N - 1) / N)")
}
