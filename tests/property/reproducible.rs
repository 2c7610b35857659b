//! Random programs in reproducible mode, whose results must have the same bits on every mesh.

use crate::case::Case;
use crate::generate;

/// The seeds of the programs.
const SEEDS: u64 = 120;

const MESHES: [&[usize]; 6] = [&[2], &[3], &[4], &[8], &[2, 2], &[3, 2]];

/// The bits of the results of a program on a mesh.
fn bits(case: &Case, mesh: &[usize], reproducible: bool) -> Vec<(String, Vec<u8>)> {
    let case = Case { mesh: mesh.to_vec(), ..case.clone() };
    match case.bits(reproducible) {
        Ok(bits) => bits,
        Err(fault) => panic!("seed {} on mesh {mesh:?}: {fault}\n{case}", case.seed),
    }
}

#[test]
fn reproducible_programs_have_the_same_bits_on_every_mesh() {
    for seed in 0..SEEDS {
        let case = generate::case(seed, &[1]).without_shardings();
        let expected = bits(&case, &[1], true);
        for mesh in MESHES {
            let found = bits(&case, mesh, true);
            for ((name, expected), (_, found)) in expected.iter().zip(&found) {
                assert_eq!(found, expected, "seed {seed}, `{name}` on mesh {mesh:?}\n{case}");
            }
        }
    }
}

/// Otherwise the test above could not fail.
#[test]
fn ordinary_programs_have_other_bits_on_other_meshes() {
    let differs = |&seed: &u64| {
        let case = generate::case(seed, &[1]).without_shardings();
        bits(&case, &[1], false) != bits(&case, &[3], false)
    };
    assert!((0..1000).any(|seed| differs(&seed)), "no program depends on the order of its sums");
}
