//! The text of a variant: its parts, and the points of a thread.

use super::argument::{Along, Field, fields};
use crate::cuda::prelude::{self, Uses};
use crate::cuda::shape::Moments;
use crate::cuda::special::defined;
use crate::cuda::variant::{Chunks, GuardKind, Mode, Step, THREADS, TILE, TILE_STEP, Variant};
use crate::ir::{AccessId, AxisId, Expr, GuardId, Kernel, ScalarId, Stmt, ValueId};
use phalanx_device::cuda::{Definitions, with_words};
use phalanx_ops::{DType, Monoid};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::OnceLock;

/// Text for the exchange between threads and blocks, and for combinations into tables.
const TEAM: &str = concat!(include_str!("team.cu"), "\n", include_str!("atomics.cu"));

/// The parts of a kernel's text.
#[derive(Default)]
struct Parts {
    uses: Uses,
    own: String,
}

impl Parts {
    fn new(kernel: &Kernel, variant: &Variant) -> Parts {
        let mut writer = Writer::new(kernel, variant);
        writer.kernel();
        Parts { own: writer.functions + &writer.out, uses: writer.uses }
    }

    fn whole(&self) -> String {
        static DEFINITIONS: OnceLock<Definitions> = OnceLock::new();
        let team = DEFINITIONS.get_or_init(|| Definitions::read(TEAM));
        with_words(&(prelude::text(&self.uses) + &team.before(&self.own)))
    }
}

/// The CUDA C of a kernel.
pub fn source(kernel: &Kernel, variant: &Variant) -> String {
    Parts::new(kernel, variant).whole()
}

/// The CUDA C of many kernels in one text, each in its own namespace. Compiling it takes much less
/// time than compiling each kernel; it serves tests that do not launch the kernels.
pub fn source_of_many(kernels: &[(Kernel, Variant)]) -> String {
    let mut all = Parts::default();
    for (number, (kernel, variant)) in kernels.iter().enumerate() {
        let one = Parts::new(kernel, variant);
        all.uses.extend(one.uses);
        let own = one.own.replace("KERNEL(", "LOCAL_KERNEL(");
        let _ = write!(all.own, "namespace kernel{number} {{\n{own}}}\n");
    }
    all.whole()
}

/// Writes the text of a kernel.
pub(super) struct Writer<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) variant: &'a Variant,
    pub(super) out: String,
    /// Functions defined before the kernel.
    pub(super) functions: String,
    pub(super) indent: usize,
    pub(super) uses: Uses,
    /// Combinations into tables whose function is defined.
    pub(super) accumulated: BTreeSet<(Monoid, DType)>,
    /// Whether a value differs between the lanes of a thread.
    pub(super) laned: Vec<bool>,
    /// The loops that are open, the outermost first.
    pub(super) open: Vec<usize>,
    /// The number of loops and of folds begun so far.
    pub(super) loops: usize,
    pub(super) folds: usize,
    /// Bytes of the partial results of all earlier folds.
    pub(super) scratch: usize,
    /// The number of outermost loops with folds that have ended.
    pub(super) rounds: usize,
    /// Bytes of the largest value that the threads of a block exchange.
    pub(super) exchanged: usize,
    /// The two loops that run as one.
    pub(super) moments: Option<Moments>,
    /// The folds of the first loop that compute means, each with the number of its pair.
    pub(super) moments_folds: Vec<(usize, usize)>,
    /// Groups of accesses whose rows have been loaded.
    pub(super) rows: BTreeSet<AccessId>,
    /// Values that have been loaded ahead of their statement.
    pub(super) early: BTreeSet<ValueId>,
    /// Whether something has been stored, loaded, or loaded early since the threads of a team last
    /// waited for each other.
    pub(super) has_stored: bool,
    pub(super) has_loaded: bool,
    pub(super) has_loaded_early: bool,
}

impl<'a> Writer<'a> {
    fn new(kernel: &'a Kernel, variant: &'a Variant) -> Writer<'a> {
        let mut writer = Writer {
            kernel,
            variant,
            out: String::new(),
            functions: String::new(),
            indent: 0,
            uses: Uses::default(),
            accumulated: BTreeSet::new(),
            laned: vec![false; kernel.values.len()],
            open: Vec::new(),
            loops: 0,
            folds: 0,
            scratch: 0,
            rounds: 0,
            exchanged: 0,
            moments: Moments::find(kernel).filter(|_| variant.moments),
            moments_folds: Vec::new(),
            rows: BTreeSet::new(),
            early: BTreeSet::new(),
            has_stored: false,
            has_loaded: false,
            has_loaded_early: false,
        };
        writer.find_lanes(&kernel.body, None, &mut 0);
        writer
    }

    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text.as_ref());
        self.out.push('\n');
    }

    /// Marks the values that differ between lanes of a thread. `row` is the outermost open loop.
    fn find_lanes(&mut self, body: &[Stmt], row: Option<usize>, number: &mut usize) {
        for statement in body {
            match statement {
                Stmt::Let(value) => self.laned[value.index()] = self.is_laned(*value, row),
                Stmt::Loop { body, folds, .. } => {
                    let own = *number;
                    *number += 1;
                    let inner = row.or(Some(own));
                    self.find_lanes(body, inner, number);
                    let ends = self.variant.is_rows() && row.is_none();
                    for fold in folds {
                        let laned = !ends
                            && (self.laned[fold.value.index()]
                                || fold.index.is_some_and(|index| self.laned[index.index()]));
                        for result in fold.results() {
                            self.laned[result.index()] = laned;
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn is_laned(&self, value: ValueId, row: Option<usize>) -> bool {
        let on_axis = |axis: AxisId| self.is_lane_axis(axis, row);
        let guarded = |guard: GuardId| self.is_laned_guard(guard, row);
        self.variant.lanes() > 1
            && match &self.kernel[value].expr {
                Expr::Load { access, guard } => {
                    self.lane_step(*access, row) != Step::None
                        || self.variant.crosses(*access)
                        || guard.is_some_and(guarded)
                }
                Expr::Scalar(_) | Expr::Constant(_) | Expr::Folded => false,
                Expr::Index(axis) => on_axis(*axis),
                Expr::Inside(guard) => guarded(*guard),
                Expr::Op { inputs, .. } | Expr::Special { inputs, .. } => {
                    inputs.iter().any(|&input| self.laned[input.index()])
                }
                Expr::Select { condition, on_true, on_false } => [condition, on_true, on_false]
                    .into_iter()
                    .any(|&input| self.laned[input.index()]),
                Expr::Cast(input) => self.laned[input.index()],
            }
    }

    /// Whether a guard differs between the lanes of a thread.
    pub(super) fn is_laned_guard(&self, guard: GuardId, row: Option<usize>) -> bool {
        match &self.variant.guards[guard.index()] {
            GuardKind::Never => false,
            GuardKind::Bounds(axes) => axes.iter().any(|&axis| self.is_lane_axis(axis, row)),
        }
    }

    /// Whether a pinned axis is that of the lanes.
    fn is_lane_axis(&self, axis: AxisId, row: Option<usize>) -> bool {
        match (self.variant.is_rows(), row) {
            (false, _) => {
                let lanes = self.variant.lane_group();
                lanes.is_some_and(|(group, _)| self.variant.grid[group] == Some(axis))
            }
            (true, Some(row)) => {
                let group = self.variant.lane_group_of(row);
                group.is_some_and(|group| self.variant.loops[row][group] == Some(axis))
            }
            (true, None) => false,
        }
    }

    /// How an access steps from lane to lane.
    pub(super) fn lane_step(&self, access: AccessId, row: Option<usize>) -> Step {
        if self.variant.lanes() == 1 {
            return Step::None;
        }
        match (self.variant.is_rows(), row) {
            (false, _) => {
                let lanes = self.variant.lane_group();
                lanes
                    .map_or(Step::None, |(group, _)| self.variant.grid_steps[access.index()][group])
            }
            (true, Some(row)) => {
                let steps = &self.variant.loop_steps[access.index()][row];
                self.variant.lane_group_of(row).map_or(Step::None, |group| steps[group])
            }
            (true, None) => Step::None,
        }
    }

    /// The outermost loop that is open.
    pub(super) fn row(&self) -> Option<usize> {
        self.open.first().copied()
    }

    fn kernel(&mut self) {
        let fields = fields(self.kernel, self.variant);
        self.note_uses();
        let index = if self.variant.wide { "u64" } else { "u32" };
        self.functions.push_str(&format!("typedef {index} Position;\n"));
        self.line("struct Argument {");
        self.indent += 1;
        for field in &fields {
            self.line(format!("i64 {};", field.name()));
        }
        self.indent -= 1;
        self.line("};");
        self.line("#define LANES _Pragma(\"unroll\") for (int k = 0; k < N; k++)");
        let body = {
            let head = std::mem::take(&mut self.out);
            self.indent = 1;
            self.positions();
            self.pointers();
            self.scalars(&fields);
            let kernel = self.kernel;
            self.body(&kernel.body);
            if self.variant.chunks == Chunks::Together {
                self.line("part(counter, (unsigned)a.chunks);");
            }
            self.indent = 0;
            std::mem::replace(&mut self.out, head)
        };
        self.line(format!("KERNEL({THREADS}) run(PARAMETER Argument a) {{"));
        self.indent = 1;
        self.line("begin();");
        self.line(format!("constexpr int N = {};", self.variant.lanes()));
        if self.exchanged > 0 {
            let values = match self.variant.mode {
                Mode::Rows { .. } => THREADS as usize / 32,
                Mode::Columns { lanes, .. } => (THREADS * lanes) as usize,
                Mode::Tiles { .. } => (TILE * (TILE + 1)) as usize,
                Mode::Strides { .. } => 0,
            };
            let bytes = values * self.exchanged;
            self.line(format!("SHARED alignas(16) char pool[{bytes}];"));
        }
        self.indent = 0;
        self.out.push_str(&body);
        self.line("}");
    }

    /// The thread's part of the grid.
    fn positions(&mut self) {
        let across = self.variant.across();
        match self.variant.mode {
            Mode::Columns { team, .. } => {
                self.line(format!("const int x = threadIdx.x % {across};"));
                if team > 1 {
                    self.line(format!("const int t = threadIdx.x / {across};"));
                } else {
                    self.line("constexpr int t = 0;");
                }
                self.line(format!("Position unit = (Position)blockIdx.x * {across} + x;"));
            }
            Mode::Tiles { .. } => return self.tile_positions(),
            Mode::Strides { lanes, along } => return self.strided_positions(lanes, along),
            Mode::Rows { team, .. } => {
                self.line(format!("const int t = threadIdx.x % {team};"));
                self.line(format!(
                    "Position unit = (Position)blockIdx.x * {across} + threadIdx.x / {team};"
                ));
            }
        }
        if self.variant.is_shared() {
            self.line("const bool active = unit < (Position)a.units;");
            self.line("if (!active) unit = 0;");
        } else {
            self.line("if (unit >= (Position)a.units) return;");
            self.line("constexpr bool active = true;");
        }
        match self.variant.chunks {
            Chunks::One => self.line("constexpr Position c = 0;"),
            _ => {
                self.line("const Position c = blockIdx.y;");
                self.line("unsigned* counter = (unsigned*)a.counters + 2 * blockIdx.x;");
            }
        }
        self.line(match self.variant.chunks {
            Chunks::Together => "const bool first = active && t == 0 && c == 0;",
            _ => "const bool first = active && t == 0;",
        });
        let lanes = self.variant.lanes();
        let groups = self.variant.grid.len();
        let in_columns = !self.variant.is_rows();
        if groups > 0 {
            self.line("Position rest = unit;");
        }
        for group in (0..groups).rev() {
            let is_lanes = in_columns && group + 1 == groups && lanes > 1;
            let extent = if is_lanes {
                format!("((Position)a.n_g{group} / {lanes})")
            } else {
                format!("(Position)a.n_g{group}")
            };
            let times = if is_lanes { format!(" * {lanes}") } else { String::new() };
            if group == 0 {
                self.line(format!("const Position g0 = rest{times};"));
            } else {
                self.line(format!("const Position q{group} = rest / {extent};"));
                self.line(format!(
                    "const Position g{group} = (rest - q{group} * {extent}){times};"
                ));
                self.line(format!("rest = q{group};"));
            }
        }
    }

    /// The thread's part in `Mode::Strides`: a block has a stretch of the innermost group with one
    /// position for each thread, and each thread has several positions of the lanes' group.
    fn strided_positions(&mut self, lanes: u32, along: usize) {
        let last = self.variant.grid.len() - 1;
        let size = |group: usize| match group {
            _ if group == last && along == last => Some(THREADS * lanes),
            _ if group == last => Some(THREADS),
            _ if group == along => Some(lanes),
            _ => None,
        };
        let skew = if self.variant.is_skewed() { " + (Position)a.skew" } else { "" };
        self.line("constexpr bool active = true, first = true;");
        self.line("Position rest = blockIdx.x;");
        for group in (0..=last).rev() {
            let (name, extent) = match size(group) {
                Some(size) => {
                    let skew = if group == last { skew } else { "" };
                    let points = format!("(Position)a.n_g{group}{skew}");
                    ("stretch", format!("(({points} + {}) / {size})", size - 1))
                }
                None => ("g", format!("(Position)a.n_g{group}")),
            };
            if group == 0 {
                self.line(format!("const Position {name}0 = rest;"));
                continue;
            }
            self.line(format!("const Position q{group} = rest / {extent};"));
            self.line(format!("const Position {name}{group} = rest - q{group} * {extent};"));
            self.line(format!("rest = q{group};"));
        }
        let width = size(last).unwrap_or(THREADS);
        // A position before the first point wraps around and is invalid.
        let skew = skew.replace('+', "-");
        self.line(format!("const Position g{last} = stretch{last} * {width} + threadIdx.x{skew};"));
        self.line("bool valid[N];");
        if along == last {
            self.line(format!("LANES valid[k] = g{last} + {THREADS} * k < (Position)a.n_g{last};"));
            return;
        }
        self.line(format!("const Position g{along} = stretch{along} * {lanes};"));
        self.line(format!(
            "LANES valid[k] = g{along} + k < (Position)a.n_g{along} && g{last} < \
             (Position)a.n_g{last};"
        ));
    }

    /// The thread's part in `Mode::Tiles`.
    fn tile_positions(&mut self) {
        let Mode::Tiles { across, mirrored } = self.variant.mode else {
            unreachable!("bug: tiles are asked for")
        };
        let last = self.variant.grid.len() - 1;
        self.line(format!("const int x = threadIdx.x % {TILE}, y = threadIdx.x / {TILE};"));
        self.line("constexpr bool active = true, first = true;");
        if mirrored {
            self.mirrored_tile(across, last)
        } else {
            self.tile_in_order(across, last)
        }
        self.line(format!(
            "const Position g{across} = tile{across} + y, g{last} = tile{last} + x;"
        ));
        self.line("bool valid[N];");
        self.line(format!(
            "LANES valid[k] = g{across} + {TILE_STEP} * k < (Position)a.n_g{across} && g{last} < \
             (Position)a.n_g{last};"
        ));
    }

    fn tile_in_order(&mut self, across: usize, last: usize) {
        self.line("Position rest = blockIdx.x;");
        for group in (0..=last).rev() {
            let tiled = group == across || group == last;
            let extent = if tiled {
                format!("(((Position)a.n_g{group} + {}) / {TILE})", TILE - 1)
            } else {
                format!("(Position)a.n_g{group}")
            };
            self.line(format!("const Position q{group} = rest / {extent};"));
            let name = if tiled { "tile" } else { "g" };
            let times = if tiled { format!(" * {TILE}") } else { String::new() };
            self.line(format!(
                "const Position {name}{group} = (rest - q{group} * {extent}){times};"
            ));
            self.line(format!("rest = q{group};"));
        }
    }

    /// Visits the diagonals 0, 1, -1, 2, -2 and so on, modulo their number.
    fn mirrored_tile(&mut self, across: usize, last: usize) {
        self.line(format!(
            "const Position side = ((Position)a.n_g{last} + {}) / {TILE};",
            TILE - 1
        ));
        self.line("const Position turn = blockIdx.x / side, row = blockIdx.x - turn * side;");
        self.line("const Position shift = turn % 2 ? turn / 2 + 1 : turn ? side - turn / 2 : 0;");
        self.line("const Position column = row + shift < side ? row + shift : row + shift - side;");
        self.line(format!(
            "const Position tile{across} = row * {TILE}, tile{last} = column * {TILE};"
        ));
    }

    /// The address of each access at the thread's first point of the grid.
    fn pointers(&mut self) {
        for access in self.kernel.access_ids() {
            let mut text = format!("char* const b{access} = (char*)a.p{access}");
            for (group, step) in self.variant.grid_steps[access.index()].iter().enumerate() {
                if let Some(step) = self.step(access, *step, Along::Grid(group)) {
                    let _ = write!(text, " + (i64)g{group} * {step}");
                }
            }
            self.line(text + ";");
        }
    }

    fn scalars(&mut self, fields: &[Field]) {
        for (scalar, dtype) in self.kernel.scalars.iter().enumerate() {
            let scalar = ScalarId::new(scalar);
            let words = fields
                .iter()
                .filter(|field| matches!(field, Field::Scalar(of, _) if *of == scalar));
            let words: Vec<String> = words.map(|field| format!("a.{}", field.name())).collect();
            self.line(format!("{dtype} scalar{scalar};"));
            self.line(format!(
                "{{ const i64 words[] = {{{}}}; \
                 memcpy(&scalar{scalar}, words, sizeof scalar{scalar}); \
                 }}",
                words.join(", ")
            ));
        }
    }

    pub(super) fn item(&self, access: AccessId) -> usize {
        self.dtype_of(access).size()
    }

    pub(super) fn dtype_of(&self, access: AccessId) -> DType {
        self.kernel[self.kernel[access].param].dtype
    }

    /// Notes the functions of the prelude that the values need.
    fn note_uses(&mut self) {
        for value in &self.kernel.values {
            match &value.expr {
                Expr::Op { op, inputs } => {
                    let dtypes = inputs.iter().map(|&input| self.kernel[input].dtype).collect();
                    self.uses.ops.insert((*op, dtypes));
                }
                Expr::Special { function, .. } => self.uses.functions.extend(defined(*function)),
                Expr::Cast(input) => {
                    self.uses.casts.insert((self.kernel[*input].dtype, value.dtype));
                }
                _ => {}
            }
        }
    }
}
