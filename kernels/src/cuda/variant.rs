//! Variants: what the text of a kernel depends on beside the kernel itself.

use crate::ir::{AccessId, AxisId};

/// How an access steps along a group of axes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Not at all.
    None,
    /// From one element to the next.
    Item,
    /// By a stride that is an argument.
    Any,
}

/// What a guard asks in a launch.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum GuardKind {
    /// No point lies inside.
    Never,
    /// The points inside its bounds along these axes; all points if there is none.
    Bounds(Vec<AxisId>),
}

/// Which threads have which points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// Threads go along the innermost group of the grid.
    Columns {
        /// Consecutive points of a thread.
        lanes: u32,
        /// Threads that share the points of each loop, a power of two.
        team: u32,
    },
    /// Threads go along the innermost group of each outermost loop.
    Rows {
        /// Consecutive points of a thread.
        lanes: u32,
        /// Threads that share a point of the grid, a power of two.
        team: u32,
        /// Whether the last points of a thread may lie beyond the end.
        tail: bool,
    },
    /// Threads go along the innermost group of the grid, each with points of several places of
    /// another group, or of this one, there as far apart as a block is wide: for accesses that are
    /// aligned to no more than an element, and for those of which several read the same elements.
    Strides {
        /// Points of a thread.
        lanes: u32,
        /// The group along which they lie.
        along: usize,
    },
    /// Blocks have squares of two groups of the grid, so that accesses which step from element to
    /// element along either are read along it, and exchanged in shared memory.
    Tiles {
        /// The group beside the innermost one.
        across: usize,
        /// Whether blocks go along diagonals, each followed by its mirror image: for a square of
        /// which an array is read both ways, so that it comes from memory once.
        mirrored: bool,
    },
}

/// The side of a square of `Mode::Tiles`.
pub const TILE: u32 = 32;
/// Points of a thread of `Mode::Tiles`.
pub const TILE_LANES: u32 = TILE * TILE / THREADS;
/// How far they lie apart.
pub const TILE_STEP: u32 = THREADS / TILE;

/// How the chunks of a loop come together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Chunks {
    /// There is one.
    One,
    /// The last block to end combines them.
    Last,
    /// All blocks run at once and wait for each other after each loop.
    Together,
}

/// What the text of a kernel depends on beside the kernel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Variant {
    /// Groups of grid axes, outermost first: the axis by itself, if its index is needed.
    pub grid: Vec<Option<AxisId>>,
    /// The same for each loop, loops in the order in which they begin.
    pub loops: Vec<Vec<Option<AxisId>>>,
    /// How each access steps along the groups of the grid.
    pub grid_steps: Vec<Vec<Step>>,
    /// How each access steps along the groups of each loop.
    pub loop_steps: Vec<Vec<Vec<Step>>>,
    /// Whether the lanes of an access are loaded and stored at once.
    pub packed: Vec<bool>,
    /// Accesses that read the rows of a thread together, each with how many rows it lies behind the
    /// first of them: `Mode::Strides` along rows, where several accesses of a parameter lie whole
    /// rows apart. Groups in the order of their first accesses.
    pub rows: Vec<Vec<(AccessId, u32)>>,
    /// What each guard asks.
    pub guards: Vec<GuardKind>,
    /// Which threads have which points.
    pub mode: Mode,
    /// How the chunks of a loop come together.
    pub chunks: Chunks,
    /// Whether positions need 64 bits.
    pub wide: bool,
    /// Whether the two loops of `Moments::find` are one.
    pub moments: bool,
}

/// Threads of a block.
pub const THREADS: u32 = 256;

impl Variant {
    /// Points of a thread.
    pub fn lanes(&self) -> u32 {
        match self.mode {
            Mode::Columns { lanes, .. }
            | Mode::Rows { lanes, .. }
            | Mode::Strides { lanes, .. } => lanes,
            Mode::Tiles { .. } => TILE_LANES,
        }
    }

    /// Threads that share the points of a loop.
    pub fn team(&self) -> u32 {
        match self.mode {
            Mode::Columns { team, .. } | Mode::Rows { team, .. } => team,
            Mode::Strides { .. } | Mode::Tiles { .. } => 1,
        }
    }

    /// Whether several threads have a point of the grid.
    pub fn is_shared(&self) -> bool {
        self.team() > 1 || self.chunks != Chunks::One
    }

    /// The group of the grid along which the points of a thread lie, and how far apart.
    pub fn lane_group(&self) -> Option<(usize, u32)> {
        match self.mode {
            Mode::Columns { lanes, .. } if lanes > 1 => Some((self.grid.len() - 1, 1)),
            Mode::Strides { along, .. } if along + 1 == self.grid.len() => Some((along, THREADS)),
            Mode::Strides { along, .. } => Some((along, 1)),
            Mode::Tiles { across, .. } => Some((across, TILE_STEP)),
            _ => None,
        }
    }

    /// Whether the first block may begin before the first point of the innermost group.
    pub fn is_skewed(&self) -> bool {
        matches!(self.mode, Mode::Strides { along, .. } if along + 1 < self.grid.len())
    }

    /// Whether threads go along loops.
    pub fn is_rows(&self) -> bool {
        matches!(self.mode, Mode::Rows { .. })
    }

    /// Units of a block side by side.
    pub fn across(&self) -> u32 {
        match self.mode {
            Mode::Strides { .. } | Mode::Tiles { .. } => 1,
            _ => THREADS / self.team(),
        }
    }

    /// The rows that an access reads together with others.
    pub fn rows_of(&self, access: AccessId) -> Option<&[(AccessId, u32)]> {
        let is_in = |rows: &&Vec<(AccessId, u32)>| rows.iter().any(|row| row.0 == access);
        self.rows.iter().find(is_in).map(Vec::as_slice)
    }

    /// Whether an access of a tile is read along the other side of it.
    pub fn crosses(&self, access: AccessId) -> bool {
        let Mode::Tiles { across, .. } = self.mode else { return false };
        let steps = &self.grid_steps[access];
        steps[across] == Step::Item && steps.last() == Some(&Step::Any)
    }
}
