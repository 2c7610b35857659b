//! Random programs on meshes of 1 to 8 devices, compared with a plain evaluator.
//!
//! Meshes of 1 and 3 devices run all seeds, the others a seeded eighth; with `PHALANX_TEST_FULL` all
//! run all. A failing case is reported as a small program with the seed that it came from.

mod case;
mod compare;
mod execute;
mod generate;
mod program;
mod random;
mod reference;
mod shrink;
mod views;

/// How many seeds there are.
const SEEDS: u64 = 2000;

/// Runs all seeds on a mesh, or every eighth one.
fn check(mesh: &[usize], whole: bool) {
    let whole = whole || std::env::var_os("PHALANX_TEST_FULL").is_some();
    let share = mesh.iter().fold(mesh.len(), |share, extent| share * 5 + extent) as u64 % 8;
    for seed in (0..SEEDS).filter(|seed| whole || seed % 8 == share) {
        let case = generate::case(seed, mesh);
        if let Err(fault) = case.run() {
            let (smallest, fault) = shrink::shrink(&case, fault);
            panic!("seed {seed} on mesh {mesh:?}, made smaller:\n\n{smallest}\n{fault}\n");
        }
    }
}

macro_rules! meshes {
    ($($name:ident $mesh:expr, $whole:expr;)*) => {$(
        #[test]
        fn $name() {
            check(&$mesh, $whole);
        }
    )*};
}

meshes! {
    programs_on_1_device [1], true;
    programs_on_2_devices [2], false;
    programs_on_3_devices [3], true;
    programs_on_4_devices [4], false;
    programs_on_8_devices [8], false;
    programs_on_2_by_1_devices [2, 1], false;
    programs_on_1_by_3_devices [1, 3], false;
    programs_on_2_by_2_devices [2, 2], false;
    programs_on_2_by_4_devices [2, 4], false;
    programs_on_4_by_2_devices [4, 2], false;
}
