//! Variants: everything except the kernel itself that the text of a kernel depends on.

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

/// The check that a guard needs in a launch.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum GuardKind {
    /// No point is inside.
    Never,
    /// The points inside its bounds along these axes; all points if there is none.
    Bounds(Vec<AxisId>),
}

/// The mapping of points to threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// Threads are laid out along the innermost group of the grid.
    Columns {
        /// Consecutive points of a thread.
        lanes: u32,
        /// Threads that share the points of each loop, a power of two.
        team: u32,
    },
    /// Threads are laid out along the innermost group of each outermost loop.
    Rows {
        /// Points of a thread (`LoopLanes`).
        lanes: u32,
        /// Threads that share a point of the grid, a power of two.
        team: u32,
    },
    /// Threads are laid out along the innermost group of the grid. Each has points at several
    /// positions of another group, or of the innermost one at distances of a block's width. For
    /// accesses that are only aligned to an element, and for several that read the same elements.
    Strides {
        /// Points of a thread.
        lanes: u32,
        /// The group along which these points are.
        along: usize,
    },
    /// Blocks have squares of two groups of the grid. An access is read along the group in which
    /// its elements are neighbours, and elements are exchanged in shared memory.
    Tiles {
        /// The group beside the innermost one.
        across: usize,
        /// Whether blocks run along diagonals, each followed by its mirror image: for a square
        /// array that is read in both directions, so that it is read from memory once.
        mirrored: bool,
    },
}

/// The points of a thread in an outermost loop of `Mode::Rows`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct LoopLanes {
    /// Whether they are in successive rows, at one position of the innermost group; otherwise they
    /// are consecutive. For loops that load elements around their points.
    pub tall: bool,
    /// Whether the last ones may be beyond the end.
    pub tail: bool,
    /// Whether a thread has these points only, so that the loop is none.
    pub once: bool,
}

/// The side of a square of `Mode::Tiles`.
pub const TILE: u32 = 32;
/// Points of a thread of `Mode::Tiles`.
pub const TILE_LANES: u32 = TILE * TILE / THREADS;
/// The distance of these points in rows.
pub const TILE_STEP: u32 = THREADS / TILE;

/// How the chunks of a loop are combined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Chunks {
    /// There is one chunk.
    One,
    /// The last block to finish combines them.
    Last,
    /// All blocks run at once and wait for each other after each loop.
    Together,
}

/// Everything except the kernel that the text of a kernel depends on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Variant {
    /// Groups of grid axes, outermost first: the axis, if it is unmerged and its index is needed.
    pub grid: Vec<Option<AxisId>>,
    /// The same for each loop, in the order of the loops' starts.
    pub loops: Vec<Vec<Option<AxisId>>>,
    /// How each access steps along the groups of the grid.
    pub grid_steps: Vec<Vec<Step>>,
    /// How each access steps along the groups of each loop.
    pub loop_steps: Vec<Vec<Vec<Step>>>,
    /// For each access, the first one of the same parameter with the same strides: their offsets
    /// are computed once.
    pub alike: Vec<AccessId>,
    /// Whether the lanes of an access are loaded and stored at once.
    pub packed: Vec<bool>,
    /// Groups of accesses that read the rows of a thread together, each with its distance in rows
    /// from the lowest one: `Mode::Strides` along rows, where several accesses of a parameter are
    /// whole rows apart. Groups are in the order of their first accesses.
    pub rows: Vec<Vec<(AccessId, u32)>>,
    /// The check that each guard needs.
    pub guards: Vec<GuardKind>,
    /// The mapping of points to threads.
    pub mode: Mode,
    /// The points of a thread in each loop.
    pub loop_lanes: Vec<LoopLanes>,
    /// How the chunks of a loop are combined.
    pub chunks: Chunks,
    /// Whether positions need 64 bits.
    pub wide: bool,
    /// Whether the two loops of `Moments::find` run as one.
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

    /// Whether several threads share a point of the grid.
    pub fn is_shared(&self) -> bool {
        self.team() > 1 || self.chunks != Chunks::One
    }

    /// The group of the grid along which a thread has its points, and their distance.
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

    /// The group of an outermost loop of `Mode::Rows` along which a thread has its points.
    pub fn lane_group_of(&self, number: usize) -> Option<usize> {
        let from_last = 1 + usize::from(self.loop_lanes[number].tall);
        self.loops[number].len().checked_sub(from_last)
    }

    /// Whether threads are laid out along loops.
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

    /// Whether an access is read along the other side of its tile.
    pub fn crosses(&self, access: AccessId) -> bool {
        let Mode::Tiles { across, .. } = self.mode else { return false };
        let steps = &self.grid_steps[access.index()];
        steps[across] == Step::Item && steps.last() == Some(&Step::Any)
    }
}
