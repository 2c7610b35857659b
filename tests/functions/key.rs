//! The position of an argument in a call.

/// The position of an argument, its keyword, or both: `0`, `"axis"`, `(1, "axis")`.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its index among the positional arguments.
    pub place: Option<usize>,
    /// Its keyword.
    pub keyword: Option<&'static str>,
}

impl From<usize> for Key {
    fn from(place: usize) -> Key {
        Key { place: Some(place), keyword: None }
    }
}

impl From<&'static str> for Key {
    fn from(keyword: &'static str) -> Key {
        Key { place: None, keyword: Some(keyword) }
    }
}

impl From<(usize, &'static str)> for Key {
    fn from((place, keyword): (usize, &'static str)) -> Key {
        Key { place: Some(place), keyword: Some(keyword) }
    }
}
