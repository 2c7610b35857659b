//! Plans for meshes that this machine does not have.

use phalanx_array::{Error, zeros};
use phalanx_collectives::{NCCL_PRICE, Prices};
use phalanx_distributed::Policy;
use phalanx_ops::{DType, Index, Mesh};
pub use phalanx_scheduler::planning::{Priced, null_mesh};

/// The prices of GPUs in a process each, whose messages NCCL carries.
pub fn gpus_apart(prices: Prices) -> Priced {
    Priced { prices, plane: NCCL_PRICE.to_owned() }
}

/// The plan of one diffusion step on a grid of this shape, over the given number of null devices.
pub fn diffusion_step(devices: usize, shape: [usize; 2]) -> String {
    let mesh = null_mesh(Mesh::line(devices), Policy::default(), None);
    mesh.enter(|| {
        let grid = zeros(shape, DType::F64);
        let planned = (|| {
            grid.evaluate()?;
            let view = |rows: Index, columns: Index| grid.slice([rows, columns]);
            let range = |start, stop| Index::Range { start: Some(start), stop, step: 1 };
            let inner = range(1, Some(-1));
            let neighbours = view(range(0, Some(-2)), inner)
                + view(range(2, None), inner)
                + view(inner, range(0, Some(-2)))
                + view(inner, range(2, None));
            let change = (neighbours - 4.0 * view(inner, inner)) * 0.2;
            view(inner, inner).add_assign(&change);
            grid.explain()
        })();
        planned.unwrap_or_else(|error: Error| error.to_string())
    })
}
