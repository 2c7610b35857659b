//! Folds, and the outermost loops that teams and chunks share.

use super::writer::Writer;
use crate::cpu::identity;
use crate::cuda::prelude::literal;
use crate::cuda::shape::Pair;
use crate::cuda::variant::{Chunks, Mode, THREADS};
use crate::ir::{AxisId, Expr, Fold, Stmt, ValueId};
use phalanx_ops::{DType, Monoid, Scalar};

/// Bytes of an accumulator of a sum of bins in the text.
const BINNED: usize = 40;

/// The index of a fold without points.
const NO_INDEX: &str = "0x7fffffffffffffffll";

/// The dtype in which a fold accumulates.
fn wide(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        other => other,
    }
}

/// The start value of a fold: combining it changes no operand, not even the sign of zero.
fn start(monoid: Monoid, dtype: DType) -> Scalar {
    let mut bytes = identity(monoid, dtype)[..dtype.size()].to_vec();
    if monoid == Monoid::Add && dtype.is_inexact() {
        let part = if dtype.is_complex() { dtype.size() / 2 } else { dtype.size() };
        for sign in (part - 1..dtype.size()).step_by(part) {
            bytes[sign] = 0x80;
        }
    }
    Scalar::from_bytes(dtype, &bytes)
}

impl Writer<'_> {
    /// Declares the accumulators of a loop's folds; returns the number of the first.
    pub(super) fn begin_folds(
        &mut self,
        folds: &[Fold],
        laned: impl Fn(&Writer<'_>, &Fold) -> bool,
    ) -> usize {
        let begun = self.folds;
        self.folds += folds.len();
        for (at, fold) in folds.iter().enumerate() {
            let number = begun + at;
            self.fold_type(number, fold);
            if laned(self, fold) {
                self.line(format!("Fold{number}::T f{number}[N];"));
                self.line(format!("LANES f{number}[k] = Fold{number}::start();"));
            } else {
                self.line(format!("Fold{number}::T f{number} = Fold{number}::start();"))
            }
        }
        begun
    }

    /// Defines the type of a fold before the kernel.
    fn fold_type(&mut self, number: usize, fold: &Fold) {
        let dtype = wide(self.kernel[fold.value].dtype);
        self.uses.monoids.insert((fold.monoid, dtype));
        if dtype != self.kernel[fold.value].dtype {
            let narrow = self.kernel[fold.value].dtype;
            self.uses.casts.insert((narrow, dtype));
            self.uses.casts.insert((dtype, narrow));
        }
        let name = dtype.name();
        if self.is_moments(number) {
            self.uses.monoids.insert((Monoid::Moments, dtype));
            let first = literal(dtype, start(fold.monoid, dtype).bytes());
            // Summed like a separate fold.
            let (sum, first, add, join) = if self.is_sum_stored(number) {
                (
                    ", sum",
                    format!(", {first}"),
                    "\n        all.sum += x;",
                    "\n        x.sum += y.sum;",
                )
            } else {
                ("", String::new(), "", "")
            };
            self.functions.push_str(&format!(
                "struct Fold{number} {{
    struct T {{ {name} count, mean, squares{sum}; }};
    DEVICE T start() {{ return T{{0, 0, 0{first}}}; }}
    DEVICE void add(T& all, {name} x, {name} part) {{
        {name} difference = x - all.mean;
        all.count += 1;
        all.mean += difference * part;
        all.squares += difference * (x - all.mean);{add}
    }}
    DEVICE T join(T x, T y) {{
        if (y.count == 0) return x;
        if (x.count == 0) return y;
        combine_moments(x.count, x.mean, x.squares, y.count, y.mean, y.squares);{join}
        return x;
    }}
}};
"
            ));
            return;
        }
        if fold.monoid == Monoid::Binned {
            self.functions.push_str(&format!(
                "struct Fold{number} {{
    typedef Binned T;
    DEVICE T start() {{ return T{{0, 0, 0, {{0, 0, 0}}}}; }}
    DEVICE T empty() {{ return start(); }}
    DEVICE T join(T x, T y) {{
        combine_binned(x, y);
        return x;
    }}
}};
"
            ));
            return;
        }
        let first = literal(dtype, start(fold.monoid, dtype).bytes());
        let monoid = fold.monoid.name();
        let zero = format!("identity_{monoid}_{name}()");
        let text = if fold.index.is_some() {
            let (index, none) = match self.folded_along(fold) {
                Some(_) => ("Position", "(Position)-1"),
                None => ("i64", NO_INDEX),
            };
            // Positions grow from point to point, so only the start has a larger one.
            let add = match self.folded_along(fold) {
                Some(_) => format!(
                    "
    DEVICE void add(T& best, {name} value, Position index) {{
        if (precedes_{monoid}(value, best.value) || index < best.index) best = T{{value, index}};
    }}"
                ),
                None => String::new(),
            };
            format!(
                "struct Fold{number} {{
    struct T {{ {name} value; {index} index; }};
    DEVICE T start() {{ return T{{{first}, {none}}}; }}
    DEVICE T empty() {{ return T{{{zero}, {none}}}; }}
    DEVICE T join(T x, T y) {{
        combine_{monoid}(x.value, x.index, y.value, y.index);
        return x;
    }}{add}
}};
"
            )
        } else {
            let join = match (fold.monoid, dtype.is_complex()) {
                // A product with one may still make a NaN of an infinity.
                (Monoid::Multiply, true) => "x.re == 1 && x.im == 0 ? y : \
                         y.re == 1 && y.im == 0 ? x : combine_multiply(x, y)"
                    .to_string(),
                _ => format!("combine_{monoid}(x, y)"),
            };
            format!(
                "struct Fold{number} {{
    typedef {name} T;
    DEVICE T start() {{ return {first}; }}
    DEVICE T empty() {{ return {zero}; }}
    DEVICE T join(T x, T y) {{ return {join}; }}
}};
"
            )
        };
        self.functions.push_str(&text);
    }

    /// The pair of a fold in the first of two merged loops, if the fold computes a mean.
    fn pair(&self, number: usize) -> Option<&Pair> {
        let found = self.moments_folds.iter().find(|found| found.0 == number);
        found.zip(self.moments.as_ref()).map(|(found, moments)| &moments.pairs[found.1])
    }

    pub(super) fn is_moments(&self, number: usize) -> bool {
        self.pair(number).is_some()
    }

    /// Whether a fold computes a mean and the sum as well.
    fn is_sum_stored(&self, number: usize) -> bool {
        self.pair(number).is_some_and(|pair| pair.is_sum_stored)
    }

    /// Declares the variables that the folds of means and squares need.
    fn begin_moments(&mut self, number: usize, folds: &[Fold]) {
        let Some(moments) = self.moments.as_ref().filter(|moments| moments.first == number) else {
            return;
        };
        let place = |sum| folds.iter().position(|fold| fold.result == sum);
        let found = moments.pairs.iter().enumerate();
        let found = found.filter_map(|(pair, Pair { sum, .. })| Some((place(*sum)?, pair)));
        self.moments_folds = found.map(|(at, pair)| (self.folds + at, pair)).collect();
        let name = self.kernel[moments.pairs[0].sum].dtype.name();
        self.line(format!("{name} seen = 0;"));
    }

    /// The results of the second of two merged loops.
    fn end_moments(&mut self, folds: &[Fold]) {
        let Some(moments) = self.moments.clone() else {
            unreachable!("bug: the first loop comes first")
        };
        for (fold, &(pair, is_rest)) in folds.iter().zip(&moments.results) {
            let Some(&(at, _)) = self.moments_folds.iter().find(|found| found.1 == pair) else {
                unreachable!("bug: the first loop comes first")
            };
            let laned = self.laned[fold.result.index()];
            let all = match (self.variant.is_rows(), laned) {
                (true, _) => format!("r{at}"),
                (false, true) => format!("f{at}[k]"),
                (false, false) => match self.variant.mode {
                    Mode::Columns { team: 1, .. } if self.variant.chunks == Chunks::One => {
                        format!("f{at}")
                    }
                    _ => format!("f{at}[0]"),
                },
            };
            let mean = self.operand(moments.pairs[pair].mean);
            let text = if is_rest {
                format!("{all}.count * ({all}.mean - {mean})")
            } else {
                format!(
                    "{all}.squares + {all}.count * (({all}.mean - {mean}) * ({all}.mean - {mean}))"
                )
            };
            let text = format!("{all}.count == 0 ? 0 : {text}");
            self.define(fold.result, &text);
        }
    }

    /// The axis whose index a fold keeps, if the fold's loop is along this axis alone: then threads
    /// compare positions, which have 32 bits in most launches.
    fn folded_along(&self, fold: &Fold) -> Option<AxisId> {
        fn axes_of(body: &[Stmt], result: ValueId) -> Option<&[AxisId]> {
            body.iter().find_map(|statement| match statement {
                Stmt::Loop { axes, folds, .. }
                    if folds.iter().any(|fold| fold.result == result) =>
                {
                    Some(axes.as_slice())
                }
                Stmt::Loop { body, .. } => axes_of(body, result),
                _ => None,
            })
        }
        let Expr::Index(axis) = self.kernel[fold.index?].expr else { return None };
        (axes_of(&self.kernel.body, fold.result)? == [axis]).then_some(axis)
    }

    /// Whether the lanes of a row have one accumulator: a large one that takes numbers in any
    /// order, or the best position so far.
    fn is_shared(&self, fold: &Fold) -> bool {
        fold.monoid == Monoid::Binned || self.folded_along(fold).is_some()
    }

    /// The statement that combines a point into a place.
    fn joined(&self, number: usize, fold: &Fold, place: &str, value: &str) -> String {
        if fold.monoid == Monoid::Binned {
            format!("binned_add({place}, {value});")
        } else if self.is_moments(number) {
            format!("Fold{number}::add({place}, {value}, part);")
        } else if self.folded_along(fold).is_some() {
            format!("Fold{number}::add({place}, {value});")
        } else {
            format!("{place} = Fold{number}::join({place}, {value});")
        }
    }

    /// Counts a point before the folds of moments combine it.
    fn note_seen(&mut self, begun: usize, folds: &[Fold]) {
        if (begun..begun + folds.len()).any(|number| self.is_moments(number)) {
            self.line("seen += 1;");
            self.line("const auto part = 1 / seen;");
        }
    }

    /// The value that a fold combines at a point.
    fn folded(&self, number: usize, fold: &Fold) -> String {
        let narrow = self.kernel[fold.value].dtype;
        let value = if wide(narrow) == narrow {
            self.operand(fold.value)
        } else {
            format!("cast_{}({})", wide(narrow), self.operand(fold.value))
        };
        match (fold.index, self.folded_along(fold)) {
            (_, Some(axis)) => format!("{value}, {}", self.position(axis)),
            (Some(index), _) => format!("Fold{number}::T{{{value}, {}}}", self.operand(index)),
            (None, _) => value,
        }
    }

    /// Combines the values of the open loop's point.
    pub(super) fn join_folds(&mut self, folds: &[Fold], begun: usize) {
        let is_row = self.variant.is_rows() && self.open.len() == 1 && self.variant.lanes() > 1;
        self.note_seen(begun, folds);
        for (at, fold) in folds.iter().enumerate() {
            let number = begun + at;
            let value = self.folded(number, fold);
            let laned = is_row || self.laned[fold.result.index()];
            let place = if laned && !(is_row && self.is_shared(fold)) {
                format!("f{number}[k]")
            } else {
                format!("f{number}")
            };
            let mut text = String::new();
            if laned {
                text.push_str("LANES ");
            }
            if is_row && self.has_tail() {
                text.push_str("if (valid[k]) ");
            }
            let joined = self.joined(number, fold, &place, &value);
            self.line(format!("{text}{joined}"));
        }
    }

    /// The results of the folds of an inner loop.
    pub(super) fn end_inner_folds(&mut self, number: usize, folds: &[Fold], begun: usize) {
        for (at, fold) in folds.iter().enumerate() {
            let laned = self.laned[fold.result.index()];
            self.result(number, fold, begun + at, "f", laned);
        }
    }

    /// Assigns a fold's result.
    fn result(&mut self, number: usize, fold: &Fold, at: usize, from: &str, laned: bool) {
        let (element, lanes) = if laned { ("[k]", "LANES ") } else { ("", "") };
        let place = format!("{from}{at}{element}");
        if self.is_sum_stored(at) {
            self.line(format!("if (a.points{number} == 0) {lanes}{place}.sum = 0;"));
            return self.define(fold.result, &format!("{place}.sum"));
        }
        if self.is_moments(at) {
            return self.define(fold.result, &format!("{place}.mean * {place}.count"));
        }
        self.line(format!("if (a.points{number} == 0) {lanes}{place} = Fold{at}::empty();"));
        if fold.monoid == Monoid::Binned {
            self.line(format!("{lanes}binned_settle({place});"));
            let parts = ["window", "sums[0]", "sums[1]", "sums[2]"];
            for (&result, part) in fold.parts.iter().zip(parts) {
                self.define(result, &format!("{place}.{part}"));
            }
            return self.define(fold.result, &format!("binned_value({place})"));
        }
        let narrow = self.kernel[fold.result].dtype;
        let field = if fold.index.is_some() { ".value" } else { "" };
        let text = if wide(narrow) == narrow {
            format!("{place}{field}")
        } else {
            format!("cast_{narrow}({place}{field})")
        };
        self.define(fold.result, &text);
        if let Some(&index) = fold.parts.first() {
            let text = match self.folded_along(fold) {
                Some(axis) => format!(
                    "{place}.index == (Position)-1 ? {NO_INDEX} : a.origin{axis} + \
                     (i64){place}.index"
                ),
                None => format!("{place}.index"),
            };
            self.define(index, &text);
        }
    }

    /// An outermost loop: the team and the chunks share its points.
    pub(super) fn outer_loop(&mut self, number: usize, body: &[Stmt], folds: &[Fold]) {
        self.wait_for_stores();
        if stores(body) {
            self.wait_for_loads();
        }
        if self.moments.as_ref().is_some_and(|moments| moments.second == number) {
            return self.end_moments(folds);
        }
        self.begin_moments(number, folds);
        match self.variant.mode {
            Mode::Columns { team: 1, .. } if self.variant.chunks == Chunks::One => {
                let begun =
                    self.begin_folds(folds, |writer, fold| writer.laned[fold.result.index()]);
                self.nest(number, body, folds, begun);
                self.end_inner_folds(number, folds, begun);
            }
            Mode::Columns { .. } => self.column_loop(number, body, folds),
            Mode::Rows { .. } => self.row_loop(number, body, folds),
            Mode::Strides { .. } | Mode::Tiles { .. } => {
                unreachable!("bug: a kernel of this mode has no loops")
            }
        }
    }

    fn row_loop(&mut self, number: usize, body: &[Stmt], folds: &[Fold]) {
        let Mode::Rows { lanes, team } = self.variant.mode else {
            unreachable!("bug: rows are asked for")
        };
        let begun = self.begin_folds(folds, |writer, fold| lanes > 1 && !writer.is_shared(fold));
        let ahead = self.ahead(number, body, folds, begun);
        self.shared_loop(number, lanes, &ahead, &|writer| {
            writer.body(body);
            writer.join_folds(folds, begun);
        });
        for (at, fold) in (begun..).zip(folds) {
            let own = match lanes > 1 && !self.is_shared(fold) {
                true => format!("join_lanes<Fold{at}>(f{at})"),
                false => format!("f{at}"),
            };
            self.line(format!("Fold{at}::T r{at} = {own};"));
        }
        self.exchange(folds);
        let join = |writer: &mut Self| {
            if team > 32 && !folds.is_empty() {
                writer.has_waited();
            }
            for at in begun..begun + folds.len() {
                if team > 1 {
                    writer.line(format!("r{at} = join_row<Fold{at}, {team}>(r{at}, pool);"));
                }
            }
        };
        join(self);
        if self.variant.chunks != Chunks::One && !folds.is_empty() {
            self.publish(folds, begun, &|writer, at| {
                writer
                    .line(format!("if (t == 0) part{at}[blockIdx.x * (u64)a.chunks + c] = r{at};"));
            });
            for at in begun..begun + folds.len() {
                self.line(format!("r{at} = Fold{at}::start();"));
                self.line(format!(
                    "for (Position i = threadIdx.x; i < (Position)a.chunks; i += {THREADS}) \
                     r{at} = \
                     Fold{at}::join(r{at}, load_fresh(part{at} + blockIdx.x * (u64)a.chunks + i));"
                ));
            }
            join(self);
        }
        for (at, fold) in folds.iter().enumerate() {
            self.result(number, fold, begun + at, "r", false);
        }
    }

    fn column_loop(&mut self, number: usize, body: &[Stmt], folds: &[Fold]) {
        let Mode::Columns { lanes, team } = self.variant.mode else {
            unreachable!("bug: columns are asked for")
        };
        let across = self.variant.across();
        // All accumulators have lanes here, so that they are exchanged in the same way.
        let begun = self.begin_folds(folds, |_, _| true);
        let ahead = self.ahead(number, body, folds, begun);
        self.shared_loop(number, 1, &ahead, &|writer| {
            writer.body(body);
            writer.note_seen(begun, folds);
            for (at, fold) in folds.iter().enumerate() {
                let at = begun + at;
                let value = writer.folded(at, fold);
                let joined = writer.joined(at, fold, &format!("f{at}[k]"), &value);
                writer.line(format!("LANES {joined}"));
            }
        });
        self.exchange(folds);
        let join = |writer: &mut Self| {
            if team > 1 && !folds.is_empty() {
                writer.has_waited();
            }
            for at in begun..begun + folds.len() {
                if team > 1 {
                    writer.line(format!(
                        "join_columns<Fold{at}, {team}, {across}, {lanes}>(f{at}, pool, t, x);"
                    ));
                }
            }
        };
        join(self);
        if self.variant.chunks != Chunks::One && !folds.is_empty() {
            let place = |at: usize| {
                format!("part{at} + ((u64)i * gridDim.x + blockIdx.x) * {across} * N + x * N + k")
            };
            self.publish(folds, begun, &|writer, at| {
                let place = place(at);
                writer.line(format!(
                    "if (t == 0) {{ const Position i = c; LANES *({place}) = f{at}[k]; }}"
                ));
            });
            for at in begun..begun + folds.len() {
                let place = place(at);
                self.line(format!("LANES f{at}[k] = Fold{at}::start();"));
                self.line(format!(
                    "for (Position i = t; i < (Position)a.chunks; i += {team}) LANES f{at}[k] = \
                     Fold{at}::join(f{at}[k], load_fresh({place}));"
                ));
            }
            join(self);
        }
        for (at, fold) in folds.iter().enumerate() {
            let at = begun + at;
            if self.laned[fold.result.index()] {
                self.result(number, fold, at, "f", true)
            } else {
                self.line(format!("Fold{at}::T r{at} = f{at}[0];"));
                self.result(number, fold, at, "r", false);
            }
        }
    }

    /// Shared memory for the largest of the folds.
    fn exchange(&mut self, folds: &[Fold]) {
        if self.variant.team() == 1 {
            return;
        }
        for (at, fold) in folds.iter().enumerate() {
            let at = self.folds - folds.len() + at;
            let size = self.size_of(at, fold);
            self.exchanged = self.exchanged.max(size);
        }
    }

    /// Bytes of an accumulator.
    fn size_of(&self, number: usize, fold: &Fold) -> usize {
        let size = wide(self.kernel[fold.value].dtype).size();
        if self.is_moments(number) {
            return (3 + usize::from(self.is_sum_stored(number))) * size;
        }
        match fold.monoid {
            Monoid::Binned => BINNED,
            _ if fold.index.is_some() => size.max(8) + 8,
            _ => size,
        }
    }

    /// Writes the block's partial results for the other blocks, and waits for theirs.
    fn publish(&mut self, folds: &[Fold], begun: usize, write: &dyn Fn(&mut Self, usize)) {
        for (at, fold) in folds.iter().enumerate() {
            let number = begun + at;
            let before = self.scratch;
            let partials = match self.variant.mode {
                Mode::Rows { .. } => String::from("a.units * a.chunks"),
                _ => {
                    format!("(i64)gridDim.x * {} * N * a.chunks", self.variant.across())
                }
            };
            self.line(format!(
                "Fold{number}::T* const part{number} = (Fold{number}::T*)(a.scratch + {before} * \
                 ({partials}));"
            ));
            self.scratch += self.size_of(number, fold).next_multiple_of(16);
            write(self, number);
        }
        self.rounds += 1;
        match self.variant.chunks {
            Chunks::Together => {
                let rounds = self.rounds;
                self.line(format!("meet(counter, (unsigned)a.chunks, {rounds});"));
            }
            _ => self.line("if (!is_last(counter, (unsigned)a.chunks)) return;"),
        }
        self.has_waited();
    }
}

/// Whether a statement of a body, or of an inner loop, stores.
fn stores(body: &[Stmt]) -> bool {
    body.iter().any(|statement| match statement {
        Stmt::Store { .. } => true,
        Stmt::Loop { body, .. } => stores(body),
        Stmt::Let(_) | Stmt::Accumulate { .. } => false,
    })
}

/// Bytes that each partial result of a kernel's outermost folds takes.
pub(in crate::cuda) fn bytes_of_partials(kernel: &crate::ir::Kernel) -> usize {
    let of = |fold: &Fold| {
        let size = wide(kernel[fold.value].dtype).size();
        // A sum may be part of `Moments`, which has three numbers, or four with the sum itself.
        let is_sum = fold.monoid == Monoid::Add && size <= 8;
        let size = match (fold.index.is_some(), is_sum) {
            _ if fold.monoid == Monoid::Binned => BINNED,
            (true, _) => size.max(8) + 8,
            (false, true) => 4 * size,
            (false, false) => size,
        };
        size.next_multiple_of(16)
    };
    let folds = |statement: &Stmt| match statement {
        Stmt::Loop { folds, .. } => folds.iter().map(of).sum(),
        _ => 0,
    };
    kernel.body.iter().map(folds).sum()
}
