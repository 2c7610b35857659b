//! The layout of printed arrays: brackets, line breaks and the gaps of a summary.

/// The columns of a line.
pub(super) const LINE_WIDTH: usize = 75;
/// Replaces the elements that are left out.
const GAP: &str = "...";

/// The arrays that are printed as a summary, and the size of its corners.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Arrays with more elements than this are summarised.
    pub threshold: usize,
    /// The number of elements that are printed at each end of a shortened axis.
    pub edge: usize,
}

impl Default for Summary {
    /// NumPy's defaults.
    fn default() -> Summary {
        Summary { threshold: 1000, edge: 3 }
    }
}

impl Summary {
    /// Whether an array is summarised.
    pub(super) fn cuts(self, shape: &[usize]) -> bool {
        phalanx_ops::shape::size(shape) > self.threshold
    }

    /// Whether only the ends of an axis are printed. Local.
    pub fn is_cut(self, shape: &[usize], axis: usize) -> bool {
        self.cuts(shape) && shape[axis] > 2 * self.edge
    }

    /// The positions, in C order, of the printed elements.
    pub(super) fn shown_positions(self, shape: &[usize]) -> Vec<usize> {
        let mut positions = vec![0];
        for (axis, &extent) in shape.iter().enumerate() {
            let is_cut = self.is_cut(shape, axis);
            let head = if is_cut { self.edge } else { extent };
            let tail = if is_cut { extent - self.edge } else { extent };
            positions = positions
                .iter()
                .flat_map(|&at| (0..head).chain(tail..extent).map(move |index| at * extent + index))
                .collect();
        }
        positions
    }
}

/// The text around and between the elements of an array.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// The separator of elements and rows.
    pub(super) separator: &'static str,
    /// The columns before the first bracket.
    pub(super) before: usize,
    /// The columns after the last bracket.
    pub(super) after: usize,
}

/// The frame of `str`.
pub(super) const PLAIN: Frame = Frame { separator: " ", before: 0, after: 0 };
/// The frame of `repr`: `array(` and a parenthesis.
pub(super) const NAMED: Frame = Frame { separator: ", ", before: 6, after: 1 };

/// The text of an array with elements and at least one axis, from the texts of the printed
/// elements.
pub(super) fn layout(shape: &[usize], words: &[String], frame: Frame) -> String {
    Layout { shape, words: words.iter(), frame, summary: Summary::default() }.axis(0)
}

struct Layout<'a> {
    shape: &'a [usize],
    words: std::slice::Iter<'a, String>,
    frame: Frame,
    summary: Summary,
}

impl Layout<'_> {
    /// The text of an axis with its brackets. Lines after the first start below the first element.
    fn axis(&mut self, axis: usize) -> String {
        let (cut, edge) = (self.summary.is_cut(self.shape, axis), self.summary.edge);
        let items = if cut { 2 * edge + 1 } else { self.shape[axis] };
        let gap = |item: usize| cut && item == edge;
        let indent = " ".repeat(self.frame.before + axis + 1);
        if axis + 1 == self.shape.len() {
            // Each enclosing bracket takes a column of the lines.
            let width = LINE_WIDTH.saturating_sub(self.frame.after + axis + 1);
            return format!("[{}]", self.row(items, gap, &indent, width));
        }
        let breaks = "\n".repeat(self.shape.len() - axis - 1);
        let separator = self.frame.separator.trim_end().to_owned() + &breaks + &indent;
        let nested: Vec<String> = (0..items)
            .map(|item| if gap(item) { String::from(GAP) } else { self.axis(axis + 1) })
            .collect();
        format!("[{}]", nested.join(&separator))
    }

    /// The elements of the last axis, in as many lines as needed.
    fn row(
        &mut self,
        items: usize,
        gap: impl Fn(usize) -> bool,
        indent: &str,
        width: usize,
    ) -> String {
        let mut text = String::new();
        let mut line = String::from(indent);
        for item in 0..items {
            let word = if gap(item) { GAP } else { self.words.next().map_or("", String::as_str) };
            // A word that is longer than a line is printed if it is the first of its line.
            if line.len() + word.len() > width && line.len() > indent.len() {
                text.push_str(line.trim_end());
                text.push('\n');
                line = String::from(indent);
            }
            line.push_str(word);
            if item + 1 < items {
                line.push_str(self.frame.separator);
            }
        }
        text.push_str(&line);
        text.split_off(indent.len())
    }
}
