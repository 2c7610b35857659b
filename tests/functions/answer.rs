//! The answer of a call.

use phalanx::{Array, DType, Error};

/// The answer of a call: an array, several, or a value that is no array.
pub enum Answer {
    /// An array or a scalar.
    Array(Array),
    /// Several answers; nested ones are compared in their order.
    Items(Vec<Answer>),
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A text.
    Text(String),
    /// A dtype.
    DType(DType),
    /// No value: the call has changed one of its arguments.
    Nothing,
    /// An error that was returned.
    Failed(Error),
}

macro_rules! answers {
    ($($type:ty, $value:ident => $answer:expr;)*) => {
        $(impl From<$type> for Answer {
            fn from($value: $type) -> Answer { $answer }
        })*
    };
}

answers! {
    Array, array => Answer::Array(array);
    &Array, array => Answer::Array(array.clone());
    bool, value => Answer::Bool(value);
    i64, value => Answer::Int(value);
    usize, value => Answer::Int(value as i64);
    DType, dtype => Answer::DType(dtype);
    String, text => Answer::Text(text);
    &str, text => Answer::Text(text.to_owned());
    (), _nothing => Answer::Nothing;
}

impl<T: Into<Answer>> From<Vec<T>> for Answer {
    fn from(items: Vec<T>) -> Answer {
        Answer::Items(items.into_iter().map(T::into).collect())
    }
}

impl<T: Clone + Into<Answer>> From<&[T]> for Answer {
    fn from(items: &[T]) -> Answer {
        items.to_vec().into()
    }
}

impl<T: Into<Answer>, const N: usize> From<[T; N]> for Answer {
    fn from(items: [T; N]) -> Answer {
        Answer::Items(items.into_iter().map(T::into).collect())
    }
}

impl<A: Into<Answer>, B: Into<Answer>> From<(A, B)> for Answer {
    fn from((first, second): (A, B)) -> Answer {
        Answer::Items(vec![first.into(), second.into()])
    }
}

impl<A: Into<Answer>, B: Into<Answer>, C: Into<Answer>> From<(A, B, C)> for Answer {
    fn from((first, second, third): (A, B, C)) -> Answer {
        Answer::Items(vec![first.into(), second.into(), third.into()])
    }
}

impl<T: Into<Answer>> From<Result<T, Error>> for Answer {
    fn from(result: Result<T, Error>) -> Answer {
        result.map_or_else(Answer::Failed, T::into)
    }
}

impl Answer {
    /// The error that the answer is or carries.
    pub fn error(&self) -> Option<Error> {
        match self {
            Answer::Failed(error) => Some(error.clone()),
            Answer::Array(array) => array.evaluate().err(),
            Answer::Items(items) => items.iter().find_map(Answer::error),
            _ => None,
        }
    }

    /// The arrays of the answer, in order.
    pub fn arrays(&self, found: &mut Vec<Array>) {
        match self {
            Answer::Array(array) => found.push(array.clone()),
            Answer::Items(items) => items.iter().for_each(|item| item.arrays(found)),
            _ => {}
        }
    }

    /// The kind of the answer, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Answer::Array(_) => "an array",
            Answer::Items(_) => "several answers",
            Answer::Bool(_) => "a truth value",
            Answer::Int(_) => "an integer",
            Answer::Text(_) => "a text",
            Answer::DType(_) => "a dtype",
            Answer::Nothing => "nothing",
            Answer::Failed(_) => "an error",
        }
    }
}
