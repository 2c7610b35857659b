//! Nested dissection: an order of elimination in which factors have few entries, and whose parts
//! are independent of each other.
//!
//! Source: A. George, J. W. H. Liu, "An automatic nested dissection algorithm for irregular finite
//! element problems", SIAM J. Numer. Anal. 15(5), 1978: a separator is a level of the distances
//! from a node at the rim.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Sets of at most as many vertices are not separated further.
const LEAF: usize = 48;
/// Both sides of a separator have at least this part of the vertices.
const SLICE: usize = 8;
/// Vertices with more neighbours, and with more than ten times the root of the number of vertices,
/// are eliminated last.
const HUB: usize = 64;
/// A graph with as many vertices is dissected by several threads, in about as many branches.
const MANY: usize = 1 << 15;
const BRANCHES: usize = 16;
const THREADS: usize = 8;

/// The neighbours of vertices, both ways, without loops. Neighbours may be there twice.
#[derive(Debug)]
pub(super) struct Graph {
    starts: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// Of the entries of a square matrix, given by the starts of rows and the columns of entries.
    pub fn of(starts: &[usize], columns: &[u32]) -> Graph {
        let rows = starts.len() - 1;
        let others = |row: usize| {
            let own = columns[starts[row]..starts[row + 1]].iter();
            own.copied().filter(move |&column| column as usize != row)
        };
        let mut found = vec![0; rows + 1];
        for row in 0..rows {
            for column in others(row) {
                found[row + 1] += 1;
                found[column as usize + 1] += 1;
            }
        }
        for row in 0..rows {
            found[row + 1] += found[row];
        }
        let mut next = found.clone();
        let mut neighbours = vec![0; found[rows]];
        for row in 0..rows {
            for column in others(row) {
                neighbours[next[row]] = column;
                next[row] += 1;
                neighbours[next[column as usize]] = row as u32;
                next[column as usize] += 1;
            }
        }
        Graph { starts: found, neighbours }
    }

    /// The number of vertices.
    pub fn extent(&self) -> usize {
        self.starts.len() - 1
    }

    /// The neighbours of a vertex.
    pub fn of_vertex(&self, vertex: u32) -> &[u32] {
        &self.neighbours[self.starts[vertex as usize]..self.starts[vertex as usize + 1]]
    }
}

/// A set of vertices that are eliminated together, after those of its children.
#[derive(Debug)]
pub(super) struct Node {
    pub parent: Option<usize>,
    /// How many nodes are above it.
    pub level: usize,
    pub vertices: Vec<u32>,
}

/// The nodes of a dissection. Each node is before its children, and those of a branch are one
/// behind the other. Several threads dissect the branches of a large graph; the result does not
/// depend on their number.
pub(super) fn dissect(graph: &Graph) -> Vec<Node> {
    let most = if graph.extent() < MANY { 0 } else { graph.extent() / BRANCHES };
    // Vertices with very many neighbours would connect what the others leave apart.
    let few = HUB.max(10 * graph.extent().isqrt());
    let is_hub = |vertex: &u32| graph.of_vertex(*vertex).len() > few;
    let (mut hubs, mut others): (Vec<u32>, _) = (0..graph.extent() as u32).partition(is_hub);
    if hubs.len() > graph.extent() / SLICE {
        (hubs, others) = (Vec::new(), (0..graph.extent() as u32).collect());
    }
    let (top, branches) = Search::of(graph).dissected(hubs, others, most);
    let mut places = vec![(u32::MAX, 0); if branches.is_empty() { 0 } else { graph.extent() }];
    for (number, branch) in branches.iter().enumerate() {
        for (at, &vertex) in branch.iter().enumerate() {
            places[vertex as usize] = (number as u32, at as u32);
        }
    }
    let branches = each(&branches, |number, branch| {
        let own = graph.of_branch(number, branch, &places);
        let all = (0..branch.len() as u32).collect();
        let (mut found, _) = Search::of(&own).dissected(Vec::new(), all, 0);
        let whole = found.iter_mut().flat_map(|found| &mut found.node.vertices);
        whole.for_each(|vertex| *vertex = branch[*vertex as usize]);
        found
    });
    // The place of a branch among the nodes is that of the node that stands for it.
    let (mut nodes, mut branches) = (Vec::new(), branches.into_iter());
    let mut places = Vec::with_capacity(top.len());
    for Found { node, is_branch } in top {
        let (place, parent) = (nodes.len(), node.parent.map(|parent: usize| places[parent]));
        places.push(place);
        if !is_branch {
            nodes.push(Node { parent, ..node });
            continue;
        }
        for Found { node: below, .. } in branches.next().into_iter().flatten() {
            let parent = below.parent.map_or(parent, |parent| Some(place + parent));
            nodes.push(Node { parent, level: node.level + below.level, ..below });
        }
    }
    nodes
}

/// Applies a function to each of some items, on the threads that the process has.
fn each<T: Sync, R: Send>(items: &[T], function: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(THREADS).min(items.len());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = Vec::new();
        while let at = next.fetch_add(1, Ordering::Relaxed)
            && at < items.len()
        {
            made.push((at, function(at, &items[at])));
        }
        made
    };
    let mut all: Vec<(usize, R)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for other in others {
            match other.join() {
                Ok(made) => all.extend(made),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, made)| made).collect()
}

/// A node, and whether it stands for a branch that is dissected apart.
struct Found {
    node: Node,
    is_branch: bool,
}

impl Graph {
    /// The graph of the vertices of a branch alone. `places` has the branch of each vertex, and the
    /// vertex's number there.
    fn of_branch(&self, number: usize, vertices: &[u32], places: &[(u32, u32)]) -> Graph {
        let (mut starts, mut neighbours) = (vec![0], Vec::new());
        for &vertex in vertices {
            let all = self.of_vertex(vertex).iter().map(|&other| places[other as usize]);
            let own = all.filter(|(branch, _)| *branch as usize == number);
            neighbours.extend(own.map(|(_, at)| at));
            starts.push(neighbours.len());
        }
        Graph { starts, neighbours }
    }
}

/// A first level of distances: where it begins among the vertices in their order, and whether
/// nothing before it is connected to it.
struct Level {
    begin: usize,
    is_apart: bool,
}

struct Search<'a> {
    graph: &'a Graph,
    /// The last set of vertices that each vertex was in; each set has two numbers, the second one
    /// for vertices that are found.
    region: Vec<u32>,
    regions: u32,
    /// Vertices in the order of their distances.
    order: Vec<u32>,
    levels: Vec<Level>,
}

impl<'a> Search<'a> {
    fn of(graph: &'a Graph) -> Search<'a> {
        let region = vec![0; graph.extent()];
        Search { graph, region, regions: 0, order: Vec::new(), levels: Vec::new() }
    }
}

impl Search<'_> {
    /// The nodes of a dissection, of which the first one, if it is not empty, has the vertices
    /// `last`. The others have `vertices`, down to sets of at most `most`, which are left to
    /// others.
    fn dissected(
        &mut self,
        last: Vec<u32>,
        vertices: Vec<u32>,
        most: usize,
    ) -> (Vec<Found>, Vec<Vec<u32>>) {
        let (mut found, mut branches) = (Vec::new(), Vec::new());
        let mut open = vec![(None, 0, vertices)];
        if !last.is_empty() {
            let node = Node { parent: None, level: 0, vertices: last };
            found.push(Found { node, is_branch: false });
            open[0].0 = Some(0);
            open[0].1 = 1;
        }
        while let Some((parent, level, vertices)) = open.pop() {
            let at = found.len();
            let mut add = |vertices: Vec<u32>, is_branch: bool| {
                found.push(Found { node: Node { parent, level, vertices }, is_branch });
            };
            if vertices.len() <= most {
                add(Vec::new(), true);
                branches.push(vertices);
                continue;
            }
            match self.separated(&vertices) {
                None => add(vertices, false),
                Some([before, separator, behind]) => {
                    add(separator, false);
                    open.push((Some(at), level + 1, behind));
                    open.push((Some(at), level + 1, before));
                }
            }
        }
        (found, branches)
    }

    /// Vertices before and behind a separator, and the separator; `None` if a set is small, or has
    /// no separator.
    fn separated(&mut self, vertices: &[u32]) -> Option<[Vec<u32>; 3]> {
        if vertices.len() <= LEAF {
            return None;
        }
        self.order_from(&vertices[..1], vertices);
        // A vertex at the rim is as far from others as vertices can be.
        let rim = *self.order.last()?;
        self.order_from(&[rim], vertices);
        let count = vertices.len();
        let ends = self.levels.iter().skip(1).map(|level| level.begin).chain([count]);
        let mut best = (f64::INFINITY, 0..0);
        for (level, end) in self.levels.iter().zip(ends) {
            let mut consider = |separator: std::ops::Range<usize>| {
                let (before, behind) = (separator.start, count - separator.end);
                let score = (separator.len() + 1) as f64 / (before as f64 * behind as f64);
                // Thin slices would make the tree as deep as there are vertices.
                if before.min(behind) > count / SLICE && score < best.0 {
                    best = (score, separator);
                }
            };
            consider(level.begin..end);
            if level.is_apart {
                consider(level.begin..level.begin);
            }
        }
        let (score, separator) = best;
        if score.is_infinite() {
            return None;
        }
        let mut before = self.order[..separator.start].to_vec();
        let behind = self.order[separator.end..].to_vec();
        self.regions += 1;
        for &vertex in &behind {
            self.region[vertex as usize] = self.regions;
        }
        // What has no neighbour behind need not separate.
        let is_behind = |vertex: &u32| self.region[*vertex as usize] == self.regions;
        let mut between = Vec::with_capacity(separator.len());
        for &vertex in &self.order[separator] {
            let separates = self.graph.of_vertex(vertex).iter().any(is_behind);
            if separates { &mut between } else { &mut before }.push(vertex);
        }
        Some([before, between, behind])
    }

    /// Orders vertices by their distances from the first of some, those of each connected component
    /// behind each other.
    fn order_from(&mut self, first: &[u32], vertices: &[u32]) {
        let (open, found) = (self.regions + 1, self.regions + 2);
        self.regions += 2;
        for &vertex in vertices {
            self.region[vertex as usize] = open;
        }
        self.order.clear();
        self.levels.clear();
        for &start in first.iter().chain(vertices) {
            if self.region[start as usize] != open {
                continue;
            }
            self.region[start as usize] = found;
            let mut begin = self.order.len();
            self.levels.push(Level { begin, is_apart: true });
            self.order.push(start);
            loop {
                let end = self.order.len();
                for at in begin..end {
                    for &other in self.graph.of_vertex(self.order[at]) {
                        if self.region[other as usize] == open {
                            self.region[other as usize] = found;
                            self.order.push(other);
                        }
                    }
                }
                if self.order.len() == end {
                    break;
                }
                begin = end;
                self.levels.push(Level { begin, is_apart: false });
            }
        }
    }
}
