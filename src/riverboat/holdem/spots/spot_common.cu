// What all kernels of spots share. #defines, the struct Job and kernel_head.cu stand above this one.
//
// Rows of hands have a stride (j.my_width, j.their_width); a row's hands stand in the order of
// the spot's ranges. Tables of a river board name hands by their place in the order of strength.

typedef unsigned short u16;
typedef unsigned long long u64;
#define NOWHERE 0xFFFF
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

INLINE float above(float x) { return x > 0.0f ? x : 0.0f; }

// Ask for memory that is read later.
#ifndef HOST
INLINE void ask_for(const void* place) { asm volatile("prefetch.global.L2 [%0];" ::"l"(place)); }
#endif

// What a player plays by: regrets, or averages where a pass does not learn.
INLINE float played(const Job& j, size_t at) {
  return j.mode == LEARN ? ((const float*)j.source)[at] : kept(((const Kept*)j.source)[at]);
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

// sums[i] = the first i of n values, i = 0 … n; one warp.
template <class T>
INLINE void scan_places(const T* values, T* sums, int n, int lane) {
  const int each = ((n + 32) / 32) | 1, first = lane * each;
  T own, run, other;
  set_zero(own);
#pragma unroll 4
  for (int i = 0; i < each; i++)
    if (first + i < n) own = own + values[first + i];
  run = own;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    other = from_below(run, d);
    if (lane >= d) run = run + other;
  }
  run = from_below(run, 1);
  if (lane == 0) set_zero(run);
#pragma unroll 4
  for (int i = 0; i < each; i++)
    if (first + i <= n) {
      sums[first + i] = run;
      if (first + i < n) run = run + values[first + i];
    }
}

// The same over the hands that hold one card: from starts[card] on, its total last.
template <class T>
INLINE void scan_card(const T* values, T* sums, T* totals, const u16* list, const u16* starts,
                      int card) {
  const int end = starts[card + 1] - 1;
  T run;
  set_zero(run);
#pragma unroll 4
  for (int i = starts[card]; i < end; i++) {
    sums[i] = run;
    run = run + values[list[i]];
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
