//! Writes the device functions of the CUDA text: `cuda_prelude DIRECTORY`.
//!
//! `everything.cu` has all of them; `functions.tsv` names each function (kind, name, output dtype,
//! operand dtypes); `NAME.TYPES.cu` has the text that a kernel with only that function gets.

use phalanx_device::cuda::with_words;
use phalanx_kernels::cuda::prelude::{self, Uses};
use std::fmt::Write as _;
use std::path::Path;

fn text(uses: &Uses) -> String {
    with_words(&prelude::text(uses))
}

fn main() -> std::io::Result<()> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let directory = Path::new(&directory);
    let everything = Uses::everything();
    std::fs::write(directory.join("everything.cu"), text(&everything))?;
    let mut table = String::from("kind\tname\toutput\toperands\n");
    let mut write = |kind: &str, name: &str, output: &str, operands: &str, uses: Uses| {
        let _ = writeln!(table, "{kind}\t{name}\t{output}\t{operands}");
        std::fs::write(directory.join(format!("{name}.{operands}.cu")), text(&uses))
    };
    for (op, inputs) in &everything.ops {
        let signature = op.signatures().iter().find(|signature| signature.inputs() == inputs);
        let output = signature.map_or("", |signature| signature.output.name());
        let operands: Vec<_> = inputs.iter().map(|dtype| dtype.name()).collect();
        let ops = [(*op, inputs.clone())].into_iter().collect();
        let uses = Uses { ops, ..Uses::default() };
        write("op", &format!("op_{op}"), output, &operands.join(","), uses)?;
    }
    for &(from, to) in &everything.casts {
        let uses = Uses { casts: [(from, to)].into_iter().collect(), ..Uses::default() };
        write("cast", &format!("cast_{to}"), to.name(), from.name(), uses)?;
    }
    for &(monoid, dtype) in &everything.monoids {
        let uses = Uses { monoids: [(monoid, dtype)].into_iter().collect(), ..Uses::default() };
        write("monoid", &format!("combine_{monoid}"), dtype.name(), dtype.name(), uses)?;
    }
    std::fs::write(directory.join("functions.tsv"), table)
}
