// Types and what every function uses. How these files are read: see sections.rs.

//# base:
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
#define DEVICE static __device__ __forceinline__
#define FAR static __device__ __noinline__
#define TABLE static __constant__ const

// A kernel's first statement: its blocks may be there before the work that it follows is done.
DEVICE void begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// The elements' own alignments, since a view may begin at any multiple of them.
//# f16:
struct f16 { u16 bits; };
//# bf16:
struct bf16 { u16 bits; };
//# c64:
struct c64 { f32 re, im; };
//# c128:
struct c128 { f64 re, im; };

//# bits: f32
DEVICE u32 bits(f32 x) { return __float_as_uint(x); }
//# bits: f64
DEVICE u64 bits(f64 x) { return (u64)__double_as_longlong(x); }
//# from_bits: f32
DEVICE f32 from_bits(u32 x) { return __uint_as_float(x); }
//# from_bits: f64
DEVICE f64 from_bits(u64 x) { return __longlong_as_double((i64)x); }
//# infinity: f32
DEVICE f32 infinity_f32() { return __uint_as_float(0x7f800000u); }
//# nan: f32
DEVICE f32 nan_f32() { return __uint_as_float(0x7fc00000u); }
//# infinity: f64
DEVICE f64 infinity_f64() { return __longlong_as_double(0x7ff0000000000000ll); }
//# nan: f64
DEVICE f64 nan_f64() { return __longlong_as_double(0x7ff8000000000000ll); }
//# is_infinite: floats
//+ infinity:$T
DEVICE bool is_infinite($T x) { return fabs(x) == infinity_$T(); }
//# is_finite: floats
//+ infinity:$T
DEVICE bool is_finite($T x) { return fabs(x) < infinity_$T(); }
//# is_negative: floats
//+ bits:$T
DEVICE bool is_negative($T x) { return (bits(x) >> (8 * sizeof($T) - 1)) != 0; }

// Half types: an inexact number rounds once, by way of an f32 whose last bit is odd.
//# to_odd: f64
//+ bits:f32 from_bits:f32
DEVICE f32 to_odd(f64 x) {
    f32 near = __double2float_rz(x);
    return (f64)near == x || x != x ? near : from_bits(bits(near) | 1);
}
//# to_odd: i32
//+ bits:f32 from_bits:f32
DEVICE f32 to_odd(i32 x) {
    f32 near = __int2float_rz(x);
    return (i32)near == x ? near : from_bits(bits(near) | 1);
}
//# to_odd: u32
//+ bits:f32 from_bits:f32
DEVICE f32 to_odd(u32 x) {
    f32 near = __uint2float_rz(x);
    return (u32)near == x ? near : from_bits(bits(near) | 1);
}
//# to_odd: i64
//+ bits:f32 from_bits:f32
DEVICE f32 to_odd(i64 x) {
    f32 near = __ll2float_rz(x);
    return (i64)near == x ? near : from_bits(bits(near) | 1);
}
//# to_odd: u64
//+ bits:f32 from_bits:f32
DEVICE f32 to_odd(u64 x) {
    f32 near = __ull2float_rz(x);
    return (u64)near == x ? near : from_bits(bits(near) | 1);
}
