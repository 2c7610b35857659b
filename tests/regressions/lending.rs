//! Elements lent to another library for writing.

use super::on_lines;
use phalanx::{HostArray, arange, s, zeros};

fn code<T>(result: Result<T, phalanx::Error>) -> &'static str {
    result.err().expect("the use is refused").code()
}

#[test]
fn elements_that_are_lent_are_not_used_and_others_are() {
    on_lines(|| {
        let x = arange(0, 12, 1).reshape([3, 4]).astype(phalanx::DType::F64);
        let last = x.slice(s![2]);
        let (host, loan) = last.lend().unwrap();
        assert_eq!(host, HostArray::from_slice(&[8.0, 9.0, 10.0, 11.0], &[4]));
        assert_eq!(code(x.to_host()), "PX039");
        assert_eq!(code((&x + 1).ok()), "PX039");
        assert_eq!(code(x.slice(s![1.., 0]).to_host()), "PX039");
        assert_eq!(code(last.try_assign(0)), "PX039");
        assert_eq!(code(last.lend().map(drop)), "PX039");
        x.slice(s![1]).try_assign(5).unwrap();
        assert_eq!(x.slice(s![1]).to_vec::<f64>().unwrap(), [5.0; 4]);
        loan.end(&HostArray::from_slice(&[1.0, 2.0, 3.0, 4.0], &[4])).unwrap();
        let expected = [0.0, 1.0, 2.0, 3.0, 5.0, 5.0, 5.0, 5.0, 1.0, 2.0, 3.0, 4.0];
        assert_eq!(x.to_vec::<f64>().unwrap(), expected);
    });
}

#[test]
fn a_loan_that_is_dropped_leaves_the_elements() {
    on_lines(|| {
        let x = zeros([5], phalanx::DType::F64);
        drop(x.lend().unwrap());
        assert_eq!(x.to_vec::<f64>().unwrap(), [0.0; 5]);
        let (_, loan) = x.lend().unwrap();
        assert_eq!(code(loan.end(&HostArray::from_slice(&[1.0, 2.0], &[2]))), "PX002");
        // Reads must not return the old elements instead of the written ones.
        assert_eq!(code(x.to_host()), "PX002");
    });
}

/// The element of a value without axes was read although it was lent.
#[test]
fn a_known_element_that_is_lent_is_not_used() {
    on_lines(|| {
        let x = zeros((), phalanx::DType::F64);
        let (_, loan) = x.lend().unwrap();
        assert_eq!(code(x.item::<f64>()), "PX039");
        assert_eq!(code((&x + 1).into_result()), "PX039");
        loan.end(&HostArray::from_slice(&[2.0], &[])).unwrap();
        assert_eq!(x.item::<f64>().unwrap(), 2.0);
    });
}
