// What all kernels of spots share. #defines, the struct Job and runtime/kernel_head.cu stand above this one.
//
// Rows of hands have a stride (j.my_width, j.their_width); a row's hands stand in the order of
// the spot's ranges. Tables of a river board name hands by their place in the order of strength.

typedef unsigned short u16;
typedef unsigned long long u64;
#define NOWHERE 0xFFFF
// Numbers for each river board about the lists of cards, and where their parts begin.
#define STARTS 168
#define LIST_STARTS 56
#define CARD_ORDER 112
#define LEARN 0
#define BEST 1
#define AVERAGE 2

// Averages have four bytes, or two: then they are shares of one in steps of 1 / 65535.
#if SHORT
typedef u16 Kept;
INLINE float kept(Kept x) { return x * (1.0f / 65535.0f); }
INLINE Kept keep(float x) { return (Kept)(x * 65535.0f + 0.5f); }
#else
typedef float Kept;
INLINE float kept(Kept x) { return x; }
INLINE Kept keep(float x) { return x; }
#endif

// Regrets have four bytes, or two: then they are halves of floats, in steps of REGRET_STEP chips.
#if HALF
#define REGRET_STEP 64.0f
#define MAX_HALF 65000.0f
typedef u16 Learned;
#ifndef HOST
INLINE float widened(u16 bits) {
  float found;
  asm("cvt.f32.f16 %0, %1;" : "=f"(found) : "h"(bits));
  return found;
}
INLINE u16 narrowed(float x) {
  u16 found;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(found) : "f"(x));
  return found;
}
#endif
INLINE float known(Learned x) { return widened(x) * REGRET_STEP; }
INLINE Learned learned(float x) {
  return narrowed(fminf(fmaxf(x * (1.0f / REGRET_STEP), -MAX_HALF), MAX_HALF));
}
#else
typedef float Learned;
INLINE float known(Learned x) { return x; }
INLINE Learned learned(float x) { return x; }
#endif

INLINE float above(float x) { return x > 0.0f ? x : 0.0f; }

// Sums below this are none.
#define MIN_TOTAL 1.2e-38f
#ifndef HOST
INLINE float inverse(float x) {
  float found;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(found) : "f"(x));
  return found;
}
#else
INLINE float inverse(float x) { return 1.0f / x; }
#endif
#ifndef HOST
INLINE float as_float(int bits) { return __int_as_float(bits); }
#endif

// Copies into shared memory that go on while a block does other things. `expect` says how many bytes
// a bar waits for; the one thread for which BRINGS holds starts them, and all meet before the
// first `await`. Older GPUs copy at once.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define BRINGS (threadIdx.x == 0)
INLINE unsigned near_address(const void* place) { return (unsigned)__cvta_generic_to_shared(place); }
INLINE void begin_bringing(u64* bars) {
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(near_address(bars)) : "memory");
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(near_address(bars + 1)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
}
INLINE void expect(u64* bar, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(near_address(bar)),
               "r"(bytes)
               : "memory");
}
INLINE void bring(void* to, const void* from, size_t bytes, u64* bar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          near_address(to)),
      "l"(__cvta_generic_to_global(from)), "r"((unsigned)bytes), "r"(near_address(bar))
      : "memory");
}
INLINE void ask_for_all(const void* from, size_t bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from)),
               "r"((unsigned)bytes));
}
INLINE void await(u64* bar) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra again;\n}" ::"r"(near_address(bar))
      : "memory");
}
#else
#define BRINGS true
INLINE void begin_bringing(u64*) {}
INLINE void expect(u64*, int) {}
INLINE void bring(void* to, const void* from, size_t bytes, u64*) {
  for (size_t i = threadIdx.x; i < bytes / 16; i += blockDim.x) ((uint4*)to)[i] = ((const uint4*)from)[i];
}
INLINE void ask_for_all(const void*, size_t) {}
INLINE void await(u64*) { __syncthreads(); }
#endif

// What a player plays by: regrets, or averages where a pass does not learn.
INLINE float played(const Job& j, size_t at) {
  return j.mode == LEARN ? known(((const Learned*)j.source)[at]) : kept(((const Kept*)j.source)[at]);
}

INLINE float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
INLINE float4 operator-(float4 a, float4 b) {
  return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
}
INLINE float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
INLINE float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
INLINE float from_below(float x, int d) { return __shfl_up_sync(0xFFFFFFFFu, x, d); }
INLINE float2 from_below(float2 x, int d) {
  return make_float2(from_below(x.x, d), from_below(x.y, d));
}
INLINE float4 from_below(float4 x, int d) {
  return make_float4(from_below(x.x, d), from_below(x.y, d), from_below(x.z, d),
                     from_below(x.w, d));
}
INLINE void set_zero(float& x) { x = 0.0f; }
INLINE void set_zero(float2& x) { x = make_float2(0.0f, 0.0f); }
INLINE void set_zero(float4& x) { x = make_float4(0.0f, 0.0f, 0.0f, 0.0f); }

// Where row `row` of reach begins for a board of the street of this launch: the rows of earlier
// streets are kept for their own boards.
INLINE const float* reach_row(const Job& j, int board, int row) {
  if (row >= j.reach_first)
    return j.reach + ((size_t)board * j.reach_count + (row - j.reach_first)) * j.their_width;
  if (row >= j.reach_first1)
    return j.reach1 + ((size_t)j.parent[board] * j.reach_count1 + (row - j.reach_first1)) *
                          j.their_width;
  return j.reach0 + (size_t)row * j.their_width;
}

// The same for a river's root: it has the reach of an earlier street, `parent` is the board there.
INLINE const float* reach_above(const Job& j, int parent, int row) {
  if (row >= j.reach_first1)
    return j.reach1 + ((size_t)parent * j.reach_count1 + (row - j.reach_first1)) * j.their_width;
  return j.reach0 + (size_t)row * j.their_width;
}

// How many values are read before the next sum is written: one after another each would wait.
#ifndef FOURS_AHEAD
#define FOURS_AHEAD 4
#endif
#define AHEAD ((int)(sizeof(T) == 16 ? FOURS_AHEAD : 8))

// sums[i] = the first i of n values, i = 0 … n; one warp.
template <class T>
INLINE void scan_places(const T* values, T* sums, int n, int lane) {
  const int each = ((n + 32) / 32) | 1, first = lane * each, last = min(first + each, n);
  T own, run, other, part[AHEAD];
  set_zero(own);
  for (int i = first; i < last; i += AHEAD) {
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
      if (i + k < last) part[k] = values[i + k];
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
      if (i + k < last) own = own + part[k];
  }
  run = own;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    other = from_below(run, d);
    if (lane >= d) run = run + other;
  }
  run = from_below(run, 1);
  if (lane == 0) set_zero(run);
  for (int i = first; i < last; i += AHEAD) {
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
      if (i + k < last) part[k] = values[i + k];
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
      if (i + k < last) {
        sums[i + k] = run;
        run = run + part[k];
      }
  }
  if (first <= n && n < first + each) sums[n] = run;
}

// The same over the hands that hold one card, the `slot`th in the order of summing: from
// starts[card] on, its total last. Four places of the list are read at once.
template <class T>
INLINE void scan_card(const T* values, T* sums, T* totals, const u16* list, const u16* starts,
                      int slot) {
  const int card = starts[CARD_ORDER + slot], end = starts[card + 1] - 1;
  const uint2* from = (const uint2*)(list + starts[LIST_STARTS + card]);
  uint2 next = from[0];
  T run, part[4];
  set_zero(run);
  for (int i = starts[card]; i < end; i += 4) {
    const uint2 four = next;
    next = *++from;
    part[0] = values[four.x & 0xFFFF];
    part[1] = values[four.x >> 16];
    part[2] = values[four.y & 0xFFFF];
    part[3] = values[four.y >> 16];
#pragma unroll
    for (int k = 0; k < 4; k++)
      if (i + k < end) {
        sums[i + k] = run;
        run = run + part[k];
      }
  }
  sums[end] = run;
  totals[card] = run;
}

// What a hand meets in all, beats, and does not lose to.
template <class T>
struct Met {
  T mass, beaten, level;
};

// `record`: places below and not above in the sums, the same for each of the hand's cards, the
// place of the same hand, the two cards.
template <class T>
INLINE Met<T> meet(uint4 record, const T* values, const T* sums, const T* by_card, const T* totals,
                   int n) {
  Met<T> found;
  const T same = values[record.w & 0xFFFF];
  found.mass = (sums[n] + same) - (totals[(record.w >> 16) & 255] + totals[record.w >> 24]);
  found.beaten = sums[record.x & 0xFFFF] - (by_card[record.y & 0xFFFF] + by_card[record.z & 0xFFFF]);
  found.level = (sums[record.x >> 16] + same) - (by_card[record.y >> 16] + by_card[record.z >> 16]);
  return found;
}
