// The words of CUDA sections for a C++ compiler, or for NVRTC with __CUDACC_RTC__.
#ifdef __CUDACC_RTC__
#define DEVICE static __device__ __forceinline__
#define FAR static __device__ __noinline__
#define TABLE static __constant__ const
#else
#include <cmath>
#include <cstdio>
#include <cstring>
using namespace std;
#define DEVICE static inline
#define FAR static
#define TABLE static const
#endif
typedef int i32;
typedef long long i64;
typedef unsigned long long u64;
typedef double f64;
#ifdef __CUDACC_RTC__
DEVICE u64 bits(f64 x) { return (u64)__double_as_longlong(x); }
DEVICE f64 from_bits(u64 x) { return __longlong_as_double((i64)x); }
#else
DEVICE u64 bits(f64 x) { u64 b; memcpy(&b, &x, 8); return b; }
DEVICE f64 from_bits(u64 b) { f64 x; memcpy(&x, &b, 8); return x; }
DEVICE f64 rsqrt(f64 x) { return 1 / sqrt(x); }
#endif
DEVICE f64 infinity_f64() { return from_bits(0x7ff0000000000000ull); }
DEVICE f64 nan_f64() { return from_bits(0x7ff8000000000000ull); }
