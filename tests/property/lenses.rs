//! Views of components and of bytes, written and read, compared with NumPy's, program by program.
//!
//! `tests/conformance/lenses.py` writes the programs and defines their text; without them the test
//! reports that it was skipped.

use crate::views::{numbers, step};
use phalanx::{Array, Config, DType, HostArray, Limits, Mesh, Policy, Session};
use std::collections::BTreeMap;
use std::path::PathBuf;

const GRID: [(&str, usize); 2] = [("x", 2), ("y", 2)];

#[test]
fn components_and_bytes_are_those_of_numpy() {
    let Some(folder) = std::env::var_os("PHALANX_CONFORMANCE_DATA") else {
        println!("skipped: PHALANX_CONFORMANCE_DATA names no folder with NumPy's results");
        return;
    };
    let path = PathBuf::from(folder).join("lenses.tsv");
    let table = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", path.display()));
    assert!(table.lines().count() > 1000, "{} holds too few programs", path.display());
    let meshes =
        [(Mesh::line(1), 1), (Mesh::line(3), 1), (Mesh::line(4), 3), (Mesh::new(&GRID), 3)];
    for (mesh, share) in meshes {
        let config = Config::for_tests(mesh.devices()).threads(2);
        let policy = Policy { split_from: 1 };
        let session =
            Session::with_options(config, Some(mesh.clone()), policy, Limits::default()).unwrap();
        let faults: Vec<String> = session.handle().enter(|| {
            let programs = table.lines().skip(1).step_by(share);
            programs
                .filter_map(|line| check(line).err().map(|error| format!("{line}\n  {error}")))
                .collect()
        });
        session.finish().unwrap();
        let shown = faults.iter().take(5).map(String::as_str).collect::<Vec<_>>().join("\n");
        assert!(faults.is_empty(), "{} programs differ on {mesh}:\n{shown}", faults.len());
    }
}

fn check(line: &str) -> Result<(), String> {
    let (program, expected) =
        line.split_once('\t').unwrap_or_else(|| panic!("a line of one field: {line}"));
    let mut arrays = BTreeMap::new();
    for instruction in program.split('|') {
        carry_out(instruction, &mut arrays)?;
    }
    for array in expected.split('|').filter(|array| !array.is_empty()) {
        let [name, dtype, shape, strides, elements] = array.split(' ').collect::<Vec<_>>()[..]
        else {
            panic!("{array} is no array");
        };
        let found = get(&arrays, name);
        let shape: Vec<usize> = numbers(shape);
        if found.shape() != shape || found.dtype() != self::dtype(dtype) {
            return Err(format!("{name} has {:?} {}", found.shape(), found.dtype()));
        }
        let strides: Vec<isize> = numbers(strides);
        // Strides have no effect along an axis of one position, or in an array without elements.
        let matters = |axis: &usize| shape[*axis] != 1 && !shape.contains(&0);
        if (0..shape.len()).filter(matters).any(|axis| found.strides()[axis] != strides[axis]) {
            return Err(format!("{name} has strides {:?}", found.strides()));
        }
        let bytes = found.to_host().map_err(|error| error.to_string())?.bytes;
        if bytes != self::bytes(elements) {
            let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            return Err(format!("{name} holds {text}"));
        }
    }
    Ok(())
}

fn carry_out<'a>(
    instruction: &'a str,
    arrays: &mut BTreeMap<&'a str, Array>,
) -> Result<(), String> {
    let words: Vec<&str> = instruction.split(' ').collect();
    match words[..] {
        ["evaluate", of] => get(arrays, of).evaluate().map_err(|error| error.to_string())?,
        [to, "=", dtype, shape, elements] if dtype.len() > 1 => {
            arrays.insert(to, array(self::dtype(dtype), numbers(shape), elements));
        }
        [to, "=", of, ..] => {
            let view = step(&words[3..].join(" "), get(arrays, of));
            view.ok().map_err(|error| error.to_string())?;
            arrays.insert(to, view);
        }
        [to, "!", of, ..] => {
            if step(&words[3..].join(" "), get(arrays, of)).ok().is_ok() {
                return Err(format!("no error from {instruction}"));
            }
            arrays.remove(to);
        }
        [to, "<-", of] if of.len() > 1 => {
            let target = get(arrays, to);
            target.assign(array(target.dtype(), Vec::new(), of));
        }
        [to, "<-", of] => get(arrays, to).assign(get(arrays, of)),
        [to, "+=", of] => get(arrays, to).add_assign(get(arrays, of)),
        _ => panic!("{instruction} is no instruction"),
    }
    Ok(())
}

fn get<'a>(arrays: &'a BTreeMap<&str, Array>, name: &str) -> &'a Array {
    arrays.get(name).unwrap_or_else(|| panic!("there is no array {name}"))
}

fn array(dtype: DType, shape: Vec<usize>, elements: &str) -> Array {
    Array::from_host(&HostArray { dtype, shape, bytes: bytes(elements) })
}

fn bytes(text: &str) -> Vec<u8> {
    let digits = |at: usize| u8::from_str_radix(&text[at..at + 2], 16);
    let byte = |at: usize| digits(at).unwrap_or_else(|_| panic!("{text} is no bytes"));
    (0..text.len()).step_by(2).map(byte).collect()
}

pub fn dtype(name: &str) -> DType {
    let found = DType::ALL.iter().find(|dtype| dtype.name() == name);
    *found.unwrap_or_else(|| panic!("{name} is no dtype"))
}
