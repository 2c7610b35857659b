//! The plan of a multifrontal factorisation: which dense matrices (fronts) are eliminated together,
//! and how they are put together from the entries of the matrix and from earlier fronts.
//!
//! Source: I. S. Duff, J. K. Reid, "The multifrontal solution of indefinite sparse symmetric linear
//! equations", ACM TOMS 9(3), 1983; the tree of fronts is that of a nested dissection, and fronts
//! of one level are padded to a few sizes, so that they are stacks of matrices.

use super::dissection::{Graph, Node, dissect};

/// Fronts are padded to the largest one of their stack. A stack is filled up by at most this
/// multiple of its elements, or by as many elements as cost less than a stack more.
const FILLED: f64 = 0.25;
const FEW_ELEMENTS: f64 = 1e5;
/// A set of more vertices without a separator is left to other methods.
const LARGEST_LEAF: usize = 2_000;
/// At the level where branches are divided among devices there are as many for each device.
const BRANCHES: usize = 2;

/// Fronts that are eliminated together. Each front is a square matrix: first the rows and columns
/// of its own vertices, which are eliminated, then those of its rim, which are eliminated later.
#[derive(Clone, Debug)]
pub struct Stack {
    /// Rows of own vertices.
    pub own: usize,
    /// Rows of the rim.
    pub rim: usize,
    /// How many fronts each device has; `None` for one front that all devices share.
    pub fronts: Option<Vec<usize>>,
    /// For each front, its own vertices, filled up with the number of vertices.
    pub vertices: Vec<i64>,
    /// The entries of the matrix that the fronts begin with, device by device. The number of
    /// entries stands for a one, which the diagonal has in rows that are filled up.
    pub entries: Vec<i64>,
    /// Where these entries are among the elements of the device's fronts.
    pub places: Vec<i64>,
    /// How many entries each device has.
    pub counts: Vec<usize>,
    /// What earlier fronts add.
    pub children: Vec<Link>,
    /// Where the rims are in later fronts.
    pub parents: Vec<Link>,
}

/// How fronts of one stack are related to those of another one.
#[derive(Clone, Debug)]
pub struct Link {
    /// The other stack.
    pub stack: usize,
    /// For each front, the number of its partner among those of its device, or among all those of
    /// the child's stack for a front that all devices share; -1 for none.
    pub slots: Vec<i64>,
    /// For a child, each row of the front as a row of the child's rim; for a parent, each row of
    /// the rim as a row of the parent. -1 for none.
    pub rows: Vec<i32>,
}

/// The stacks of all fronts, children first.
#[derive(Clone, Debug)]
pub struct Fronts {
    /// The number of rows of the matrix.
    pub extent: usize,
    /// The stacks.
    pub stacks: Vec<Stack>,
}

impl Stack {
    /// The number of fronts.
    pub fn len(&self) -> usize {
        self.fronts.as_ref().map_or(1, |fronts| fronts.iter().sum())
    }

    /// Whether there are no fronts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements that the factors keep, and the multiplications for them.
    pub fn cost(&self) -> [f64; 2] {
        cost(self.own, self.rim).map(|cost| self.len() as f64 * cost)
    }
}

impl Fronts {
    /// The elements that the factors keep, and the multiplications for them.
    pub fn cost(&self) -> [f64; 2] {
        sum(self.stacks.iter().map(Stack::cost))
    }

    /// The plan for a square matrix on a number of devices, from the starts of its rows and the
    /// columns of its entries, none of which is there twice; `None` if it costs more elements and
    /// multiplications than `most`, or if a large part of its graph has no separators.
    pub fn of(starts: &[usize], columns: &[u32], devices: usize, most: [f64; 2]) -> Option<Fronts> {
        let graph = Graph::of(starts, columns);
        let tree = Tree::of(&graph);
        let estimate = sum((0..tree.nodes.len()).map(|node| tree.cost(node)));
        if estimate[0] > most[0] || estimate[1] > most[1] || tree.largest_leaf() > LARGEST_LEAF {
            return None;
        }
        let places = Places::of(&tree, devices);
        Some(Fronts { extent: graph.extent(), stacks: places.stacks(&tree, starts, columns) })
    }
}

/// The elements that a front keeps, and the multiplications for them.
fn cost(own: usize, rim: usize) -> [f64; 2] {
    let [own, rim] = [own, rim].map(|number| number as f64);
    [own * own + 2.0 * own * rim, own * (own + rim) * (own + rim)]
}

fn sum(costs: impl Iterator<Item = [f64; 2]>) -> [f64; 2] {
    costs.fold([0.0; 2], |sum, cost| [sum[0] + cost[0], sum[1] + cost[1]])
}

/// The nodes of a dissection with their rims.
struct Tree {
    nodes: Vec<Node>,
    /// The vertices that are eliminated later and are neighbours of what is eliminated up to the
    /// node, those of the deepest nodes first.
    rims: Vec<Vec<u32>>,
    /// The node of each vertex.
    node_of: Vec<u32>,
}

impl Tree {
    fn of(graph: &Graph) -> Tree {
        let nodes = dissect(graph);
        let mut node_of = vec![0_u32; graph.extent()];
        // The position of each vertex in its node.
        let mut within = vec![0_u32; graph.extent()];
        for (number, node) in nodes.iter().enumerate() {
            for (at, &vertex) in node.vertices.iter().enumerate() {
                (node_of[vertex as usize], within[vertex as usize]) = (number as u32, at as u32);
            }
        }
        let mut rims: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
        let mut seen = vec![u32::MAX; graph.extent()];
        for number in (0..nodes.len()).rev() {
            // What the children have put here, and what the own vertices are next to. A neighbour
            // in another node belongs to one above or below.
            let mut rim = std::mem::take(&mut rims[number]);
            let own = nodes[number].vertices.iter().flat_map(|&it| graph.of_vertex(it)).copied();
            rim.extend(own.filter(|&it| node_of[it as usize] < number as u32));
            rim.retain(|&vertex| {
                let is_new = seen[vertex as usize] != number as u32;
                seen[vertex as usize] = number as u32;
                is_new && node_of[vertex as usize] != number as u32
            });
            // Nodes above are before this one, the deepest one last.
            rim.sort_unstable_by_key(|&vertex| {
                (u32::MAX - node_of[vertex as usize], within[vertex as usize])
            });
            if let Some(parent) = nodes[number].parent {
                rims[parent].extend(&rim);
            }
            rims[number] = rim;
        }
        Tree { nodes, rims, node_of }
    }

    /// The elements that a front keeps, and the multiplications for them.
    fn cost(&self, node: usize) -> [f64; 2] {
        cost(self.nodes[node].vertices.len(), self.rims[node].len())
    }

    /// The most vertices of a node without children.
    fn largest_leaf(&self) -> usize {
        let mut is_leaf = vec![true; self.nodes.len()];
        self.nodes.iter().filter_map(|node| node.parent).for_each(|it| is_leaf[it] = false);
        let leaves = self.nodes.iter().zip(is_leaf).filter(|(_, is_leaf)| *is_leaf);
        leaves.map(|(node, _)| node.vertices.len()).max().unwrap_or(0)
    }

    /// The rows of a front.
    fn extent(&self, node: usize) -> usize {
        self.nodes[node].vertices.len() + self.rims[node].len()
    }

    /// The elements of a front.
    fn area(&self, node: usize) -> f64 {
        let extent = self.extent(node) as f64;
        extent * extent
    }
}

/// Where each node's front is.
struct Places {
    /// The nodes of each stack, device by device, and the numbers of them; `None` for one front
    /// that all devices share.
    stacks: Vec<(Vec<usize>, Option<Vec<usize>>)>,
    /// The stack of each node, its number there, and that among the fronts of its device.
    of_node: Vec<(usize, usize, usize)>,
    devices: usize,
}

impl Places {
    fn of(tree: &Tree, devices: usize) -> Places {
        let count = tree.nodes.len();
        let shared = match devices {
            1 => 0,
            _ => (BRANCHES * devices).next_power_of_two().trailing_zeros() as usize,
        };
        let device_of = Places::devices(tree, devices, shared);
        let depth = tree.nodes.iter().map(|node| node.level + 1).max().unwrap_or(0);
        let mut levels = vec![Vec::new(); depth];
        for node in 0..count {
            levels[tree.nodes[node].level].push(node);
        }
        let mut places = Places { stacks: Vec::new(), of_node: vec![(0, 0, 0); count], devices };
        for (level, mut nodes) in levels.into_iter().enumerate().rev() {
            if level < shared {
                for node in nodes {
                    places.of_node[node] = (places.stacks.len(), 0, 0);
                    places.stacks.push((vec![node], None));
                }
                continue;
            }
            nodes.sort_by_key(|&node| std::cmp::Reverse(tree.extent(node)));
            let mut rest = &nodes[..];
            while let Some(&first) = rest.first() {
                let largest = tree.area(first);
                let mut sum = 0.0;
                let differs = rest.iter().enumerate().position(|(before, &node)| {
                    sum += tree.area(node);
                    (before + 1) as f64 * largest - sum > FEW_ELEMENTS.max(FILLED * sum)
                });
                let (stack, others) = rest.split_at(differs.unwrap_or(rest.len()).max(1));
                rest = others;
                places.add(stack, &device_of);
            }
        }
        places
    }

    /// The device of each node below the shared levels: branches are divided by their costs.
    fn devices(tree: &Tree, devices: usize, shared: usize) -> Vec<usize> {
        let below = |node: usize| tree.nodes[node].level >= shared;
        let costs: Vec<f64> = (0..tree.nodes.len())
            .map(|node| if below(node) { tree.cost(node)[1] } else { 0.0 })
            .collect();
        let all: f64 = costs.iter().sum();
        let (mut before, mut device, mut found) = (0.0, 0, vec![0; tree.nodes.len()]);
        let mut node = 0;
        while node < found.len() {
            let end = Places::branch(tree, node, shared);
            let cost: f64 = costs[node..end].iter().sum();
            let middle = before + cost / 2.0;
            device = ((middle / all.max(1.0) * devices as f64) as usize).clamp(device, devices - 1);
            found[node..end].fill(device);
            (before, node) = (before + cost, end);
        }
        found
    }

    /// The end of the nodes that are one branch below the shared levels, or of one shared node.
    fn branch(tree: &Tree, first: usize, shared: usize) -> usize {
        let later = (first + 1..tree.nodes.len()).find(|&node| tree.nodes[node].level <= shared);
        match tree.nodes[first].level {
            level if level < shared => first + 1,
            _ => later.unwrap_or(tree.nodes.len()),
        }
    }

    fn add(&mut self, nodes: &[usize], device_of: &[usize]) {
        let mut nodes = nodes.to_vec();
        nodes.sort_by_key(|&node| (device_of[node], node));
        let mut counts = vec![0; self.devices];
        for (at, &node) in nodes.iter().enumerate() {
            let device = device_of[node];
            self.of_node[node] = (self.stacks.len(), at, counts[device]);
            counts[device] += 1;
        }
        self.stacks.push((nodes, Some(counts)));
    }

    fn stacks(&self, tree: &Tree, starts: &[usize], columns: &[u32]) -> Vec<Stack> {
        let by_node = Entries::of(tree, starts, columns);
        let mut children = vec![Vec::new(); tree.nodes.len()];
        for (number, node) in tree.nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                children[parent].push(number);
            }
        }
        let extents = |nodes: &[usize]| {
            let most = |of: &dyn Fn(usize) -> usize| nodes.iter().map(|&it| of(it)).max();
            let own = most(&|node| tree.nodes[node].vertices.len()).unwrap_or(0).max(1);
            (own, most(&|node| tree.rims[node].len()).unwrap_or(0))
        };
        let extents: Vec<(usize, usize)> =
            self.stacks.iter().map(|(nodes, _)| extents(nodes)).collect();
        let mut maker = Maker {
            places: self,
            tree,
            children: &children,
            extents: &extents,
            row_of: vec![-1; tree.node_of.len()],
        };
        let all = self.stacks.iter().enumerate();
        all.map(|(stack, (nodes, fronts))| maker.stack(stack, nodes, fronts, &by_node)).collect()
    }
}

/// The entries of a matrix, grouped by the nodes at which they enter.
struct Entries {
    starts: Vec<usize>,
    /// Their numbers, rows and columns.
    entries: Vec<(usize, u32, u32)>,
}

impl Entries {
    fn of(tree: &Tree, starts: &[usize], columns: &[u32]) -> Entries {
        // The deeper of two nodes, of which one is above the other, is the later one.
        let node = |row: usize, entry: usize| {
            tree.node_of[row].max(tree.node_of[columns[entry] as usize]) as usize
        };
        let mut found = vec![0; tree.nodes.len() + 1];
        let rows = 0..starts.len() - 1;
        for row in rows.clone() {
            for entry in starts[row]..starts[row + 1] {
                found[node(row, entry) + 1] += 1;
            }
        }
        for node in 0..tree.nodes.len() {
            found[node + 1] += found[node];
        }
        let (mut next, mut entries) = (found.clone(), vec![(0, 0, 0); columns.len()]);
        for row in rows {
            for entry in starts[row]..starts[row + 1] {
                let at = &mut next[node(row, entry)];
                entries[*at] = (entry, row as u32, columns[entry]);
                *at += 1;
            }
        }
        Entries { starts: found, entries }
    }

    fn of_node(&self, node: usize) -> &[(usize, u32, u32)] {
        &self.entries[self.starts[node]..self.starts[node + 1]]
    }
}

struct Maker<'a> {
    places: &'a Places,
    tree: &'a Tree,
    children: &'a [Vec<usize>],
    /// The own rows and those of the rim in each stack.
    extents: &'a [(usize, usize)],
    /// The row of each vertex in the front at hand.
    row_of: Vec<i64>,
}

impl Maker<'_> {
    fn stack(
        &mut self,
        stack: usize,
        nodes: &[usize],
        fronts: &Option<Vec<usize>>,
        entries: &Entries,
    ) -> Stack {
        let (own, rim) = self.extents[stack];
        let rows = own + rim;
        let vertices = self.row_of.len() as i64;
        let mut made = Stack {
            own,
            rim,
            fronts: fronts.clone(),
            vertices: Vec::with_capacity(nodes.len() * own),
            entries: Vec::new(),
            places: Vec::new(),
            counts: Vec::new(),
            children: Vec::new(),
            parents: Vec::new(),
        };
        let (mut below, mut above) = (Links::new(), Links::new());
        let counts = fronts.clone().unwrap_or_else(|| vec![1]);
        let mut nodes = nodes.iter().enumerate();
        let count: usize = counts.iter().sum();
        for count_of_device in counts {
            let before = made.entries.len();
            for (front, &node) in nodes.by_ref().take(count_of_device) {
                self.enter(node, own);
                let (_, _, slot) = self.places.of_node[node];
                let base = (slot * rows * rows) as i64;
                for &(entry, row, column) in entries.of_node(node) {
                    let [row, column] = [row, column].map(|it| self.row_of[it as usize]);
                    made.entries.push(entry as i64);
                    made.places.push(base + row * rows as i64 + column);
                }
                let own_vertices = &self.tree.nodes[node].vertices;
                made.vertices.extend(own_vertices.iter().map(|&it| i64::from(it)));
                made.vertices.resize((front + 1) * own, vertices);
                for row in own_vertices.len()..own {
                    made.entries.push(entries.entries.len() as i64);
                    made.places.push(base + (row * rows + row) as i64);
                }
                // Both children may be in one stack, so each side has links of its own.
                for (side, &child) in self.children[node].iter().enumerate() {
                    let (stack, number, slot) = self.places.of_node[child];
                    let link = Maker::link(&mut below, (stack, side), count, rows);
                    link.slots[front] = if fronts.is_some() { slot } else { number } as i64;
                    for (row, &vertex) in self.tree.rims[child].iter().enumerate() {
                        let to = self.row_of[vertex as usize] as usize;
                        link.rows[front * rows + to] = row as i32;
                    }
                }
                self.leave(node);
                let Some(parent) = self.tree.nodes[node].parent else { continue };
                let (stack, _, slot) = self.places.of_node[parent];
                self.enter(parent, self.extents[stack].0);
                let link = Maker::link(&mut above, (stack, 0), count, rim);
                link.slots[front] = slot as i64;
                for (row, &vertex) in self.tree.rims[node].iter().enumerate() {
                    link.rows[front * rim + row] = self.row_of[vertex as usize] as i32;
                }
                self.leave(parent);
            }
            made.counts.push(made.entries.len() - before);
        }
        made.children = below.into_iter().map(|(_, link)| link).collect();
        made.parents = above.into_iter().map(|(_, link)| link).collect();
        made
    }

    /// Notes the rows of a front.
    fn enter(&mut self, node: usize, own: usize) {
        for (row, &vertex) in self.tree.nodes[node].vertices.iter().enumerate() {
            self.row_of[vertex as usize] = row as i64;
        }
        for (row, &vertex) in self.tree.rims[node].iter().enumerate() {
            self.row_of[vertex as usize] = (own + row) as i64;
        }
    }

    fn leave(&mut self, node: usize) {
        let tree = self.tree;
        for &vertex in tree.nodes[node].vertices.iter().chain(&tree.rims[node]) {
            self.row_of[vertex as usize] = -1;
        }
    }

    /// The link to a stack, by one of the sides if there are two.
    fn link(links: &mut Links, key: (usize, usize), count: usize, rows: usize) -> &mut Link {
        let found = links.iter().position(|(other, _)| *other == key);
        let at = found.unwrap_or_else(|| {
            let (slots, rows) = (vec![-1; count], vec![-1; count * rows]);
            links.push((key, Link { stack: key.0, slots, rows }));
            links.len() - 1
        });
        &mut links[at].1
    }
}

/// Links by their stacks and sides.
type Links = Vec<((usize, usize), Link)>;
