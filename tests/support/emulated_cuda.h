// Runs CUDA kernels on the CPU, one block after another: each thread of a block is a fibre that
// runs until it waits for the others. For tests where there is no GPU.
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

struct Place { int x; };
struct float2 { float x, y; };
struct __attribute__((aligned(8))) int2 { int x, y; };
struct __attribute__((aligned(8))) uint2 { unsigned x, y; };
struct __attribute__((aligned(16))) float4 { float x, y, z, w; };
struct __attribute__((aligned(16))) uint4 { unsigned x, y, z, w; };
struct __attribute__((aligned(16))) int4 { int x, y, z, w; };
static inline float2 make_float2(float x, float y) { float2 v = {x, y}; return v; }
static inline float4 make_float4(float x, float y, float z, float w) { float4 v = {x, y, z, w}; return v; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { uint4 v = {x, y, z, w}; return v; }
static inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
static inline int __popc(int x) { return __builtin_popcount(x); }
static inline float as_float(int bits) { float x; memcpy(&x, &bits, 4); return x; }
static inline float widened(unsigned short bits) { _Float16 x; memcpy(&x, &bits, 2); return (float)x; }
static inline unsigned short narrowed(float x) {
  const _Float16 half = (_Float16)x;
  unsigned short bits;
  memcpy(&bits, &half, 2);
  return bits;
}
static inline int min(int a, int b) { return a < b ? a : b; }
static inline int max(int a, int b) { return a > b ? a : b; }
static inline float __fdividef(float a, float b) { return a / b; }

struct Fibre {
  jmp_buf here;
  ucontext_t start;
  char* stack;
  bool begun, over;
};
static const int MOST = 1024, STACK = 64 * 1024;
static Fibre fibres[MOST];
static jmp_buf scheduler;
static int current, alive, arrived, generation;
static int warp_alive[32], warp_arrived[32], warp_generation[32], warp_turn[32][32];
static float warp_value[2][32][32];
static unsigned char shared_space[256 * 1024] __attribute__((aligned(16)));
static Place threadIdx, blockIdx, blockDim, gridDim;

static void give_way() {
  const int me = current;
  if (!_setjmp(fibres[me].here)) _longjmp(scheduler, 1);
  current = me;
  threadIdx.x = me;
}
static void __syncthreads() {
  const int mine = generation;
  if (++arrived == alive) { arrived = 0; generation++; }
  while (generation == mine) give_way();
}
static void wait_for_warp(int w) {
  const int mine = warp_generation[w];
  if (++warp_arrived[w] == warp_alive[w]) { warp_arrived[w] = 0; warp_generation[w]++; }
  while (warp_generation[w] == mine) give_way();
}
static void __syncwarp() { wait_for_warp(current / 32); }
static float shuffled(float value, int from, int lane, int w) {
  const int turn = warp_turn[w][lane] ^= 1;
  warp_value[turn][w][lane] = value;
  wait_for_warp(w);
  return warp_value[turn][w][from];
}
static float __shfl_up_sync(unsigned, float value, int d) {
  const int lane = current % 32;
  return shuffled(value, lane >= d ? lane - d : lane, lane, current / 32);
}
static float __shfl_xor_sync(unsigned, float value, int d) {
  const int lane = current % 32;
  return shuffled(value, lane ^ d, lane, current / 32);
}

#define __restrict__
#define KERNEL(name) \
  static void body_##name(const Job& j); \
  extern "C" void name(const Job* j, int grid, int block) { emulate(body_##name, *j, grid, block); } \
  static void body_##name(const Job& j)
#define BOUNDED(name, threads, blocks) KERNEL(name)
#define SHARED_BYTES unsigned char* shared_bytes = shared_space;
#define STATIC_SHARED static
#define INLINE static inline

struct Job;
static void (*the_body)(const Job&);
static const Job* the_job;
static void run_fibre() {
  the_body(*the_job);
  fibres[current].over = true;
  const int w = current / 32;
  alive--;
  warp_alive[w]--;
  if (alive && arrived == alive) { arrived = 0; generation++; }
  if (warp_alive[w] && warp_arrived[w] == warp_alive[w]) { warp_arrived[w] = 0; warp_generation[w]++; }
  _longjmp(scheduler, 1);
}
static void emulate(void (*body)(const Job&), const Job& job, int grid, int block) {
  the_body = body;
  the_job = &job;
  gridDim.x = grid;
  blockDim.x = block;
  for (int b = 0; b < grid; b++) {
    blockIdx.x = b;
    memset(shared_space, 0xFF, sizeof shared_space);
    alive = block;
    arrived = 0;
    memset(warp_turn, 0, sizeof warp_turn);
    for (int t = 0; t < block; t++) {
      Fibre& f = fibres[t];
      f.begun = f.over = false;
      if (!f.stack) f.stack = (char*)malloc(STACK);
      warp_alive[t / 32] = t % 32 + 1;
      warp_arrived[t / 32] = 0;
    }
    while (alive)
      for (int t = 0; t < block; t++) {
        Fibre& f = fibres[t];
        if (f.over) continue;
        if (_setjmp(scheduler)) continue;
        current = t;
        threadIdx.x = t;
        if (f.begun) _longjmp(f.here, 1);
        f.begun = true;
        getcontext(&f.start);
        f.start.uc_stack.ss_sp = f.stack;
        f.start.uc_stack.ss_size = STACK;
        f.start.uc_link = 0;
        makecontext(&f.start, run_fibre, 0);
        setcontext(&f.start);
      }
  }
}
