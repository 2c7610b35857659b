//! Lists of hosts as SLURM writes them.

/// The most hosts in a list; a longer text is not a list of hosts.
const MOST_NODES: usize = 1 << 20;

/// The hosts of a list such as `node[01-03,7],gpu-a[1-2]-x`, in order. A name may have several
/// brackets; the last counts fastest. `None` if the text is not a list.
pub fn node_list(text: &str) -> Option<Vec<String>> {
    let mut nodes = Vec::new();
    for part in outside_of_brackets(text)? {
        let mut names = vec![String::new()];
        let mut rest = part;
        while let Some((before, after)) = rest.split_once('[') {
            let (ranges, behind) = after.split_once(']')?;
            let numbers = numbers(ranges)?;
            if names.len().checked_mul(numbers.len())? > MOST_NODES {
                return None;
            }
            let each = |name: &String| {
                let name = format!("{name}{before}");
                numbers.iter().map(move |number| format!("{name}{number}")).collect::<Vec<_>>()
            };
            names = names.iter().flat_map(each).collect();
            rest = behind;
        }
        if rest.contains(']') || part.is_empty() {
            return None;
        }
        nodes.extend(names.into_iter().map(|name| name + rest));
        if nodes.len() > MOST_NODES {
            return None;
        }
    }
    (!nodes.is_empty()).then_some(nodes)
}

/// Splits at the commas outside of brackets.
fn outside_of_brackets(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut start, mut is_inside) = (Vec::new(), 0, false);
    for (position, letter) in text.char_indices() {
        match letter {
            '[' if is_inside => return None,
            '[' => is_inside = true,
            ']' if !is_inside => return None,
            ']' => is_inside = false,
            ',' if !is_inside => {
                parts.push(&text[start..position]);
                start = position + 1;
            }
            letter if letter.is_whitespace() => return None,
            _ => {}
        }
    }
    parts.push(&text[start..]);
    (!is_inside).then_some(parts)
}

/// The numbers of `01-03,7`, each with as many digits as the first of its range.
fn numbers(ranges: &str) -> Option<Vec<String>> {
    let mut numbers = Vec::new();
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(first) || !digits(last) {
            return None;
        }
        let (from, to): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if to < from || to - from >= MOST_NODES {
            return None;
        }
        let width = first.len();
        numbers.extend((from..=to).map(|number| format!("{number:0width$}")));
        if numbers.len() > MOST_NODES {
            return None;
        }
    }
    Some(numbers)
}

/// The number of processes of each host, from a list such as `2(x3),1`. `None` for other texts.
pub fn tasks_per_node(text: &str) -> Option<Vec<usize>> {
    let mut counts = Vec::new();
    for part in text.split(',') {
        let (count, times) = match part.split_once("(x") {
            Some((count, times)) => (count, times.strip_suffix(')')?.parse().ok()?),
            None => (part, 1),
        };
        let count: usize = count.parse().ok()?;
        if times > MOST_NODES || counts.len() + times > MOST_NODES {
            return None;
        }
        counts.extend(std::iter::repeat_n(count, times));
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_lists_are_read() {
        for (text, nodes) in [
            ("node1", "node1"),
            ("node[1-3]", "node1 node2 node3"),
            ("node[01-03,7],gpu-a[1-2]-x", "node01 node02 node03 node7 gpu-a1-x gpu-a2-x"),
            ("a,b,c", "a b c"),
            ("n[098-101]", "n098 n099 n100 n101"),
            ("rack[0-1]n[1-2],login.site.org", "rack0n1 rack0n2 rack1n1 rack1n2 login.site.org"),
            ("n[5]", "n5"),
        ] {
            assert_eq!(node_list(text).unwrap().join(" "), nodes, "{text}");
        }
    }

    #[test]
    fn texts_that_are_no_lists_are_refused() {
        for text in [
            "",
            "a,,b",
            "a,",
            "n[",
            "n]",
            "n[]",
            "n[1",
            "n[1-]",
            "n[-2]",
            "n[3-1]",
            "n[a-b]",
            "n[1-2]]",
            "n[[1-2]]",
            "n[1 ]",
            "a b",
            "n[0-99999999999]",
            "n[1-99999][1-99999]",
            "n[0-99999999999999999999999999]",
        ] {
            assert_eq!(node_list(text), None, "{text}");
        }
    }

    #[test]
    fn counts_of_tasks_are_read() {
        assert_eq!(tasks_per_node("2(x3),1"), Some(vec![2, 2, 2, 1]));
        assert_eq!(tasks_per_node("4"), Some(vec![4]));
        for text in ["", "x", "2(x", "2(x3", "2(xa)", "2,,1", "1(x99999999999)"] {
            assert_eq!(tasks_per_node(text), None, "{text}");
        }
    }
}
