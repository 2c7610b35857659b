"""Ends, grids, bins and other arguments at the limits of functions, compared with NumPy's answer:
its elements, its dtype, its layout in memory, the class of its error and its warnings."""

import warnings

import numpy
import pytest

import phalanx as np

# Texts of warnings that are not compared: those of floating-point errors.
NOT_COMPARED = [" encountered in "]
if numpy.lib.NumpyVersion(numpy.__version__) >= "2.5.0":
    # An `out` of another kind in `take` and `compress`, which we accept without a warning.
    NOT_COMPARED.append("Implicit casting of output to a different kind is deprecated")


def answered(module, text):
    """The answer, or the error, and the warnings that are compared."""
    def array(*words, **keywords):
        return module.asarray(numpy.array(*words, **keywords))

    names = {"m": module, "A": array, "nan": numpy.nan, "f4": numpy.float32, "i1": numpy.int8}
    names |= {"a": array([[0.0, 1, 2], [3, 4, 5]]), "c": array([[1j, 1, 2], [3, 4, 5]])}
    names |= {"none": array(numpy.zeros((0, 3))), "nans": array([[nan, 1], [nan, 2]])}
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        try:
            answer = eval(text, names)
            for one in answer if isinstance(answer, tuple) else (answer,):
                _ = one if one is None else numpy.asarray(one)
        except Exception as error:  # Both sides are compared.
            answer = error
    told = {(one.category, str(one.message)) for one in met}
    return answer, {one for one in told if not any(part in one[1] for part in NOT_COMPARED)}


nan = numpy.nan


def same(ours, theirs, text):
    if isinstance(theirs, Exception):
        known = [kind for kind in type(theirs).__mro__ if kind.__module__ == "builtins"]
        assert isinstance(ours, known[0]), (text, ours, theirs)
        return
    assert not isinstance(ours, Exception), (text, ours)
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs), text
        for one, other in zip(ours, theirs):
            same(one, other, text)
        return
    if theirs is None:
        assert ours is None, text
        return
    theirs = numpy.asarray(theirs)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), text
    tolerance = 1e-6 if theirs.dtype in ("f4", "c8") else 1e-12
    numpy.testing.assert_allclose(ours.get(), theirs, rtol=tolerance, atol=1e-14, err_msg=text)


def compare(text):
    ours, warned = answered(np, text)
    theirs, expected = answered(numpy, text)
    same(ours, theirs, text)
    if not isinstance(theirs, Exception):
        assert warned == expected, text


RANGES = """
m.geomspace(1,1000,4)
m.geomspace(-1,-1000,4)
m.geomspace(-1,1000,4)
m.geomspace(1j,1000j,4)
m.geomspace(-1+0j,1+0j,5)
m.geomspace(1+2j,3-4j,7)
m.geomspace(1+2j,3-4j,7,endpoint=False)
m.geomspace(1+2j,3-4j,7,dtype="c8")
m.geomspace(1+2j,3-4j,3,dtype="f8")
m.geomspace(1,16,5,dtype=int)
m.geomspace(1,16,5,dtype="f4")
m.geomspace(1,16,5,dtype=complex)
m.geomspace(-1,16,5,dtype=complex)
m.geomspace([1,2],[10,20],3)
m.geomspace([1,2],[10,20],3,axis=1)
m.geomspace([1,2],[10,20],3,axis=-1)
m.geomspace([-1,2],[-10,20],3)
m.geomspace([1,2],16,5)
m.geomspace([[1],[2]],[16,32],5)
m.geomspace([[1],[2]],[16,32],5,axis=2)
m.geomspace([[1],[2]],[16,32],5,axis=1)
m.geomspace([1,2],[1,2,3],5)
m.geomspace([1,0],[1,2],5)
m.geomspace([1,2],[1,0],5)
m.geomspace(0,1)
m.geomspace(1,0j)
m.geomspace(A([1,2],"f4"),A([3,4],"f4"),3)
m.geomspace(A([1,2],"f4"),A([3,4],"f4"),3,dtype="f4")
m.geomspace(A([1,2],"c8"),A([3,4],"c8"),3)
m.geomspace(A([1,2],"i2"),A([3,4],"i2"),3)
m.geomspace(f4(2),f4(8),3)
m.geomspace(f4(2),8,3,dtype="f4")
m.geomspace(1,2,0)
m.geomspace(1,2,1)
m.geomspace([1,3],2,1)
m.geomspace([1,3],2,0)
m.geomspace(1,2,-1)
m.geomspace(True,8,4)
m.geomspace(1,256,9)
m.geomspace("a",2)
m.geomspace(1,2,3,axis=1)
m.geomspace([],[],3)
m.geomspace([1j,2],[3,4j],4)
m.geomspace(1,nan,3)
m.logspace([0,1],[2,3],3)
m.logspace([0,1],[2,3],3,axis=1)
m.logspace([0,1],2,3,base=[2,3])
m.logspace(0,2,3,base=[2,3])
m.logspace(0,2,3,base=[2.0,3.0],axis=-1)
m.logspace([[0],[1]],2,3,base=[2.0,3.0],axis=-1)
m.logspace([[0],[1]],2,3,base=[2.0,3.0],axis=1)
m.logspace([[0],[1]],2,3,base=[2.0,3.0])
m.logspace([0,1],2,3,base=[[2.0],[3.0]])
m.logspace([0,1],2,3,base=2)
m.logspace(0,2,3,base=2)
m.logspace(0,2,3,base=2j)
m.logspace(0,2,3,base=f4(2))
m.logspace(0,2,3,base=A(2,"f4"))
m.logspace(A([0,1],"f4"),A([2,3],"f4"),3,base=A([2,3],"f4"))
m.logspace(A([0,1],"f4"),A([2,3],"f4"),3,base=A([2,3],"f8"))
m.logspace(A([0,1],"f4"),A([2,3],"f4"),3,base=2)
m.logspace(A([0,1],"f4"),A([2,3],"f4"),3)
m.logspace(0,2,3,base=[2,3],dtype=int)
m.logspace(0,2,3,base=[2,3],dtype="f4")
m.logspace(0,2j,3,base=[2,3],dtype="f4")
m.logspace(0,2,3,base=[2j,3],dtype="f4")
m.logspace([0,1],[2,3,4],3)
m.logspace([0,1],2,3,base=[2,3,4])
m.logspace(0,2,3,base=[2,3],axis=2)
m.logspace(0,2,0,base=[2,3])
m.logspace(0,2,1,base=[2,3])
m.logspace(0,2,3,endpoint=False,base=[2,3])
m.logspace(0,2,3,base=-2)
m.logspace(0,2,3,base=None)
m.logspace(0,2,3,base="a")
m.logspace(0,2,3,base=[])
m.logspace(0,2,3,base=[[]])
m.linspace([0,1],[2,3],3)
m.linspace([0,1],[2,3],3,axis=1)
m.linspace([0,1],[2,3],3,axis=-1,retstep=True)
m.linspace([0,1],[2,3],1,retstep=True)
m.linspace([0,1],[2,3],0,retstep=True)
m.linspace(0,1,1,retstep=True)
m.linspace(0,1,3,retstep=True)
m.linspace([0,1],[0,3],3,retstep=True)
m.linspace(0,1,3,axis=1)
m.linspace([0,1],[[2],[3]],3,axis=1)
m.linspace([0,1],[2,3],3,dtype=int)
m.linspace([0,1],[-2,-3],3,dtype=int)
m.linspace([0,1],[2,3],3,dtype="f4",retstep=True)
m.linspace(A([0,1],"f4"),A([2,3],"f4"),3,retstep=True)
m.linspace(A([0,1],"f4"),1,3,retstep=True)
m.linspace(A([0,1],"f2"),f4(1),3)
m.linspace([0,1j],[2,3],3)
m.linspace(0,1j,3,retstep=True)
m.linspace(A([0,1],bool),A([1,1],bool),3)
m.linspace(True,False,3)
m.linspace(0,[],3)
m.linspace([],[],3,axis=1)
m.linspace(0,1,3,dtype=bool)
m.linspace(0,2**63,3)
m.linspace(0,1,2.0)
m.linspace("a",1)
m.linspace([0,1],[1,2],3,endpoint=False,retstep=True)
m.linspace(m.inf,1,3)
m.linspace([0,m.inf],[1,2],3)
m.linspace(0,5e-324,4)
m.linspace([0,1],[5e-324,3],4)
m.arange(0,3+2j)
m.arange(3+2j)
m.arange(0,1j)
m.arange(1j,4+5j,1+1j)
m.arange(0,3+3j,0j)
m.arange(0,3+3j,1,dtype="f4")
""".strip().splitlines()

GRIDS = """
m.mgrid[:]
m.mgrid[0:1j]
m.mgrid[0:5]
m.ogrid[:]
m.ogrid[:,:]
m.mgrid[:,:3]
m.ogrid[0:5j]
m.mgrid[5]
m.mgrid[5,6]
m.ogrid[1:,2:4]
m.mgrid[()]
m.ogrid[()]
m.mgrid[:5.5]
m.mgrid[3:]
m.mgrid[3.5::2]
m.ogrid[3:]
m.mgrid[:5:0.5]
m.mgrid[1:5:3j, 0:3]
m.mgrid[0:5:0]
m.mgrid[0:5:0,0:2]
m.mgrid[5:0]
m.mgrid[0:3,]
m.ogrid[0:3,]
m.mgrid[0:1j,0:2]
m.ogrid[0:1j,0:2]
m.mgrid[0j:1:3,0:2]
m.mgrid[0:5:2.5j]
m.mgrid[0j:5:3j]
m.mgrid[1j:5:3j]
m.mgrid[1j:5:3j,0:2]
m.ogrid[1j:5:3j,0:2:2j]
m.mgrid[0:5:3j,0:2:2j]
m.mgrid[::3j]
m.mgrid[::3j,0:2]
m.ogrid[::2]
m.mgrid["a":3]
m.mgrid["a":3,0:2]
m.mgrid[A(1):4]
m.mgrid[0:3:1,0:2:.5]
m.mgrid[None]
m.mgrid[...]
m.mgrid[:,:]
m.mgrid[0:5:-1]
m.mgrid[True:5]
m.mgrid[0:5:0j]
m.mgrid[0:5:1j]
m.mgrid[0:5:1j,0:3]
m.ogrid[0:5:3j,0:2:.5]
m.mgrid[i1(0):i1(3)]
m.mgrid[[0,1]:3]
m.r_[0:1:3j]
m.r_[:]
m.r_[0:1j]
m.ogrid[0:5:3j]
""".strip().splitlines()


@pytest.mark.parametrize("text", RANGES + GRIDS)
def test_ranges_and_grids(text):
    compare(text)


HISTOGRAMS = """
m.histogram2d([1.,1+2e-16,1+4e-16],[1,2,3],bins=10)
m.histogramdd([[1.],[1+2e-16],[1+4e-16]],bins=10)
m.histogramdd([[1.],[1+2e-16],[1+4e-16],[1.+9e-16]],bins=[7])
m.histogram2d(A([1,1+1e-7],"f4"),A([1,1+1e-7],"f4"),bins=10)
m.histogram2d(A([0,5e-324,1e-323]),A([0,5e-324,1e-323]),bins=5)
m.histogram2d([0,1,1,2],[0,1,1,2],bins=[[0,1,1,2],[0,0,1,1]])
m.histogram2d([0,1,1,2,0],[0,1,1,2,1],bins=[[0,0,1,1],[0,0,1,1]],density=True)
m.histogramdd([[0,0],[1,1],[2,2]],bins=[[0,0,0],[1,1,2,2]])
m.histogram2d([1e16,1e16+2],[1,2],bins=8,range=[[1e16,1e16+4],[0,3]])
m.histogram2d([1,2],[1,2],bins=[3,[1,1,2]],weights=[2,3])
m.histogram([0,1,1,2],bins=[0,1,1,2])
m.histogram([0,1,1,2],bins=[0,1,1,1])
m.histogram([0,1,1,2],bins=[0,0,0])
""".strip().splitlines()


@pytest.mark.parametrize("text", HISTOGRAMS)
def test_bins_without_a_width(text):
    compare(text)


SLICES = """
m.nanmean([nan,nan])
m.nanmean(nans,axis=0)
m.nanmean([])
m.nanmean(none,axis=0)
m.nanmean(A([], "i8"))
m.nanvar([nan])
m.nanvar(nans,axis=0)
m.nanstd([1.],ddof=1)
m.nanvar([1,2],ddof=2)
m.nanstd([])
m.nanmedian([nan,nan])
m.nanmedian(nans,axis=0)
m.nanmedian(nans,axis=1)
m.nanmedian([])
m.nanmedian(none,axis=0)
m.nanmedian(none.T,axis=0)
m.nanmedian([[nan]*3]*2)
m.nanmedian(A([], "i8"))
m.nanpercentile([nan,nan],50)
m.nanpercentile(nans,50,axis=0)
m.nanpercentile([],50)
m.nanpercentile(none,50,axis=0)
m.nanquantile([nan],[.5,.2])
m.nanquantile(A([], "i8"),.5)
m.median([])
m.median(none,axis=0)
m.median(none.T,axis=0)
m.median([nan])
m.percentile([],50)
m.average([])
m.average(none,axis=0)
m.average([],weights=[])
m.cov([1.])
m.cov([1.,2],ddof=2)
m.cov([1.,2],[3.,4])
m.cov([[1.],[2]])
m.cov([[1.],[2]],rowvar=False)
m.cov([[1.],[2]],bias=True)
m.cov([])
m.corrcoef([1.])
m.corrcoef([])
m.corrcoef([[1.,2],[1,1]])
m.cov(none[:, :2].T)
m.cov(none[:, :2])
m.mean([1.,2],where=[False,False])
m.mean([[1.,2],[1,2]],axis=0,where=[True,False])
m.mean([[1.,2],[1,2]],axis=0,where=[True,True])
m.var([1.,2],where=[False,False])
m.var([1.,2],where=[True,False],ddof=1)
m.std([1.],ddof=2)
m.var([])
m.mean([])
m.nanmean([1.,nan],where=[False,True])
m.nanvar([1.,nan,2],where=[True,True,False],ddof=1)
m.nanmax(A([[nan],[1]]),axis=1)
m.nanmean(A([nan],complex))
m.nanmean([],axis=0,keepdims=True)
m.nanmean(A([[nan],[nan]]),axis=(0,1),keepdims=True)
m.nanmedian(A([[nan]*700,[1.]*700]),axis=1)
m.nanvar(none.T,axis=0)
m.nanvar(none,axis=0)
m.mean(none.T,axis=1)
m.mean(none,axis=1)
m.nanmedian(A([nan],"f2"))
m.nanquantile([nan,nan],.5,weights=[1,1],method="inverted_cdf")
A([1.,2]).mean(where=A([False,False]))
m.nanmean([nan,1],out=A(0.))
m.nanmean(5.0)
m.nanmean(nan)
m.nanmean([nan],axis=1)
m.nanmedian([nan],axis=3)
m.nanvar([nan,1.],mean=2.)
m.nanstd([nan,1.],correction=1)
""".strip().splitlines()


@pytest.mark.parametrize("text", SLICES)
def test_warnings_of_slices_without_numbers(text):
    compare(text)


@pytest.mark.parametrize("order", "CFA")
@pytest.mark.parametrize("name, subscripts, shapes, fortran", [
    ("einsum", "ij->ji", [(2, 3)], 0), ("einsum", "ij->i", [(2, 3)], 0),
    ("einsum", "ij,jk->ik", [(2, 3), (3, 4)], 0), ("einsum", "ij,jk->ik", [(2, 3), (3, 4)], 1),
    ("einsum", "ij,jk->ik", [(2, 3), (3, 4)], 2), ("einsum", "ij,jk->ki", [(2, 3), (3, 4)], 0),
    ("einsum", "ij,ij->ji", [(2, 3), (2, 3)], 2), ("einsum", "ij,k->ijk", [(2, 3), (4,)], 0),
    ("matmul", None, [(2, 3), (3, 4)], 0), ("matmul", None, [(2, 3), (3, 4)], 2),
    ("matmul", None, [(5, 2, 3), (5, 3, 4)], 2), ("matmul", None, [(5, 2, 3), (3, 4)], 1),
    ("vecdot", None, [(5, 2, 3), (5, 2, 3)], 0), ("matvec", None, [(5, 2, 3), (3,)], 0),
])
def test_products_lie_in_the_order_that_is_asked_for(order, name, subscripts, shapes, fortran):
    told = []
    for module in (np, numpy):
        made = [numpy.arange(float(numpy.prod(shape))).reshape(shape) for shape in shapes]
        made = [numpy.asfortranarray(one) if place < fortran else one
                for place, one in enumerate(made)]
        arrays = [module.asarray(one, order="K") for one in made]
        words = arrays if subscripts is None else [subscripts, *arrays]
        result = getattr(module, name)(*words, order=order)
        told.append((result.strides, result.flags.c_contiguous, result.flags.f_contiguous,
                     result.base is None, result.tolist()))
    assert told[0] == told[1]


ARGUMENTS = """
m.matmul(a,a.T,axis=5)
m.matmul(a,a.T,axis=0)
m.matmul(a,a.T,keepdims=True)
m.matmul(a,a.T,keepdims=False)
m.matmul(a,a.T,axis=None)
m.matvec(a,a[0],axis=-1)
m.vecmat(a[:,0],a,axis=5)
m.vecdot(a,a,axis=5)
m.matmul(a,a.T,axis="x")
m.matmul(a,a.T,axis=0,axes=[(0,1)]*3)
m.matmul(a,a.T,keepdims="x")
m.matvec(a,a[0],keepdims=True)
m.add.accumulate(a,axis=None)
m.add.accumulate(m.arange(3),axis=None)
m.add.accumulate(m.float64(3),axis=None)
m.add.accumulate(a,axis=(0,))
m.add.accumulate(a,axis=(0,1))
m.add.accumulate(m.arange(3),axis=())
m.add.accumulate(a,axis=5)
m.add.accumulate(3)
m.add.accumulate(a,axis="x")
m.add.accumulate(a,axis=1.0)
m.add.reduceat(a,[0,1],axis=None)
m.add.reduceat(m.arange(3),[0,1],axis=None)
m.add.reduceat(a,[0,1],axis=(0,))
m.add.reduceat(a,[0,1],axis=(0,1))
m.insert(m.arange(3),1.5,9)
m.insert(m.arange(3),[1.5],9)
m.insert(m.arange(3),[1.0,2.0],9)
m.insert(m.arange(3),1.0,9)
m.insert(m.arange(3),[],9)
m.insert(m.arange(3),m.array([]),9)
m.insert(m.arange(3),m.array([1.5]),9)
m.insert(m.arange(3),m.array(1.0),9)
m.insert(m.arange(3),"a",9)
m.insert(m.arange(3),None,9)
m.insert(m.arange(3),1j,9)
m.insert(m.arange(3),[[0,1]],9)
m.delete(m.arange(3),1.5)
m.delete(m.arange(3),1.0)
m.delete(m.arange(3),[1.5])
m.delete(m.arange(3),[])
m.delete(m.arange(3),m.array([]))
m.delete(m.arange(3),None)
m.delete(m.arange(3),"a")
m.delete(m.arange(3),1j)
""".strip().splitlines()

OUTPUTS = """
m.add(c,c,out=m.zeros((2,3)))
m.add(c,c,out=m.zeros((2,3)),casting="unsafe")
m.sum(c,out=m.zeros(()))
m.sum(c,axis=0,out=m.zeros(3))
m.prod(c,out=m.zeros(()))
m.mean(c,out=m.zeros(()))
m.var(c,out=m.zeros(()))
m.std(c,out=m.zeros(()))
m.cumsum(c,out=m.zeros(6))
m.max(c,out=m.zeros(()))
m.take(c,[0],out=m.zeros(1))
m.clip(c,0,1,out=m.zeros((2,3)))
m.clip(c,0,1,out=m.zeros((2,3)),casting="unsafe")
m.clip(m.arange(3.0),0,1,out=m.zeros((2,3)))
m.clip(m.arange(3.0),0,1,out=m.zeros((1,)))
m.clip(m.ones((1,3)),0,1,out=m.zeros(3))
m.clip(m.ones(1),0,1,out=m.zeros(1),where=A([True]*3))
m.clip(m.ones(1),0,1,out=m.zeros(1),where=A([[True]]))
m.clip(m.arange(3),0,1,out=m.zeros(3,"f4"))
m.add(m.ones(1),1,out=m.zeros(1),where=A([True,False,True]))
m.add(m.ones(1),1,out=m.zeros(1),where=A([[True]]))
m.add(m.ones(1),1,out=m.zeros((2,3)),where=A([True,False,True]))
m.frexp(m.ones(1),out=(m.zeros(1),m.zeros(1,"i4")),where=A([[True]]))
m.dot(c,c.T,out=m.zeros((2,2)))
m.matmul(c,c.T,out=m.zeros((2,2)))
m.matmul(c,c.T,out=m.zeros((2,2)),casting="unsafe")
m.einsum("ij->ji",c,out=m.zeros((3,2)))
m.einsum("ij->i",c,out=m.zeros(2),casting="unsafe")
m.concatenate([c,c],out=m.zeros((4,3)))
m.concatenate([c,c],out=m.zeros((4,3)),casting="unsafe")
m.stack([c,c],out=m.zeros((2,2,3)),casting="unsafe")
m.add.reduce(c,out=m.zeros(3))
m.add.accumulate(c,out=m.zeros((2,3)))
m.add.reduceat(c,[0],out=m.zeros((1,3)))
m.add.outer(c,c,out=m.zeros((2,3,2,3)),casting="unsafe")
m.choose([0,0],[c[0,0],1],out=m.zeros(2))
m.compress([True],c,axis=0,out=m.zeros((1,3)))
m.trace(c,out=m.zeros(()))
m.nansum(c,out=m.zeros(()))
m.nanmean(c,out=m.zeros(()))
m.median(c,out=m.zeros(()))
m.outer(c,c,out=m.zeros((6,6)))
c.mean(out=m.zeros(()))
m.nanpercentile(a,50,out=m.zeros((),"i4"))
m.sqrt(c,out=m.zeros((2,3)),casting="unsafe")
m.subtract(c,1,m.zeros((2,3)),casting="unsafe")
m.divmod(a,1,out=(m.zeros((2,3),int),None),casting="unsafe")
m.nanmedian(nans, axis=0, out=m.zeros(2))
m.nanpercentile(a, 50, axis=0, out=m.zeros(3, "i4"))
m.percentile(a, 50, axis=0, out=m.zeros(3, "i4"))
m.max(c, axis=0, out=m.zeros(3))
m.var(c, axis=0, out=m.zeros(3))
m.logical_or.reduce(c, out=m.zeros(3))
m.full_like(a, 1j)
""".strip().splitlines()


@pytest.mark.parametrize("text", ARGUMENTS + OUTPUTS)
def test_arguments_and_outputs(text):
    compare(text)


@pytest.mark.parametrize("text", """
a.flat[:] = c
a.flat[0] = 1j
a.flat[0] = c[0, 0]
a.flat[0:2] = 1j
a.flat[0:2] = [1j, 2]
a.flat[[0, 1]] = [1j, 2]
a.flat[[0, 1]] = c[0]
a.flat[[0, 1]] = [7, 8]
a.flat[4] = "9"
a.flat = c
a.flat = 1j
a.flat = [1j]
a.flat = [7, 8]
""".strip().splitlines())
def test_writes_to_flat(text):
    told = []
    for module in (np, numpy):
        names = {"a": module.asarray([[0.0, 1, 2], [3, 4, 5]])}
        names["c"] = module.asarray([[1j, 1, 2], [3, 4, 5]])
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter("always")
            try:
                exec(text, names)
                error = None
            except (TypeError, ValueError) as raised:
                error = TypeError if isinstance(raised, TypeError) else ValueError
        told.append((error, [one.category for one in met], names["a"].tolist()))
    assert told[0] == told[1]


@pytest.mark.parametrize("shape", [(3, 2), (6,), 6, (2, 3), (1, 6, 1), (-1, 6), 1.5, "x", None, ()])
@pytest.mark.parametrize("form", ["a", "a.T", "a[0]", "a[:, ::2]", "a[:1, :1].copy()"])
def test_arrays_are_resized_in_place_to_as_many_elements(form, shape):
    told = []
    for module in (np, numpy):
        array = eval(form, {"a": module.arange(6.0).reshape(2, 3).copy()})
        try:
            result = array.resize(shape)
            told.append((result, array.shape, array.strides, array.tolist()))
        except (TypeError, ValueError) as error:
            told.append(TypeError if isinstance(error, TypeError) else ValueError)
    extents = (shape,) if isinstance(shape, int) else shape
    if isinstance(extents, tuple) and numpy.prod(extents) != eval(form, {"a": numpy.ones((2, 3))}).size:
        # Our arrays keep their number of elements.
        assert told[0] is ValueError
        return
    assert told[0] == told[1]


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_ufuncs_make_results_in_the_order_that_is_asked_for(order):
    rows = numpy.arange(6.0).reshape(2, 3)
    for first, second in [(rows, rows), (rows.T, rows.T), (rows, rows.T.copy().T), (rows, 2)]:
        expected = numpy.add(first, second, order=order)
        ours = [np.asarray(x) if isinstance(x, numpy.ndarray) else x for x in (first, second)]
        found = np.add(*ours, order=order)
        assert found.flags.f_contiguous == expected.flags.f_contiguous
        assert found.flags.c_contiguous == expected.flags.c_contiguous
        numpy.testing.assert_array_equal(found.get(), expected)


COMPLEX = [1 + 1j, complex(numpy.nan, 2), complex(3, numpy.nan), complex(numpy.nan, numpy.nan), -2 + 0j, complex(numpy.inf, 1)]


@pytest.mark.parametrize("name", ["max", "min", "nanmax", "nanmin", "ptp"])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_of_complex_numbers_that_are_nan_the_first_wins(name, dtype):
    draw = numpy.random.default_rng(5)
    for shape in [(1,), (2,), (3,), (17,), (4, 5), (2, 3, 4), (300, 3)]:
        for _ in range(6):
            x = draw.choice(numpy.array(COMPLEX, dtype), shape)
            for axis in [None, 0, -1]:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    expected = getattr(numpy, name)(x, axis=axis)
                    found = getattr(np, name)(np.asarray(x), axis=axis).get()
                # assert_array_equal takes every NaN for every other one.
                assert numpy.array_equal(expected.real, found.real, equal_nan=True), (x, axis)
                assert numpy.array_equal(expected.imag, found.imag, equal_nan=True), (x, axis)


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_extremes_by_ufuncs_keep_the_first_nan(name):
    draw = numpy.random.default_rng(6)
    for shape in [(1,), (2,), (5,), (4, 5)]:
        for _ in range(20):
            x = draw.choice(numpy.array(COMPLEX), shape)
            expected = getattr(numpy, name).reduce(x)
            found = getattr(np, name).reduce(np.asarray(x)).get()
            assert numpy.array_equal(expected.real, found.real, equal_nan=True), x
            assert numpy.array_equal(expected.imag, found.imag, equal_nan=True), x
