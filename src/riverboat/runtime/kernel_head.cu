// How kernels are written, so that the same text also compiles as C++ for the CPU (HOST): a kernel
// takes one Job by value. The struct Job stands above this text.
#ifndef HOST
#define KERNEL(name) extern "C" __global__ void name(const __grid_constant__ Job j)
#define BOUNDED(name, threads, blocks) \
  extern "C" __global__ void __launch_bounds__(threads, blocks) \
  name(const __grid_constant__ Job j)
#define SHARED_BYTES extern __shared__ __align__(16) unsigned char shared_bytes[];
#define STATIC_SHARED __shared__
#define INLINE __device__ __forceinline__
#endif

