//! Brackets, line breaks and the corners that stand for a large array.

/// Arrays of more elements are summarised by their corners.
const THRESHOLD: usize = 1000;
/// Elements shown at each end of a summarised axis.
pub(super) const EDGE: usize = 3;
/// Columns of a line.
const LINE_WIDTH: usize = 75;
/// Stands for the elements left out.
const GAP: &str = "...";

/// Whether an axis of an array is shown by its ends alone.
pub(super) fn is_cut(shape: &[usize], axis: usize) -> bool {
    phalanx_ops::shape::size(shape) > THRESHOLD && shape[axis] > 2 * EDGE
}

/// Positions, in C order, of the elements that are shown.
pub(super) fn shown_positions(shape: &[usize]) -> Vec<usize> {
    let mut positions = vec![0];
    for (axis, &extent) in shape.iter().enumerate() {
        let head = if is_cut(shape, axis) { EDGE } else { extent };
        let tail = if is_cut(shape, axis) { extent - EDGE } else { extent };
        positions = positions
            .iter()
            .flat_map(|&at| (0..head).chain(tail..extent).map(move |index| at * extent + index))
            .collect();
    }
    positions
}

/// The text of an array that has elements and at least one axis, from the words of those shown.
pub(super) fn layout(shape: &[usize], words: &[String]) -> String {
    Layout { shape, words: words.iter() }.axis(0)
}

struct Layout<'a> {
    shape: &'a [usize],
    words: std::slice::Iter<'a, String>,
}

impl Layout<'_> {
    /// What the brackets of an axis enclose, brackets included. Lines after the first start under
    /// the first element.
    fn axis(&mut self, axis: usize) -> String {
        let cut = is_cut(self.shape, axis);
        let items = if cut { 2 * EDGE + 1 } else { self.shape[axis] };
        let gap = |item: usize| cut && item == EDGE;
        let indent = " ".repeat(axis + 1);
        if axis + 1 == self.shape.len() {
            return format!("[{}]", self.row(items, gap, &indent));
        }
        let separator = "\n".repeat(self.shape.len() - axis - 1) + &indent;
        let nested: Vec<String> = (0..items)
            .map(|item| if gap(item) { String::from(GAP) } else { self.axis(axis + 1) })
            .collect();
        format!("[{}]", nested.join(&separator))
    }

    /// The elements of the last axis, in as many lines as they need. Every enclosing bracket takes
    /// a column from the width of the lines.
    fn row(&mut self, items: usize, gap: impl Fn(usize) -> bool, indent: &str) -> String {
        let width = LINE_WIDTH.saturating_sub(indent.len());
        let mut text = String::new();
        let mut line = String::from(indent);
        for item in 0..items {
            let word = if gap(item) { GAP } else { self.words.next().map_or("", String::as_str) };
            // A word that fits on no line stays where it is, if it is the first of its line.
            if line.len() + word.len() > width && line.len() > indent.len() {
                text.push_str(line.trim_end());
                text.push('\n');
                line = String::from(indent);
            }
            line.push_str(word);
            if item + 1 < items {
                line.push(' ');
            }
        }
        text.push_str(&line);
        text.split_off(indent.len())
    }
}
