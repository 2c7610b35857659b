//! Structured dtypes: the fields of an element.

use phalanx_ops::DType;
use std::sync::Arc;

/// A structured dtype: the size of an element, and its fields. An element without fields is
/// uninterpreted bytes: NumPy's void.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    size: usize,
    fields: Vec<Field>,
    is_aligned: bool,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name.
    pub name: String,
    /// A second name, if there is one.
    pub title: Option<String>,
    /// The offset of the first byte.
    pub offset: usize,
    /// The kind of value that the field holds.
    pub form: Form,
    /// The shape of the field; empty for a single value.
    pub shape: Vec<usize>,
}

/// The kind of value that a field holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Numbers or bools.
    Number(DType),
    /// Records.
    Record(Arc<Record>),
    /// A kind that arrays do not have, such as texts. The bytes are kept, but the field has no
    /// view.
    Other {
        /// NumPy's name.
        name: String,
        /// The size in bytes.
        size: usize,
    },
}

impl Form {
    /// The size in bytes.
    pub fn size(&self) -> usize {
        match self {
            Form::Number(dtype) => dtype.size(),
            Form::Record(record) => record.size,
            Form::Other { size, .. } => *size,
        }
    }
}

impl Field {
    /// The size in bytes.
    pub fn size(&self) -> usize {
        self.form.size() * self.shape.iter().product::<usize>()
    }
}

impl Record {
    /// A record; `None` if a field exceeds `size`, or if two fields have the same name.
    pub fn new(size: usize, fields: Vec<Field>, is_aligned: bool) -> Option<Record> {
        let ends = fields.iter().map(|field| field.offset.checked_add(field.size()));
        if ends.into_iter().any(|end| end.is_none_or(|end| end > size)) {
            return None;
        }
        let mut names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        Some(Record { size, fields, is_aligned })
    }

    /// The size of an element in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The fields in order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Whether the fields are aligned as in C.
    pub fn is_aligned(&self) -> bool {
        self.is_aligned
    }

    /// Whether there are no fields.
    pub fn is_void(&self) -> bool {
        self.fields.is_empty()
    }

    /// The field with a name or title.
    pub fn field(&self, name: &str) -> Option<&Field> {
        let by_name = self.fields.iter().find(|field| field.name == name);
        by_name.or_else(|| self.fields.iter().find(|field| field.title.as_deref() == Some(name)))
    }

    /// The record with some of the fields, at their offsets; `None` for unknown or repeated names.
    pub fn selected(&self, names: &[&str]) -> Option<Record> {
        let fields = names.iter().map(|name| self.field(name).cloned()).collect::<Option<_>>()?;
        Record::new(self.size, fields, false)
    }

    /// Whether two records have the same layout; names do not count.
    pub(super) fn has_layout_of(&self, other: &Record) -> bool {
        let is_same = |(a, b): (&Field, &Field)| {
            let forms = match (&a.form, &b.form) {
                (Form::Record(a), Form::Record(b)) => a.has_layout_of(b),
                (a, b) => a == b,
            };
            forms && a.offset == b.offset && a.shape == b.shape
        };
        self.size == other.size
            && self.fields.len() == other.fields.len()
            && self.fields.iter().zip(&other.fields).all(is_same)
    }

    /// Whether every byte belongs to a field, so that copying elements copies only fields.
    pub(super) fn is_packed(&self) -> bool {
        let inner = self.fields.iter().all(|field| match &field.form {
            Form::Record(record) => record.is_packed(),
            _ => true,
        });
        inner && self.fields.iter().map(Field::size).sum::<usize>() == self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, offset: usize, dtype: DType) -> Field {
        let form = Form::Number(dtype);
        Field { name: name.to_owned(), title: None, offset, form, shape: Vec::new() }
    }

    #[test]
    fn fields_are_within_and_have_names_of_their_own() {
        let pair = |names: [&str; 2], second: usize, size| {
            let fields = vec![field(names[0], 0, DType::F32), field(names[1], second, DType::I64)];
            Record::new(size, fields, false)
        };
        let record = pair(["a", "b"], 4, 12).unwrap();
        assert!(record.is_packed());
        assert_eq!(record.field("b").map(|field| field.offset), Some(4));
        assert!(record.field("c").is_none());
        assert!(pair(["a", "b"], 4, 11).is_none() && pair(["a", "a"], 4, 12).is_none());
        let wide = pair(["x", "y"], 8, 16).unwrap();
        assert!(!wide.is_packed() && !wide.has_layout_of(&record));
        assert!(pair(["p", "q"], 4, 12).unwrap().has_layout_of(&record));
        let one = record.selected(&["b"]).unwrap();
        assert_eq!((one.size(), one.fields().len()), (12, 1));
        assert!(record.selected(&["b", "b"]).is_none());
    }
}
