// A special function FUNCTION of ARITY operands of type T.
struct Argument {
    u64 to, total;
    // For each operand its address, and whether it has an element for each one of the result.
    u64 operands[7], has_all[7];
};

KERNEL(256) special(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
#define AT(number) (f64)((const T*)a.operands[number])[a.has_all[number] ? i : 0]
#if ARITY == 1
        f64 result = FUNCTION(AT(0));
#elif ARITY == 2
        f64 result = FUNCTION(AT(0), AT(1));
#elif ARITY == 3
        f64 result = FUNCTION(AT(0), AT(1), AT(2));
#elif ARITY == 4
        f64 result = FUNCTION(AT(0), AT(1), AT(2), AT(3));
#elif ARITY == 5
        f64 result = FUNCTION(AT(0), AT(1), AT(2), AT(3), AT(4));
#elif ARITY == 6
        f64 result = FUNCTION(AT(0), AT(1), AT(2), AT(3), AT(4), AT(5));
#else
        f64 result = FUNCTION(AT(0), AT(1), AT(2), AT(3), AT(4), AT(5), AT(6));
#endif
        ((T*)a.to)[i] = (T)result;
    }
}
