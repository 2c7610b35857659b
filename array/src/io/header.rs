//! The header of an `.npy` file: a Python dictionary of dtype, order and shape.
//!
//! Source: NumPy enhancement proposal 1 and `numpy/lib/format.py`.

use super::error::{HeaderProblem, IoError, read_error};
use phalanx_ops::{DType, Kind};
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The first bytes of every `.npy` file.
pub(super) const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The limit of NumPy for headers of files that are not trusted.
const LENGTH_LIMIT: u64 = 10_000;

/// NumPy leaves room for an extent with this many digits, so that a file can grow in place.
const GROWTH_DIGITS: usize = 21;

/// The contents of the header of an `.npy` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The dtype.
    pub dtype: DType,
    /// Whether the byte order of the elements differs from that of this machine.
    pub swapped: bool,
    /// Whether the first axis varies fastest.
    pub fortran_order: bool,
    /// The extents.
    pub shape: Vec<usize>,
    /// The number of bytes before the data.
    pub data_offset: u64,
}

impl Header {
    /// The number of bytes of the data. It fits into `isize`, as `read` has checked.
    pub fn data_size(&self) -> usize {
        self.shape.iter().product::<usize>() * self.dtype.size()
    }

    /// Checks that a file of `available` bytes can contain the data.
    pub fn check_size(&self, available: u64, path: &Path) -> Result<(), IoError> {
        let (expected, found) =
            (self.data_size() as u64, available.saturating_sub(self.data_offset));
        if found < expected {
            let path = path.to_owned();
            return Err(IoError::Truncated { path, part: "data", expected, found });
        }
        Ok(())
    }

    /// Reads the header at the start of `reader`; `path` is for messages.
    pub fn read(reader: &mut dyn Read, path: &Path) -> Result<Header, IoError> {
        let mut start = [0; 6];
        let found = read_up_to(reader, &mut start, path)?;
        if start != *MAGIC {
            return Err(IoError::NotNpy { path: path.to_owned(), found: start[..found].to_vec() });
        }
        let bad = |problem| IoError::Header { path: path.to_owned(), problem };
        let mut version = [0; 2];
        read_all(reader, &mut version, path)?;
        let (length, prefix) = match version {
            [1, 0] => {
                let mut length = [0; 2];
                read_all(reader, &mut length, path)?;
                (u64::from(u16::from_le_bytes(length)), 10)
            }
            [2 | 3, 0] => {
                let mut length = [0; 4];
                read_all(reader, &mut length, path)?;
                (u64::from(u32::from_le_bytes(length)), 12)
            }
            [major, minor] => return Err(bad(HeaderProblem::Version { major, minor })),
        };
        if length > LENGTH_LIMIT {
            return Err(bad(HeaderProblem::TooLong { length, limit: LENGTH_LIMIT }));
        }
        let mut bytes = vec![0; length as usize];
        read_all(reader, &mut bytes, path)?;
        // Versions 1.0 and 2.0 are Latin-1, and 3.0 is UTF-8. Supported headers are ASCII in all of
        // them.
        let text = std::str::from_utf8(&bytes).map_err(|_| bad(HeaderProblem::NotText))?;
        let dictionary = parse(text).map_err(bad)?;

        let (dtype, swapped) = dtype_of(&dictionary.descr, path)?;
        let shape = addressable(&dictionary.shape, dtype).ok_or_else(|| IoError::SizeOverflow {
            path: path.to_owned(),
            shape: dictionary.shape,
        })?;
        let fortran_order = dictionary.fortran_order;
        Ok(Header { dtype, swapped, fortran_order, shape, data_offset: prefix + length })
    }
}

/// The bytes before the data of a new `.npy` file, equal to those that NumPy writes.
pub(super) fn encode(dtype: DType, shape: &[usize], path: &Path) -> Result<Vec<u8>, IoError> {
    let descr = descr_of(dtype);
    let extents = shape.iter().map(usize::to_string).collect::<Vec<_>>();
    let tuple = match extents.as_slice() {
        [one] => format!("({one},)"),
        several => format!("({})", several.join(", ")),
    };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple}, }}");
    if let Some(first) = extents.first() {
        text.extend(std::iter::repeat_n(' ', GROWTH_DIGITS.saturating_sub(first.len())));
    }
    // The data start at a multiple of 64 bytes, so that the file can be memory-mapped.
    let padding = 64 - (MAGIC.len() + 4 + text.len() + 1) % 64;
    text.extend(std::iter::repeat_n(' ', padding));
    text.push('\n');

    let length = text.len() as u64;
    let Some(short) = u16::try_from(length).ok().filter(|_| length <= LENGTH_LIMIT) else {
        let problem = HeaderProblem::TooLong { length, limit: LENGTH_LIMIT };
        return Err(IoError::Header { path: path.to_owned(), problem });
    };
    let mut header = MAGIC.to_vec();
    header.extend_from_slice(&[1, 0]);
    header.extend_from_slice(&short.to_le_bytes());
    header.extend_from_slice(text.as_bytes());
    Ok(header)
}

/// NumPy's spelling of a dtype in the byte order of this machine. NumPy has no spelling for
/// bfloat16. It spells the bfloat16 of the package `ml_dtypes` as two void bytes with a byte order,
/// `<V2`.
fn descr_of(dtype: DType) -> String {
    let kind = match dtype.kind() {
        Kind::Bool => 'b',
        Kind::Unsigned => 'u',
        Kind::Signed => 'i',
        Kind::Float if dtype == DType::BF16 => 'V',
        Kind::Float => 'f',
        Kind::Complex => 'c',
    };
    let order = match dtype.size() {
        1 => '|',
        _ if cfg!(target_endian = "little") => '<',
        _ => '>',
    };
    format!("{order}{kind}{}", dtype.size())
}

/// Further spellings that NumPy accepts in a descr: letters of C, and words. `l` and `L` are C's
/// `long`, which is as wide as an address on all supported systems.
const SPELLINGS: &[(&str, DType)] = &[
    ("?", DType::Bool),
    ("b", DType::I8),
    ("B", DType::U8),
    ("h", DType::I16),
    ("H", DType::U16),
    ("i", DType::I32),
    ("I", DType::U32),
    ("l", DType::I64),
    ("L", DType::U64),
    ("q", DType::I64),
    ("Q", DType::U64),
    ("n", DType::I64),
    ("N", DType::U64),
    ("p", DType::I64),
    ("P", DType::U64),
    ("e", DType::F16),
    ("f", DType::F32),
    ("d", DType::F64),
    ("F", DType::C64),
    ("D", DType::C128),
    ("byte", DType::I8),
    ("ubyte", DType::U8),
    ("short", DType::I16),
    ("ushort", DType::U16),
    ("intc", DType::I32),
    ("uintc", DType::U32),
    ("int", DType::I64),
    ("uint", DType::U64),
    ("long", DType::I64),
    ("ulong", DType::U64),
    ("longlong", DType::I64),
    ("ulonglong", DType::U64),
    ("intp", DType::I64),
    ("uintp", DType::U64),
    ("half", DType::F16),
    ("single", DType::F32),
    ("double", DType::F64),
    ("float", DType::F64),
    ("csingle", DType::C64),
    ("cdouble", DType::C128),
    ("complex", DType::C128),
];

/// The dtype of NumPy with this name, which has no byte order.
fn named(name: &str) -> Option<DType> {
    let is_own = |dtype: &DType| descr_of(*dtype)[1..] == *name;
    let is_word = |dtype: &DType| *dtype != DType::BF16 && dtype.numpy_name() == name;
    let own = DType::ALL.iter().copied().find(|dtype| is_own(dtype) || is_word(dtype));
    own.or_else(|| SPELLINGS.iter().find(|(known, _)| *known == name).map(|(_, dtype)| *dtype))
}

/// The dtype that a file spells as `descr`, and whether its byte order differs from that of this
/// machine.
fn dtype_of(descr: &str, path: &Path) -> Result<(DType, bool), IoError> {
    let (order, name) = match descr.as_bytes().first() {
        Some(b'<' | b'>' | b'|' | b'=') => descr.split_at(1),
        _ => ("=", descr),
    };
    if name == "O" || name == "O8" || name == "O4" {
        return Err(IoError::ObjectArray { path: path.to_owned(), descr: descr.to_owned() });
    }
    // Two void bytes without a byte order, `|V2`, belong to a structured dtype.
    let is_void = name.starts_with('V') && !matches!(order, "<" | ">");
    let Some(dtype) = named(name).filter(|_| !is_void) else {
        return Err(IoError::UnsupportedDtype { path: path.to_owned(), descr: descr.to_owned() });
    };
    let other = if cfg!(target_endian = "little") { ">" } else { "<" };
    Ok((dtype, order == other && dtype.size() > 1))
}

/// The shape, if its size in bytes can be addressed. Empty axes count with extent 1.
fn addressable(shape: &[u128], dtype: DType) -> Option<Vec<usize>> {
    let limit = isize::MAX as u128;
    let mut size = dtype.size() as u128;
    for &extent in shape {
        size = size.checked_mul(extent.max(1)).filter(|&size| size <= limit)?;
    }
    shape.iter().map(|&extent| usize::try_from(extent).ok()).collect()
}

/// Fills `bytes` until the end of the file; returns the number of bytes read.
fn read_up_to(reader: &mut dyn Read, bytes: &mut [u8], path: &Path) -> Result<usize, IoError> {
    let mut filled = 0;
    while filled < bytes.len() {
        match reader.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(read_error(path, &error)),
        }
    }
    Ok(filled)
}

/// Fills `bytes`, which belong to the header.
fn read_all(reader: &mut dyn Read, bytes: &mut [u8], path: &Path) -> Result<(), IoError> {
    let found = read_up_to(reader, bytes, path)? as u64;
    let expected = bytes.len() as u64;
    if found < expected {
        return Err(IoError::Truncated { path: path.to_owned(), part: "header", expected, found });
    }
    Ok(())
}

/// The dictionary of a header.
struct Dictionary {
    descr: String,
    fortran_order: bool,
    shape: Vec<u128>,
}

/// Parses `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`, keys in any order.
fn parse(text: &str) -> Result<Dictionary, HeaderProblem> {
    let mut parser = Parser { text, at: 0 };
    let (mut descr, mut fortran_order, mut shape) = (None, None, None);
    parser.expect('{', "`{`")?;
    while !parser.accept('}') {
        let start = parser.at;
        match parser.string()? {
            "descr" if descr.is_none() => {
                parser.expect(':', "`:`")?;
                descr = Some(parser.descr()?);
            }
            "fortran_order" if fortran_order.is_none() => {
                parser.expect(':', "`:`")?;
                fortran_order = Some(parser.truth()?);
            }
            "shape" if shape.is_none() => {
                parser.expect(':', "`:`")?;
                shape = Some(parser.tuple()?);
            }
            _ => {
                let expected = "one of the keys descr, fortran_order and shape, each once,";
                return Err(HeaderProblem::Syntax { at: start, expected });
            }
        }
        if !parser.accept(',') {
            parser.expect('}', "`,` or `}`")?;
            break;
        }
    }
    parser.skip_space();
    if parser.at < text.len() {
        return Err(parser.syntax("the end"));
    }
    Ok(Dictionary {
        descr: descr.ok_or(HeaderProblem::MissingKey { key: "descr" })?,
        fortran_order: fortran_order.ok_or(HeaderProblem::MissingKey { key: "fortran_order" })?,
        shape: shape.ok_or(HeaderProblem::MissingKey { key: "shape" })?,
    })
}

/// A position in the text of a dictionary.
struct Parser<'text> {
    text: &'text str,
    at: usize,
}

impl<'text> Parser<'text> {
    fn rest(&self) -> &'text str {
        &self.text[self.at..]
    }

    fn syntax(&self, expected: &'static str) -> HeaderProblem {
        HeaderProblem::Syntax { at: self.at, expected }
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_ascii_start().len();
    }

    fn accept(&mut self, wanted: char) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn expect(&mut self, wanted: char, name: &'static str) -> Result<(), HeaderProblem> {
        if self.accept(wanted) { Ok(()) } else { Err(self.syntax(name)) }
    }

    /// A string in single or double quotes. No supported dtype needs an escape.
    fn string(&mut self) -> Result<&'text str, HeaderProblem> {
        self.skip_space();
        let quote = self.rest().chars().next().filter(|&first| first == '\'' || first == '"');
        let quote = quote.ok_or_else(|| self.syntax("a string"))?;
        let start = self.at + 1;
        let length =
            self.text[start..].find(quote).ok_or_else(|| self.syntax("a closed string"))?;
        self.at = start + length + 1;
        Ok(&self.text[start..start + length])
    }

    /// A dtype: a string, or the text of the list of a structured dtype.
    fn descr(&mut self) -> Result<String, HeaderProblem> {
        self.skip_space();
        if !self.rest().starts_with(['[', '(']) {
            return Ok(self.string()?.to_owned());
        }
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.rest().chars().next() {
                Some('[' | '(') => depth += 1,
                Some(']' | ')') => depth -= 1,
                Some('\'' | '"') => {
                    self.string()?;
                    continue;
                }
                Some(_) => {}
                None => return Err(self.syntax("a closed list")),
            }
            self.at += self.rest().chars().next().map_or(0, char::len_utf8);
            if depth == 0 {
                return Ok(self.text[start..self.at].to_owned());
            }
        }
    }

    fn truth(&mut self) -> Result<bool, HeaderProblem> {
        self.skip_space();
        for (name, value) in [("True", true), ("False", false)] {
            if self.rest().starts_with(name) {
                self.at += name.len();
                return Ok(value);
            }
        }
        Err(self.syntax("True or False"))
    }

    fn tuple(&mut self) -> Result<Vec<u128>, HeaderProblem> {
        let mut values = Vec::new();
        self.expect('(', "`(`")?;
        while !self.accept(')') {
            self.skip_space();
            let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
            let value = self.rest()[..digits].parse().map_err(|_| self.syntax("an extent"))?;
            values.push(value);
            self.at += digits;
            // Python 2 wrote long integers with an `L`.
            self.accept('L');
            if !self.accept(',') {
                self.expect(')', "`,` or `)`")?;
                break;
            }
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: u8, text: &str) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&[version, 0]);
        match version {
            1 => bytes.extend_from_slice(&(text.len() as u16).to_le_bytes()),
            _ => bytes.extend_from_slice(&(text.len() as u32).to_le_bytes()),
        }
        bytes.extend_from_slice(text.as_bytes());
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Header, IoError> {
        Header::read(&mut &bytes[..], Path::new("a.npy"))
    }

    fn problem(text: &str) -> HeaderProblem {
        match read(&file(1, text)) {
            Err(IoError::Header { problem, .. }) => problem,
            other => panic!("{other:?} of {text}"),
        }
    }

    #[test]
    fn every_version_and_spelling_is_read() {
        let text = "{'shape': ( 3L,4 ), \"descr\": '>c16', 'fortran_order':True}  \n";
        for version in [1, 2, 3] {
            let header = read(&file(version, text)).unwrap();
            assert_eq!(header.dtype, DType::C128);
            assert_eq!(header.swapped, cfg!(target_endian = "little"));
            assert!(header.fortran_order);
            assert_eq!(header.shape, [3, 4]);
            assert_eq!(header.data_size(), 192);
            let prefix = if version == 1 { 10 } else { 12 };
            assert_eq!(header.data_offset, prefix + text.len() as u64);
        }
    }

    #[test]
    fn letters_and_words_of_numpy_are_dtypes() {
        let dtype = |descr: &str| {
            let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (2,), }}");
            read(&file(1, &text)).map(|header| (header.dtype, header.swapped))
        };
        let is_other = cfg!(target_endian = "little");
        for (descr, expected) in [
            ("f8", (DType::F64, false)),
            ("d", (DType::F64, false)),
            ("float64", (DType::F64, false)),
            ("float", (DType::F64, false)),
            (">d", (DType::F64, is_other)),
            ("?", (DType::Bool, false)),
            ("bool", (DType::Bool, false)),
            ("b1", (DType::Bool, false)),
            (">b", (DType::I8, false)),
            ("=H", (DType::U16, false)),
            ("l", (DType::I64, false)),
            ("uint32", (DType::U32, false)),
            ("e", (DType::F16, false)),
            (">F", (DType::C64, is_other)),
        ] {
            assert_eq!(dtype(descr).unwrap(), expected, "{descr}");
        }
        assert_eq!(dtype("<V2").unwrap(), (DType::BF16, !is_other));
        assert_eq!(dtype(">V2").unwrap(), (DType::BF16, is_other));
        for descr in ["g", "G", "bfloat16", "S3", "O9", "U", "V2", "V8", "<V8", "doubles"] {
            assert_eq!(dtype(descr).unwrap_err().code(), "PX086", "{descr}");
        }
    }

    #[test]
    fn an_encoded_header_is_read_back() {
        for &dtype in DType::ALL {
            for shape in [&[][..], &[0], &[7], &[12, 0, 5]] {
                let bytes = encode(dtype, shape, Path::new("a.npy")).unwrap();
                assert_eq!(bytes.len() % 64, 0);
                let header = read(&bytes).unwrap();
                assert_eq!((header.dtype, header.swapped), (dtype, false));
                assert_eq!((header.fortran_order, &header.shape[..]), (false, shape));
                assert_eq!(header.data_offset, bytes.len() as u64);
            }
        }
    }

    #[test]
    fn foreign_dtypes_are_refused() {
        for descr in ["'<M8[ns]'", "'<U5'", "'<f16'", "'|V2'", "'f9'", "''", "[('a', '<i4')]"] {
            let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (), }}");
            let error = read(&file(1, &text)).unwrap_err();
            assert_eq!(error.code(), "PX086", "{descr}: {error}");
            assert!(error.hint().contains("astype"));
        }
        let text = "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }";
        let error = read(&file(1, text)).unwrap_err();
        assert!(matches!(&error, IoError::ObjectArray { descr, .. } if descr == "|O"));
    }

    #[test]
    fn bad_headers_are_errors() {
        let syntax = |text: &str| match problem(text) {
            HeaderProblem::Syntax { at, .. } => at,
            other => panic!("{other} of {text}"),
        };
        assert_eq!(syntax(""), 0);
        assert_eq!(syntax("{'descr'"), 8);
        assert_eq!(syntax("{'descr': '<f8"), 10);
        assert_eq!(syntax("{'descr': [('a'"), 15);
        assert_eq!(syntax("{'descr': '<f8', 'descr': '<f8'}"), 17);
        assert_eq!(syntax("{'colour': 1}"), 1);
        assert_eq!(syntax("{'fortran_order': 1}"), 18);
        assert_eq!(syntax("{'shape': (-1,)}"), 11);
        assert_eq!(syntax("{'shape': (1 2)}"), 13);
        assert_eq!(syntax("{'shape': (9999999999999999999999999999999999999999,)}"), 11);
        let whole = "{'descr': '<f8', 'fortran_order': False, 'shape': ()}";
        assert_eq!(syntax(&format!("{whole} x")), whole.len() + 1);
        assert_eq!(problem("{'shape': ()}"), HeaderProblem::MissingKey { key: "descr" });
        assert_eq!(problem("{}"), HeaderProblem::MissingKey { key: "descr" });

        let mut version = file(1, whole);
        version[6] = 4;
        let error = read(&version).unwrap_err();
        let problem = HeaderProblem::Version { major: 4, minor: 0 };
        assert_eq!(error, IoError::Header { path: "a.npy".into(), problem });

        let mut not_text = file(1, whole);
        not_text[12] = 0xff;
        assert!(matches!(
            read(&not_text),
            Err(IoError::Header { problem: HeaderProblem::NotText, .. })
        ));
    }

    #[test]
    fn long_and_cut_headers_are_errors() {
        // A header that claims four gigabytes must not cause an allocation of that size.
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&[2, 0, 0xff, 0xff, 0xff, 0xff]);
        assert!(matches!(
            read(&bytes),
            Err(IoError::Header {
                problem: HeaderProblem::TooLong { length: 0xffff_ffff, .. },
                ..
            })
        ));
        let whole = encode(DType::F64, &[2], Path::new("a.npy")).unwrap();
        for length in 0..whole.len() {
            let error = read(&whole[..length]).unwrap_err();
            let code = if length < 6 { "PX082" } else { "PX084" };
            assert_eq!(error.code(), code, "{length}: {error}");
        }
        let zip = read(b"PK\x03\x04 and so on").unwrap_err();
        assert!(zip.hint().contains(".npz"));
    }

    #[test]
    fn sizes_that_cannot_be_addressed_are_errors() {
        for shape in
            ["(9223372036854775807,)", "(4294967296, 4294967296)", "(0, 9223372036854775808)"]
        {
            let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}");
            assert_eq!(read(&file(1, &text)).unwrap_err().code(), "PX087", "{shape}");
        }
    }
}
