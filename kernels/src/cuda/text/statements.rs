//! Statements: values, loops and stores.

use super::argument::{Along, Field};
use super::writer::Writer;
use crate::cuda::prelude::literal;
use crate::cuda::special::called;
use crate::cuda::variant::{Chunks, GuardKind, Mode, Step, TILE, TILE_STEP};
use crate::ir::{AccessId, AxisId, Expr, Fold, GuardId, Role, Stmt, ValueId};
use phalanx_ops::{DType, Monoid};
use std::fmt::Write;

impl Writer<'_> {
    pub(super) fn body(&mut self, body: &[Stmt]) {
        self.early_loads(body);
        for statement in body {
            match statement {
                Stmt::Let(value) if self.early.contains(value) => {}
                Stmt::Let(value) => self.value(*value),
                Stmt::Loop { body, folds, .. } => {
                    let number = self.loops;
                    self.loops += 1;
                    if self.open.is_empty() {
                        self.outer_loop(number, body, folds)
                    } else {
                        self.inner_loop(number, body, folds)
                    }
                }
                Stmt::Store { access, value } => self.store(*access, *value),
                Stmt::Accumulate { access, length, position, value, monoid } => {
                    self.accumulation(*monoid, self.dtype_of(*access));
                    let lanes = self.laned[position.index()]
                        || self.laned[value.index()]
                        || self.is_in_row();
                    let place = self.address(*access, None);
                    let (position, value) = (self.operand(*position), self.operand(*value));
                    let name = monoid.name();
                    let call = format!(
                        "if ((u64){position} < (u64)scalar{length}) \
                         accumulate_{name}(({}*)({place}) \
                         + {position}, {value});",
                        self.dtype_of(*access).name()
                    );
                    self.effect(&call, lanes);
                }
            }
        }
    }

    /// Defines the function that combines into a table.
    fn accumulation(&mut self, monoid: Monoid, dtype: DType) {
        if !self.accumulated.insert((monoid, dtype)) {
            return;
        }
        let name = dtype.name();
        // Sums of integers wrap, with or without a sign.
        let word = match (monoid, dtype) {
            (Monoid::Add, DType::I32 | DType::U32) => Some("u32"),
            (Monoid::Add, DType::I64 | DType::U64) => Some("u64"),
            _ => None,
        };
        let combined = match word {
            Some(word) => format!("atomic_add(({word}*)place, ({word})x);"),
            None => {
                self.uses.monoids.insert((monoid, dtype));
                format!(
                    "exchange_until(place, [=]({name} own) {{ return combine_{monoid}(own, x); }});"
                )
            }
        };
        let _ = writeln!(
            self.functions,
            "DEVICE void accumulate_{monoid}({name}* place, {name} x) {{ {combined} }}"
        );
    }

    /// Whether the points of a thread's lanes are those of a loop.
    fn is_in_row(&self) -> bool {
        self.variant.is_rows() && !self.open.is_empty() && self.variant.lanes() > 1
    }

    /// A statement that writes, under the conditions that select its threads and valid lanes.
    fn effect(&mut self, call: &str, lanes: bool) {
        let condition = if self.open.is_empty() { "first" } else { "active" };
        let mut text = String::new();
        if condition == "first" || self.variant.is_shared() {
            let _ = write!(text, "if ({condition}) ");
        }
        // Each thread has all lanes of its column.
        let is_columns = !self.variant.is_rows() && self.variant.lanes() > 1;
        if lanes || is_columns {
            text.push_str("LANES ");
        }
        if self.has_tail() {
            text.push_str("if (valid[k]) ");
        }
        self.line(text + call);
    }

    /// Whether lanes of the open loop may be beyond its end.
    pub(super) fn has_tail(&self) -> bool {
        matches!(self.variant.mode, Mode::Strides { .. } | Mode::Tiles { .. })
            || self.is_in_row() && self.variant.loop_lanes[self.open[0]].tail
    }

    /// A value as operand, in a lane if it differs between lanes.
    pub(super) fn operand(&self, value: ValueId) -> String {
        if self.laned[value.index()] { format!("v{value}[k]") } else { format!("v{value}") }
    }

    pub(super) fn value(&mut self, value: ValueId) {
        let kernel = self.kernel;
        let data = &kernel[value];
        if let Expr::Load { access, guard } = &data.expr {
            return self.load(value, *access, *guard);
        }
        let text = match &data.expr {
            Expr::Scalar(scalar) => format!("scalar{scalar}"),
            Expr::Constant(scalar) => literal(scalar.dtype(), scalar.bytes()),
            Expr::Index(axis) => format!("a.origin{axis} + (i64){}", self.position(*axis)),
            Expr::Inside(guard) => self.inside(*guard).unwrap_or_else(|| String::from("true")),
            Expr::Op { op, inputs } => {
                let inputs: Vec<String> = inputs.iter().map(|&input| self.operand(input)).collect();
                format!("op_{}({})", op.name(), inputs.join(", "))
            }
            Expr::Special { function, inputs } => {
                let inputs: Vec<String> =
                    inputs.iter().map(|&input| format!("(f64){}", self.operand(input))).collect();
                format!("({}){}({})", data.dtype, called(*function), inputs.join(", "))
            }
            Expr::Select { condition, on_true, on_false } => {
                let [condition, on_true, on_false] =
                    [condition, on_true, on_false].map(|&input| self.operand(input));
                format!("{condition} ? {on_true} : {on_false}")
            }
            Expr::Cast(input) if self.kernel[*input].dtype == data.dtype => self.operand(*input),
            Expr::Cast(input) => format!("cast_{}({})", data.dtype, self.operand(*input)),
            Expr::Load { .. } | Expr::Folded => unreachable!("bug: not computed here"),
        };
        self.define(value, &text);
    }

    /// Assigns `text` to a value, in each lane if it differs between lanes.
    pub(super) fn define(&mut self, value: ValueId, text: &str) {
        let name = self.kernel[value].dtype.name();
        if self.laned[value.index()] {
            self.line(format!("{name} v{value}[N];"));
            self.line(format!("LANES v{value}[k] = {text};"));
        } else {
            self.line(format!("const {name} v{value} = {text};"))
        }
    }

    /// Moves loads to the start of a loop's body or of the outermost level, for parameters that the
    /// kernel does not store to. The compiler cannot exclude that stores go to the same memory and
    /// would delay each load until after earlier stores. Outside of loops, all threads of a point
    /// do these loads; the wait at a loop's end then separates them from a store to that memory.
    fn early_loads(&mut self, body: &[Stmt]) {
        let is_early = |statement: &Stmt| match statement {
            Stmt::Let(value) => self.is_early(*value),
            _ => false,
        };
        let is_point = self.open.is_empty() && self.variant.is_shared();
        let waits = |statement: &Stmt| match statement {
            Stmt::Store { .. } => true,
            Stmt::Loop { .. } => is_point,
            _ => false,
        };
        let (last, first) = (body.iter().rposition(is_early), body.iter().position(waits));
        if last.is_none() || first.is_none() || last < first {
            return;
        }
        for statement in body {
            if let Stmt::Let(value) = statement
                && self.is_early(*value)
            {
                self.value(*value);
                self.early.insert(*value);
            }
        }
        if is_point {
            // A loop stores more than one element, so not over the memory of these.
            self.has_loaded_early = std::mem::take(&mut self.has_loaded);
        }
    }

    pub(super) fn is_early(&self, value: ValueId) -> bool {
        match self.kernel[value].expr {
            Expr::Load { access, .. } => self.kernel[self.kernel[access].param].role == Role::In,
            _ => false,
        }
    }

    /// Makes the threads of a team and the blocks of chunks wait for each other if one may load an
    /// element that another has stored in an earlier loop.
    pub(super) fn wait_for_stores(&mut self) {
        let loads_stored = self.kernel.params.iter().any(|param| param.role == Role::InOut);
        if self.has_stored && loads_stored {
            self.wait();
        }
    }

    /// Makes them wait if one may overwrite an element that another has yet to load: a result may
    /// share the memory of an input.
    pub(super) fn wait_for_loads(&mut self) {
        if self.has_loaded {
            self.wait();
        }
    }

    fn wait(&mut self) {
        match self.variant.chunks {
            Chunks::Together => {
                self.rounds += 1;
                let rounds = self.rounds;
                self.line(format!("meet(counter, (unsigned)a.chunks, {rounds});"));
            }
            _ if self.variant.team() == 1 => {}
            _ => {
                let is_in_warp = self.variant.is_rows() && self.variant.team() <= 32;
                self.line(if is_in_warp { "warp_barrier();" } else { "barrier();" });
            }
        }
        self.has_waited();
    }

    /// Notes that all threads of a point have waited for each other.
    pub(super) fn has_waited(&mut self) {
        self.has_stored = false;
        self.has_loaded = false;
        self.has_loaded_early = false;
    }

    fn load(&mut self, value: ValueId, access: AccessId, guard: Option<GuardId>) {
        if self.open.is_empty() {
            self.wait_for_stores();
        }
        self.has_loaded = true;
        let name = self.kernel[value].dtype.name();
        let inside = guard.and_then(|guard| self.inside(guard));
        let zero = format!("{name}{{}}");
        let never = inside.as_deref() == Some("false");
        let steps = self.lane_step(access, self.row()) != Step::None;
        if !self.laned[value.index()] {
            let address = self.address(access, None);
            let load = format!("*(const {name}*)({address})");
            // If the first lane of a thread is no point, no lane is.
            let by_lane = matches!(self.variant.mode, Mode::Strides { .. } | Mode::Tiles { .. });
            let text = match &inside {
                Some(_) if never => zero,
                Some(inside) if by_lane => format!("valid[0] && ({inside}) ? {load} : {zero}"),
                Some(inside) => format!("({inside}) ? {load} : {zero}"),
                None if by_lane => format!("valid[0] ? {load} : {zero}"),
                None => load,
            };
            return self.line(format!("const {name} v{value} = {text};"));
        }
        self.line(format!("{name} v{value}[N];"));
        if self.variant.crosses(access) && inside.is_none() {
            return self.crossing_load(value, access);
        }
        if let Some(rows) = self.variant.rows_of(access) {
            return self.load_of_rows(value, access, rows);
        }
        let address = self.address(access, Some("k").filter(|_| steps));
        let load = format!("*(const {name}*)({address})");
        let tail = self.has_tail();
        let is_alike = guard.is_none_or(|guard| !self.is_laned_guard(guard, self.row()));
        if self.variant.packed[access.index()] && is_alike && !tail && steps {
            let address = self.address(access, None);
            let load = format!("load_lanes(v{value}, {address});");
            return match inside {
                None => self.line(load),
                Some(inside) => {
                    self.line(format!("if ({inside}) {load}"));
                    self.line(format!("else LANES v{value}[k] = {zero};"));
                }
            };
        }
        let condition = match (tail, inside) {
            (false, None) => None,
            (true, None) => Some(String::from("valid[k]")),
            (false, Some(inside)) => Some(inside),
            (true, Some(inside)) => Some(format!("valid[k] && ({inside})")),
        };
        let text = match condition {
            None => load,
            Some(condition) => format!("({condition}) ? {load} : {zero}"),
        };
        self.line(format!("LANES v{value}[k] = {text};"));
    }

    /// Reads each row that several accesses share once, at the first load of any of them.
    fn load_of_rows(&mut self, value: ValueId, access: AccessId, rows: &[(AccessId, u32)]) {
        let name = self.kernel[value].dtype.name();
        let lanes = self.variant.lanes();
        let group = rows[0].0;
        let behind = |row: &(AccessId, u32)| row.1;
        if self.rows.insert(group) {
            let count = lanes + rows.iter().map(behind).max().unwrap_or(0);
            let first = rows.iter().find(|row| behind(row) == 0).map_or(group, |row| row.0);
            self.line(format!("{name} rows{group}[{count}];"));
            // A row is loaded if the first lane that needs it is a point; later lanes need not be.
            let needed = |row: u32| {
                let lane = |own: &(AccessId, u32)| row.checked_sub(own.1).filter(|at| *at < lanes);
                Some((row, rows.iter().filter_map(lane).min()?))
            };
            for (row, lane) in (0..count).filter_map(needed) {
                let address = self.address(first, Some(&row.to_string()));
                self.line(format!(
                    "rows{group}[{row}] = valid[{lane}] ? *(const {name}*)({address}) : {name}{{}};"
                ));
            }
        }
        let behind = rows.iter().find(|row| row.0 == access).map_or(0, behind);
        self.line(format!("LANES v{value}[k] = rows{group}[k + {behind}];"));
    }

    /// Reads a square along the axis of its neighbouring elements.
    fn crossing_load(&mut self, value: ValueId, access: AccessId) {
        let Mode::Tiles { across, .. } = self.variant.mode else {
            unreachable!("bug: tiles are asked for")
        };
        let last = self.variant.grid.len() - 1;
        let name = self.kernel[value].dtype.name();
        let item = self.item(access);
        self.exchanged = self.exchanged.max(item);
        // The thread's point is (y, x); it reads the element (x, y) here.
        let mut text = format!("(const char*)a.p{access}");
        for (group, step) in self.variant.grid_steps[access.index()].iter().enumerate() {
            let position = match group {
                _ if group == across => format!("(tile{across} + x)"),
                _ if group == last => format!("(tile{last} + y + {TILE_STEP} * k)"),
                _ => format!("g{group}"),
            };
            if let Some(step) = self.step(access, *step, Along::Grid(group)) {
                let _ = write!(text, " + (i64){position} * {step}");
            }
        }
        let row = TILE + 1;
        self.line("barrier();");
        self.line(format!(
            "LANES if (tile{across} + x < (Position)a.n_g{across} && \
             tile{last} + y + {TILE_STEP} * k < \
             (Position)a.n_g{last}) (({name}*)pool)[(y + {TILE_STEP} * k) * {row} + x] = *(const \
             {name}*)({text});"
        ));
        self.line("barrier();");
        self.line(format!(
            "LANES v{value}[k] = valid[k] ? \
             (({name}*)pool)[x * {row} + y + {TILE_STEP} * k] : {name}{{}};"
        ));
    }

    fn store(&mut self, access: AccessId, value: ValueId) {
        if self.open.is_empty() {
            self.has_loaded |= self.has_loaded_early;
            self.wait_for_loads();
        }
        self.has_stored = true;
        let name = self.dtype_of(access).name();
        let step = self.lane_step(access, self.row());
        let lanes = step != Step::None;
        if lanes
            && self.variant.packed[access.index()]
            && self.laned[value.index()]
            && !self.has_tail()
        {
            let address = self.address(access, None);
            let condition = if self.open.is_empty() {
                "if (first) "
            } else if self.variant.is_shared() {
                "if (active) "
            } else {
                ""
            };
            return self.line(format!("{condition}store_lanes({address}, v{value});"));
        }
        let address = self.address(access, Some("k").filter(|_| lanes));
        let call = format!("*({name}*)({address}) = {};", self.operand(value));
        let by_lane = matches!(self.variant.mode, Mode::Strides { .. } | Mode::Tiles { .. });
        if lanes || by_lane {
            self.effect(&call, true)
        } else {
            let condition = if self.open.is_empty() { "first" } else { "active" };
            self.line(format!("if ({condition}) {call}"));
        }
    }

    /// The address of an access at the points of the open loops, in a lane if one is given.
    fn address(&self, access: AccessId, lane: Option<&str>) -> String {
        let mut text = format!("b{access}");
        // The steps of lanes come last, so that the compiler computes the address of the first lane
        // once, and these steps outside of loops.
        let mut lanes = String::new();
        if let (Some(lane), Some((group, apart))) = (lane, self.variant.lane_group()) {
            let step = self.variant.grid_steps[access.index()][group];
            if let Some(step) = self.step(access, step, Along::Grid(group)) {
                let _ = write!(lanes, " + (i64)({lane} * {apart}) * {step}");
            }
        }
        for (depth, &number) in self.open.iter().enumerate() {
            let steps = &self.variant.loop_steps[access.index()][number];
            for (group, step) in steps.iter().enumerate() {
                let Some(step) = self.step(access, *step, Along::Loop(number, group)) else {
                    continue;
                };
                let _ = write!(text, " + (i64)l{number}_{group} * {step}");
                if let Some(lane) = lane
                    && self.is_lane_group(depth, number, group)
                {
                    let _ = write!(lanes, " + (i64){lane} * {step}");
                }
            }
        }
        text + &lanes
    }

    /// The bytes from one position of a group to the next, unless the access does not step there.
    pub(super) fn step(&self, access: AccessId, step: Step, along: Along) -> Option<String> {
        let first = self.variant.alike[access.index()];
        let stride = match (step, along) {
            (Step::None, _) => return None,
            (Step::Item, _) => return Some(self.item(access).to_string()),
            (Step::Any, Along::Grid(group)) => Field::GridStride(first, group),
            (Step::Any, Along::Loop(number, group)) => Field::LoopStride(first, number, group),
        };
        Some(format!("a.{}", stride.name()))
    }

    /// The position along an unmerged axis, in a lane if it is the axis of the lanes.
    pub(super) fn position(&self, axis: AxisId) -> String {
        let lanes = self.variant.lanes() > 1;
        if let Some(group) = self.variant.grid.iter().position(|own| *own == Some(axis)) {
            return match self.variant.lane_group() {
                Some((own, 1)) if own == group => format!("(g{group} + k)"),
                Some((own, apart)) if own == group => format!("(g{group} + {apart} * k)"),
                _ => format!("g{group}"),
            };
        }
        for (depth, &number) in self.open.iter().enumerate() {
            let groups = &self.variant.loops[number];
            if let Some(group) = groups.iter().position(|own| *own == Some(axis)) {
                let is_lane = lanes && self.is_lane_group(depth, number, group);
                let lane = if is_lane { " + k" } else { "" };
                return format!("(l{number}_{group}{lane})");
            }
        }
        unreachable!("bug: an axis out of scope")
    }

    /// Whether a thread has its points along this group of an open loop.
    fn is_lane_group(&self, depth: usize, number: usize, group: usize) -> bool {
        self.variant.is_rows() && depth == 0 && self.variant.lane_group_of(number) == Some(group)
    }

    /// Whether the point is inside a guard; `None` if it always does.
    fn inside(&self, guard: GuardId) -> Option<String> {
        let axes = match &self.variant.guards[guard.index()] {
            GuardKind::Never => return Some(String::from("false")),
            GuardKind::Bounds(axes) if axes.is_empty() => return None,
            GuardKind::Bounds(axes) => axes,
        };
        let along = |(at, &axis): (usize, &AxisId)| {
            let (position, low) = (self.position(axis), format!("a.low{guard}_{at}"));
            // A position below the first one wraps around.
            format!(
                "(Position)({position} - (Position){low}) < (Position)(a.high{guard}_{at} - {low})"
            )
        };
        Some(axes.iter().enumerate().map(along).collect::<Vec<_>>().join(" && "))
    }

    /// An inner loop: every thread visits all its points.
    fn inner_loop(&mut self, number: usize, body: &[Stmt], folds: &[Fold]) {
        let begun = self.begin_folds(folds, |writer, fold| writer.laned[fold.result.index()]);
        self.nest(number, body, folds, begun);
        self.end_inner_folds(number, folds, begun);
    }

    /// One loop for each group of axes.
    pub(super) fn nest(&mut self, number: usize, body: &[Stmt], folds: &[Fold], begun: usize) {
        let groups = self.variant.loops[number].len();
        for group in 0..groups {
            self.line(format!(
                "for (Position l{number}_{group} = 0; l{number}_{group} < \
                 (Position)a.n_l{number}_{group}; l{number}_{group}++) {{"
            ));
            self.indent += 1;
        }
        if groups == 0 {
            self.line("{");
            self.indent += 1;
        }
        self.open.push(number);
        self.body(body);
        self.join_folds(folds, begun);
        self.open.pop();
        for _ in 0..groups.max(1) {
            self.indent -= 1;
            self.line("}");
        }
    }
}
