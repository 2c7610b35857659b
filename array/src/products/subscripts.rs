//! The subscripts of Einstein sums: `"ij,jk->ik"`, with `...` for axes without letters.

use crate::manipulation::refused;
use phalanx_graph::{Error, call_site};

/// The code of a letter, or of an axis of an ellipsis (axes count from the last).
pub(super) type Label = u32;

/// The smallest label of an axis of an ellipsis; labels of letters are below it.
const ELLIPSIS: Label = 1 << 21;

/// The labels of the axes of each operand and of the result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Subscripts {
    pub(super) inputs: Vec<Vec<Label>>,
    pub(super) output: Vec<Label>,
}

/// The letters before an ellipsis and, if there is one, the letters after it.
fn term(text: &str) -> Result<(Vec<Label>, Option<Vec<Label>>), String> {
    let letters = |part: &str| {
        part.chars()
            .map(|letter| match letter {
                'a'..='z' | 'A'..='Z' => Ok(Label::from(letter)),
                other => Err(format!("{other:?} is no letter")),
            })
            .collect::<Result<Vec<_>, _>>()
    };
    match text.split_once("...") {
        None => Ok((letters(text)?, None)),
        Some((before, after)) => Ok((letters(before)?, Some(letters(after)?))),
    }
}

/// The labels of the `count` axes of an ellipsis.
fn ellipsis(count: usize) -> impl Iterator<Item = Label> {
    (0..count as Label).rev().map(|from_last| ELLIPSIS + from_last)
}

impl Subscripts {
    /// The subscripts of operands with these numbers of axes, or a description of the error.
    pub(super) fn parse(text: &str, ndims: &[usize]) -> Result<Subscripts, String> {
        let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        let (inputs, output) = match text.split_once("->") {
            Some((inputs, output)) => (inputs, Some(output)),
            None => (text.as_str(), None),
        };
        let terms: Vec<&str> = inputs.split(',').collect();
        if terms.len() != ndims.len() {
            return Err(format!("{} terms for {} operands", terms.len(), ndims.len()));
        }
        let mut most = 0;
        let mut labelled = Vec::new();
        for (text, &ndim) in terms.iter().zip(ndims) {
            let (mut labels, after) = term(text)?;
            let named = labels.len() + after.as_ref().map_or(0, Vec::len);
            let unnamed = ndim
                .checked_sub(named)
                .ok_or_else(|| format!("{named} subscripts for an operand with {ndim} axes"))?;
            match after {
                None if unnamed > 0 => {
                    return Err(format!("{named} subscripts for an operand with {ndim} axes"));
                }
                None => {}
                Some(after) => {
                    labels.extend(ellipsis(unnamed));
                    labels.extend(after);
                    most = most.max(unnamed);
                }
            }
            labelled.push(labels);
        }
        let all: Vec<Label> = labelled.iter().flatten().copied().collect();
        let output = match output {
            None => {
                let mut once: Vec<Label> = all
                    .iter()
                    .copied()
                    .filter(|label| *label < ELLIPSIS)
                    .filter(|label| all.iter().filter(|other| *other == label).count() == 1)
                    .collect();
                once.sort_unstable();
                ellipsis(most).chain(once).collect()
            }
            Some(text) => {
                let (mut labels, after) = term(text)?;
                match after {
                    None if most > 0 => return Err("the output has no ellipsis".into()),
                    None => {}
                    Some(after) => {
                        labels.extend(ellipsis(most));
                        labels.extend(after);
                    }
                }
                for (place, label) in labels.iter().enumerate() {
                    let letter = char::from_u32(*label).unwrap_or('.');
                    if labels[..place].contains(label) {
                        return Err(format!("the output has {letter:?} twice"));
                    }
                    if *label < ELLIPSIS && !all.contains(label) {
                        return Err(format!("the output has {letter:?}, which no operand has"));
                    }
                }
                labels
            }
        };
        Ok(Subscripts { inputs: labelled, output })
    }
}

/// The subscripts of [`einsum`](crate::einsum) for axes that are numbered from 0 to 51, as in
/// NumPy's `einsum(a, [0, 1], b, [1, 2], [0, 2])`. `None` stands for an ellipsis. Letters are in
/// NumPy's order: capitals first. Local. Errors: `OpError::Argument` for other numbers.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::numbered_subscripts;
/// let inputs = [vec![Some(0), None], vec![Some(26), Some(0)]];
/// let subscripts = numbered_subscripts(&inputs, Some(&[None, Some(26)]));
/// assert_eq!(subscripts.unwrap(), "A...,aA->...a");
/// assert!(numbered_subscripts(&[vec![Some(52)]], None).is_err());
/// ```
#[track_caller]
pub fn numbered_subscripts(
    inputs: &[Vec<Option<i64>>],
    output: Option<&[Option<i64>]>,
) -> Result<String, Error> {
    let site = call_site();
    let letter = |number: &Option<i64>| match *number {
        None => Ok(String::from("...")),
        Some(number @ 0..26) => Ok(char::from(b'A' + number as u8).to_string()),
        Some(number @ 26..52) => Ok(char::from(b'a' + (number - 26) as u8).to_string()),
        Some(number) => Err(refused("einsum", "subscript", number.to_string(), site)),
    };
    let term = |numbers: &[Option<i64>]| numbers.iter().map(letter).collect::<Result<String, _>>();
    let terms = inputs.iter().map(|input| term(input)).collect::<Result<Vec<_>, _>>()?;
    let output = output.map(term).transpose()?.map(|output| format!("->{output}"));
    Ok(terms.join(",") + &output.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(labels: &[Label]) -> String {
        let letter = |&label: &Label| match label.checked_sub(ELLIPSIS) {
            Some(from_last) => char::from_digit(from_last, 10).expect("bug: ten axes or more"),
            None => char::from_u32(label).expect("bug: a label that is no letter"),
        };
        labels.iter().map(letter).collect()
    }

    #[test]
    fn outputs_follow_numpy() {
        let output = |subscripts, ndims: &[usize]| {
            Subscripts::parse(subscripts, ndims).map(|found| text(&found.output))
        };
        assert_eq!(output("ij,jk", &[2, 2]).unwrap(), "ik");
        assert_eq!(output("ba", &[2]).unwrap(), "ab");
        assert_eq!(output("ii", &[2]).unwrap(), "");
        assert_eq!(output("i...,i...", &[3, 2]).unwrap(), "10");
        assert_eq!(output("Z...a", &[4]).unwrap(), "10Za");
        assert_eq!(output(" i j -> j i ", &[2]).unwrap(), "ji");
        assert_eq!(output("...ij->j...", &[3]).unwrap(), "j0");
        for (wrong, ndims) in [
            ("ij", &[1][..]),
            ("i", &[2]),
            ("ij,jk", &[2]),
            ("i->ii", &[1]),
            ("i->j", &[1]),
            ("i...->i", &[2]),
            ("i1", &[2]),
            ("i..", &[2]),
            ("......", &[2]),
            ("i->j->k", &[1]),
        ] {
            assert!(output(wrong, ndims).is_err(), "{wrong}");
        }
    }
}
