//! A kernel with arguments, run in every way and compared with the reference.

use super::reference::evaluate;
use phalanx_kernels::cpu::{LaneChoice, Tuning, compile};
use phalanx_kernels::ir::{AccessArgument, GuardArgument, Kernel, Launch, Role, parse, verify};
use phalanx_ops::{DType, Scalar, Weak};
use rayon::ThreadPool;
use std::sync::LazyLock;

/// Thread pools of 2 and 3 threads.
static POOLS: LazyLock<Vec<ThreadPool>> = LazyLock::new(|| {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    [2, 3].map(|threads| pool(threads).expect("threads start")).into()
});

/// A small deterministic generator.
#[derive(Clone, Debug)]
pub struct Generator(pub u64);

impl Generator {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A small number, often with a fraction where the dtype has one.
    pub fn scalar(&mut self, dtype: DType) -> Scalar {
        let number = self.next() as i8 as f64 / 8.0 + (self.next() as u16 as f64) * 2f64.powi(-20);
        match dtype.kind() {
            _ if dtype == DType::Bool => Scalar::new(self.below(2) == 1),
            _ if dtype.is_complex() => {
                let im = self.next() as i8 as f64 / 16.0;
                Scalar::from_weak(dtype, Weak::from(num_complex::Complex64::new(number, im)))
            }
            _ if dtype.is_integer() => {
                Scalar::from_weak(dtype, Weak::Int(i128::from(self.next() as i8)))
            }
            _ => Scalar::from_weak(dtype, Weak::Float(number)),
        }
    }
}

/// A kernel, its buffers and the arguments of a launch.
#[derive(Clone, Debug)]
pub struct Case {
    pub kernel: Kernel,
    pub extents: Vec<usize>,
    pub origins: Vec<i64>,
    /// The elements of each parameter.
    pub buffers: Vec<Vec<Scalar>>,
    /// For each access the element offset, and the byte strides.
    pub accesses: Vec<(isize, Vec<isize>)>,
    pub scalars: Vec<Scalar>,
    pub guards: Vec<Vec<(i64, i64)>>,
}

impl Case {
    /// The kernel of a text, with extents; buffers are empty.
    pub fn new(text: &str, extents: &[usize]) -> Case {
        let kernel = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        verify(&kernel).unwrap_or_else(|error| panic!("{error}\n{text}"));
        Case::of(kernel, extents)
    }

    pub fn of(kernel: Kernel, extents: &[usize]) -> Case {
        Case {
            origins: vec![0; extents.len()],
            extents: extents.to_vec(),
            buffers: vec![Vec::new(); kernel.params.len()],
            accesses: vec![(0, Vec::new()); kernel.accesses.len()],
            scalars: Vec::new(),
            guards: Vec::new(),
            kernel,
        }
    }

    /// Gives parameter `param` `count` random elements.
    pub fn random(mut self, param: usize, count: usize) -> Case {
        let mut generator = Generator(param as u64 + 1);
        let dtype = self.kernel.params[param].dtype;
        self.buffers[param] = (0..count).map(|_| generator.scalar(dtype)).collect();
        self
    }

    /// Gives parameter `param` these elements.
    pub fn elements(mut self, param: usize, elements: Vec<Scalar>) -> Case {
        self.buffers[param] = elements;
        self
    }

    /// Starts access `access` at an element, with strides in elements.
    pub fn access(mut self, access: usize, start: isize, strides: &[isize]) -> Case {
        let param = self.kernel.accesses[access].param;
        let size = self.kernel[param].dtype.size() as isize;
        self.accesses[access] = (start, strides.iter().map(|stride| stride * size).collect());
        self
    }

    pub fn scalar(mut self, scalar: Scalar) -> Case {
        self.scalars.push(scalar);
        self
    }

    pub fn guard(mut self, bounds: &[(i64, i64)]) -> Case {
        self.guards.push(bounds.to_vec());
        self
    }

    pub fn origins(mut self, origins: &[i64]) -> Case {
        self.origins = origins.to_vec();
        self
    }

    pub fn memory(&self) -> Vec<Vec<u64>> {
        let pack = |elements: &Vec<Scalar>| {
            let bytes: Vec<u8> =
                elements.iter().flat_map(|element| element.bytes().to_vec()).collect();
            let words = bytes.chunks(8).map(|chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                u64::from_ne_bytes(word)
            });
            words.collect()
        };
        self.buffers.iter().map(pack).collect()
    }

    fn launch(&self, memory: &mut [Vec<u64>]) -> Launch {
        let accesses =
            self.kernel.accesses.iter().zip(&self.accesses).map(|(access, (start, strides))| {
                let size = self.kernel[access.param].dtype.size() as isize;
                let base = memory[access.param.index()].as_mut_ptr().cast::<u8>();
                AccessArgument {
                    pointer: base.wrapping_offset(start * size),
                    strides: strides.clone(),
                }
            });
        Launch {
            extents: self.extents.clone(),
            origins: self.origins.clone(),
            accesses: accesses.collect(),
            scalars: self.scalars.clone(),
            guards: self
                .guards
                .iter()
                .map(|bounds| GuardArgument { bounds: bounds.clone() })
                .collect(),
        }
    }

    pub fn results(&self, memory: &[Vec<u64>]) -> Vec<Vec<Scalar>> {
        let unpack = |(param, words): (usize, &Vec<u64>)| {
            let dtype = self.kernel.params[param].dtype;
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            let count = self.buffers[param].len();
            let element = |at: usize| Scalar::from_bytes(dtype, &bytes[at * dtype.size()..]);
            (0..count).map(element).collect()
        };
        memory.iter().enumerate().map(unpack).collect()
    }

    /// The buffers after a run of the reference.
    pub fn reference(&self) -> Vec<Vec<Scalar>> {
        let mut memory = self.memory();
        let launch = self.launch(&mut memory);
        // SAFETY: the cases of these tests stay inside their buffers.
        unsafe { evaluate(&self.kernel, &launch) };
        self.results(&memory)
    }

    /// The buffers after a run of the executor.
    pub fn run(&self, pool: Option<&ThreadPool>, tuning: &Tuning) -> Vec<Vec<Scalar>> {
        let compiled =
            compile(&self.kernel).unwrap_or_else(|error| panic!("{error}\n{}", self.kernel));
        let mut memory = self.memory();
        let launch = self.launch(&mut memory);
        // SAFETY: the cases of these tests stay inside their buffers.
        unsafe { compiled.run_tuned(&launch, pool, tuning) };
        self.results(&memory)
    }

    /// Compares every way to run the case with the reference, bit for bit, and returns the first
    /// output.
    pub fn check(&self) -> Vec<Scalar> {
        self.check_against(&self.reference())
    }

    /// Compares every way to run the case with expected buffers, bit for bit, and returns the first
    /// output.
    pub fn check_against(&self, expected: &[Vec<Scalar>]) -> Vec<Scalar> {
        let again = parse(&self.kernel.to_string()).expect("the printed kernel is read");
        assert_eq!(again, self.kernel, "{}", self.kernel);
        for lanes in [None, Some(LaneChoice::Grid), Some(LaneChoice::Loops)] {
            for width in [None, Some(1), Some(7), Some(64), Some(200)] {
                for threads in 1..=3usize {
                    let pool = threads.checked_sub(2).map(|pool| &POOLS[pool]);
                    let tuning = Tuning {
                        lanes,
                        width,
                        worthwhile: Some(0.0),
                        stream_from: (threads == 2).then_some(0),
                    };
                    let found = self.run(pool, &tuning);
                    self.compare(expected, &found, &format!("{tuning:?} with {threads} threads"));
                }
            }
        }
        super::cuda::check(self, expected);
        let first = self.kernel.params.iter().position(|param| param.role != Role::In);
        first.map_or(Vec::new(), |first| expected[first].clone())
    }

    fn compare(&self, expected: &[Vec<Scalar>], found: &[Vec<Scalar>], how: &str) {
        for (param, (expected, found)) in expected.iter().zip(found).enumerate() {
            let wrong = (0..expected.len()).find(|&at| !same(expected[at], found[at]));
            if let Some(at) = wrong {
                panic!(
                    "parameter {param}, element {at}: {:?} instead of {:?}; {how}, {:?}\n{}",
                    found[at], expected[at], self.extents, self.kernel
                );
            }
        }
    }
}

/// Equal bits, except that any two NaN are equal: the bits of a NaN are unspecified.
fn same(left: Scalar, right: Scalar) -> bool {
    let nan = |scalar: Scalar| match scalar.to_weak() {
        Weak::Float(value) => value.is_nan(),
        Weak::Complex(value) => value.re.is_nan() || value.im.is_nan(),
        _ => false,
    };
    left == right || (nan(left) && nan(right))
}
