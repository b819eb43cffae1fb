// A learner's pass over one street for three players, as _three_way_plan.py plans it: all parts on all
// boards of a launch at once. The struct Job and runtime/kernel_head.cu stand above this text.
//
// Rows lie board by board: of values in the learner's width, of an opponent's reach in theirs. A
// column, one hand, never needs another but where hands are weighed (weigh_ends) or renamed.

#define LEARN 0
#define BEST 1
#define CARDS 52
#define PAIRS (CARDS * CARDS)
#define OWN 0

#ifndef HOST
#define SATURATED(x) __saturatef(x)
#else
#define SATURATED(x) fminf(fmaxf(x, 0.0f), 1.0f)
#endif

INLINE float above(float x) { return x > 0.0f ? x : 0.0f; }
INLINE float across(float x, int d) { return __shfl_xor_sync(0xFFFFFFFFu, x, d); }

// Grid: boards · parts · tiles of 32 hands; warps take the nodes of a level by turns. One opponent's
// reach: dealt a card at the root of a part, then split by the strategy at each of their nodes.
KERNEL(split_reach) {
  const int h = blockIdx.x % j.tiles * 32 + threadIdx.x % 32, warp = threadIdx.x / 32;
  const int rest = blockIdx.x / j.tiles, here = rest / j.num_parts, wide = j.my_width;
  const int board = j.first_board + here;
  const int* part = j.parts + 4 * (rest % j.num_parts);  // root's row, its row above, levels
  float* reach = j.reach + (size_t)here * j.num_rows * wide + h;
  const float* source = j.source + j.first_element + board * j.board_elements + h;
  if (warp == 0 && h < wide) {
    float weight = j.weights_above[h];
    if (j.above_rows) {
      const size_t row = (size_t)j.parent[board] * j.above_rows + part[1];
      const int card = j.last_card[board];
      weight = j.weights_above[row * wide + h];
      if (j.my_cards[2 * h] == card || j.my_cards[2 * h + 1] == card) weight = 0.0f;
    }
    reach[(size_t)part[0] * wide] = weight;
  }
  __syncthreads();
  for (int level = part[2]; level < part[3]; level++) {
    for (int k = j.levels[level] + warp; k < j.levels[level + 1]; k += blockDim.x / 32) {
      if (h >= wide) continue;
      const int* node = j.nodes + 4 * k;  // actions, row of numbers, rows of reach before and after
      const float* numbers = source + (size_t)node[1] * wide;
      float* after = reach + (size_t)node[3] * wide;
      float total = 0.0f;
      for (int a = 0; a < node[0]; a++) total += above(numbers[(size_t)a * wide]);
      const float weight = reach[(size_t)node[2] * wide];
      const float scale = total > 0.0f ? weight / total : 0.0f;
      const float even = total > 0.0f ? 0.0f : weight / node[0];
      for (int a = 0; a < node[0]; a++)
        after[(size_t)a * wide] = above(numbers[(size_t)a * wide]) * scale + even;
    }
    __syncthreads();
  }
}

// Weights of both opponents' hands, and their product, summed over the hands with one card.
struct Sums {
  float x, y, z;
};
INLINE void add(Sums& sums, float2 w) {
  sums.x += w.x;
  sums.y += w.y;
  sums.z += w.x * w.y;
}

// A hand counts as all · 1 + beaten · (1 if weaker, ½ if level), of each opponent.
struct Shares {
  float all_x, beaten_x, all_y, beaten_y;
};
INLINE float share_x(Shares s, float beaten) { return s.all_x + s.beaten_x * beaten; }
INLINE float share_y(Shares s, float beaten) { return s.all_y + s.beaten_y * beaten; }

// D(X, Y) of contest_kernels.py for the hand {a, b}, in lane 0; a lane has the sums of two cards.
// With `level` only hands of equal strength count. All sums are over hands without a and b, so the
// sum over cards of C is twice S, and that of Σ X · Y by card twice the whole.
INLINE float meetings(const float2* pairs, const float* halves, const Sums* sums, Shares shares,
                      float half, bool level, int a, int b) {
  const int lane = threadIdx.x % 32;
  float x = 0.0f, y = 0.0f, crossed = 0.0f;
#pragma unroll
  for (int k = 0; k < 2; k++) {
    const int c = lane + 32 * k;
    if (c >= CARDS || c == a || c == b) continue;
    const float2 one = pairs[a * CARDS + c], two = pairs[b * CARDS + c];
    const float of_one = halves[a * CARDS + c], of_two = halves[b * CARDS + c];
    const float s = level ? of_one == half : SATURATED(half + 0.5f - of_one);
    const float t = level ? of_two == half : SATURATED(half + 0.5f - of_two);
    const float x1 = one.x * share_x(shares, s), y1 = one.y * share_y(shares, s);
    const float x2 = two.x * share_x(shares, t), y2 = two.y * share_y(shares, t);
    const float left_x = sums[k].x - x1 - x2, left_y = sums[k].y - y1 - y2;
    x += left_x;
    y += left_y;
    crossed += left_x * left_y - 0.5f * (sums[k].z - x1 * y1 - x2 * y2);
  }
  // Three sums over the warp: from the first steps on, halves of it go on with different ones.
  const bool upper = lane & 16, odd = lane & 8;
  const float mixed = (upper ? crossed : x) + across(upper ? x : crossed, 16);
  y += across(y, 16);
  float sum = (odd ? y : mixed) + across(odd ? mixed : y, 8);
  for (int d = 4; d > 0; d /= 2) sum += across(sum, d);
  const float all_y = across(sum, 8), all_crossed = across(sum, 16);
  return 0.25f * sum * all_y - all_crossed;
}

// Grid: boards · tasks. What each hand of the learner wins at an end, or meets where it must pay.
// Warps share the learner's hands, each a stretch in order of strength; lanes are cards.
BOUNDED(weigh_ends, 256, 4) {
  SHARED_BYTES
  float2* pairs = (float2*)shared_bytes;
  float* halves = (float*)(pairs + PAIRS);  // Half the strength: a subtraction then says who wins
  int* events = (int*)(halves + PAIRS);     // Opponents' hands by strength: strength, two cards
  float* out = (float*)(events + j.num_union);
  const int here = blockIdx.x / j.num_tasks, task = blockIdx.x % j.num_tasks;
  const int board = j.first_board + here, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int* rows = j.tasks + 3 * task;  // of values, and of both opponents' reach
  const float* pots = j.pots + 4 * task;
  const bool ranked = pots[0] != 0.0f || pots[1] != 0.0f || pots[2] != 0.0f;
  const float* reach_x = j.reach_x + ((size_t)here * j.rows_x + rows[1]) * j.width_x;
  const float* reach_y = j.reach_y + ((size_t)here * j.rows_y + rows[2]) * j.width_y;
  for (int i = threadIdx.x; i < PAIRS; i += blockDim.x) {
    pairs[i] = make_float2(0.0f, 0.0f);
    halves[i] = 0.0f;
  }
  for (int h = threadIdx.x; h < j.my_width; h += blockDim.x) out[h] = 0.0f;
  __syncthreads();
  const int num_events = ranked ? j.union_valid[board] : 0;
  for (int u = threadIdx.x; u < j.num_union; u += blockDim.x) {
    const int* hand = j.union_hands + 4 * u;  // two cards, its place in both ranges or −1
    const int low = hand[0] * CARDS + hand[1], high = hand[1] * CARDS + hand[0];
    const float x = hand[2] < 0 ? 0.0f : reach_x[hand[2]];
    const float y = hand[3] < 0 ? 0.0f : reach_y[hand[3]];
    pairs[low] = pairs[high] = make_float2(x, y);
    if (ranked) {
      const size_t at = (size_t)board * j.num_union;
      halves[low] = halves[high] = 0.5f * j.union_ranks[at + u];
      if (u < num_events) {
        const int other = j.union_order[at + u];
        const int* cards = j.union_hands + 4 * other;
        events[u] = j.union_ranks[at + other] << 16 | cards[0] << 8 | cards[1];
      }
    }
  }
  __syncthreads();
  const size_t mine = (size_t)board * j.my_size;
  const int size = ranked ? j.my_valid[board] : j.my_size, warps = blockDim.x / 32;
  const int first = size * warp / warps, last = size * (warp + 1) / warps;
  for (int sweep = 0; sweep < 2 && first < last; sweep++) {
    // First what is won against opponent 0, then what is won from the other alone or from nobody.
    const Shares shares = {(float)sweep, 1.0f - sweep, pots[sweep ? 3 : 1], pots[sweep ? 2 : 0]};
    if (shares.all_y == 0.0f && shares.beaten_y == 0.0f) continue;
    int rank = ranked ? j.my_ranks[mine + first] : 0, next = 0;
    Sums all[2] = {}, weaker[2] = {}, level[2] = {}, sums[2] = {};
    for (int q = 0; q < CARDS; q++) {
#pragma unroll
      for (int k = 0; k < 2; k++) {
        const int c = lane + 32 * k;
        if (c >= CARDS) continue;
        add(all[k], pairs[q * CARDS + c]);
        if (halves[q * CARDS + c] < 0.5f * rank) add(weaker[k], pairs[q * CARDS + c]);
      }
    }
    for (int most = num_events; next < most;) {
      const int middle = (next + most) / 2;
      if (events[middle] >> 16 < rank)
        next = middle + 1;
      else
        most = middle;
    }
    bool ties = false;
    for (int place = first; place < last; place++) {
      const int hand = ranked ? j.my_order[mine + place] : place;
      const int now = ranked ? j.my_ranks[mine + place] : 0;
      if (place == first || now != rank) {
        rank = now;
        float level_x = 0.0f, level_y = 0.0f;
#pragma unroll
        for (int k = 0; k < 2; k++) {
          weaker[k].x += level[k].x;
          weaker[k].y += level[k].y;
          weaker[k].z += level[k].z;
          level[k].x = level[k].y = level[k].z = 0.0f;
        }
        for (; next < num_events && events[next] >> 16 <= rank; next++) {
          const int p = events[next] >> 8 & 255, q = events[next] & 255;
          const float2 weights = pairs[p * CARDS + q];
          const bool tie = events[next] >> 16 == rank;
          level_x += tie ? weights.x : 0.0f;
          level_y += tie ? weights.y : 0.0f;
#pragma unroll
          for (int k = 0; k < 2; k++)
            if (lane + 32 * k == p || lane + 32 * k == q) {
              if (tie)
                add(level[k], weights);
              else
                add(weaker[k], weights);
            }
        }
        ties = shares.beaten_x * shares.beaten_y != 0.0f && level_x > 0.0f && level_y > 0.0f;
        const float none = share_x(shares, 0.0f) * share_y(shares, 0.0f);
        const float half = share_x(shares, 0.5f) * share_y(shares, 0.5f) - none;
        const float whole = share_x(shares, 1.0f) * share_y(shares, 1.0f) - none;
#pragma unroll
        for (int k = 0; k < 2; k++) {
          const float x = weaker[k].x + 0.5f * level[k].x, y = weaker[k].y + 0.5f * level[k].y;
          sums[k].x = shares.all_x * all[k].x + shares.beaten_x * x;
          sums[k].y = shares.all_y * all[k].y + shares.beaten_y * y;
          sums[k].z = none * all[k].z + whole * weaker[k].z + half * level[k].z;
        }
      }
      const int a = j.my_cards[2 * hand], b = j.my_cards[2 * hand + 1];
      float won = meetings(pairs, halves, sums, shares, 0.5f * rank, false, a, b);
      if (ties) {
        // A tie of all three counted as a quarter; it is worth a third.
        const Shares equal = {0.0f, 1.0f, 0.0f, 1.0f};
        const float third = meetings(pairs, halves, level, equal, 0.5f * rank, true, a, b);
        won += shares.beaten_y * third / 12.0f;
      }
      if (lane == 0) out[hand] += won;
    }
  }
  __syncthreads();
  // Hands that are the same up to the names of suits get the same bits.
  const int* same = j.canonical + (size_t)j.stabiliser[board] * j.my_width;
  float* values = j.values + ((size_t)here * j.value_rows + rows[0]) * j.my_width;
  for (int h = threadIdx.x; h < j.my_width; h += blockDim.x) values[h] = out[same[h]];
}

// Grid: boards · chance nodes · tiles of hands. The mean over the cards that may come, from the next street.
KERNEL(add_cards) {
  const int h = blockIdx.x % j.tiles * blockDim.x + threadIdx.x, rest = blockIdx.x / j.tiles;
  const int board = rest / j.num_chances, wide = j.my_width;
  const int* chance = j.chances + 2 * (rest % j.num_chances);  // row of values, part below
  if (h >= wide) return;
  const int hand = j.canonical[(size_t)j.stabiliser[board] * wide + h];
  float total = 0.0f;
  for (int child = j.first_child[board]; child < j.first_child[board + 1]; child++) {
    const int card = j.last_card[child];
    const float* found = j.roots + ((size_t)child * j.num_parts + chance[1]) * wide;
    for (int k = j.first_member[child]; k < j.first_member[child + 1]; k++) {
      const int place = j.renamed[(size_t)j.members[k] * wide + hand];
      if (j.my_cards[2 * place] != card && j.my_cards[2 * place + 1] != card) total += found[place];
    }
  }
  j.values[((size_t)board * j.value_rows + chance[0]) * wide + h] = total * j.share[0];
}

INLINE bool is_locked(const Job& j, long long row, int h) {
  for (int k = 0; k < j.num_locks; k++)
    if (j.lock_rows[k] == row) return j.lock_masks[(size_t)k * j.my_width + h] > 0.0f;
  return false;
}

// Grid: boards · parts · tiles of 32 hands; warps take the nodes of a level by turns, deepest first.
KERNEL(ascend_parts) {
  const int h = blockIdx.x % j.tiles * 32 + threadIdx.x % 32, warp = threadIdx.x / 32;
  const int rest = blockIdx.x / j.tiles, here = rest / j.num_parts, which = rest % j.num_parts;
  const int board = j.first_board + here, wide = j.my_width;
  const int* part = j.parts + 4 * which;
  float* values = j.values + (size_t)here * j.value_rows * wide + h;
  for (int level = part[2]; level < part[3]; level++) {
    for (int m = j.levels[level] + warp; m < j.levels[level + 1]; m += blockDim.x / 32) {
      if (h >= wide) continue;
      // Kind, actions, row of numbers, row of values, children, whether an action costs chips.
      const int* node = j.nodes + 6 * m;
      const int* rows = j.child_rows + node[4];  // −1 after a fold of the learner
      const float* paid = j.child_paid + node[4];
      const int num = node[1];
      float* value = values + (size_t)node[3] * wide;
      if (node[0] != OWN) {
        float sum = 0.0f;
        for (int a = 0; a < num; a++) sum += values[(size_t)rows[a] * wide];
        *value = sum;
        continue;
      }
      const float mass = node[5] ? *value : 0.0f;
#define GAIN(a) ((rows[a] < 0 ? 0.0f : values[(size_t)rows[a] * wide]) - paid[a] * mass)
      const long long row = (long long)node[2] * wide;
      const long long start = j.first_element + board * j.board_elements + row;
      if (j.mode == BEST && !is_locked(j, start / wide, h)) {
        float best = GAIN(0);
        for (int a = 1; a < num; a++) best = fmaxf(best, GAIN(a));
        *value = best;
        continue;
      }
      float* regrets = j.regrets + start + h;
      float* averages = j.averages + start + h;
      const float* numbers = j.mode == LEARN ? regrets : averages;
      float total = 0.0f, mean = 0.0f;
      for (int a = 0; a < num; a++) total += above(numbers[(size_t)a * wide]);
      const float scale = total > 0.0f ? 1.0f / total : 0.0f;
      const float even = total > 0.0f ? 0.0f : 1.0f / num;
      for (int a = 0; a < num; a++)
        mean += (above(numbers[(size_t)a * wide]) * scale + even) * GAIN(a);
      *value = mean;
      if (j.mode != LEARN) continue;
      const float up = j.weights[0], down = j.weights[1], stay = j.weights[2];
      for (int a = 0; a < num; a++) {
        const size_t at = (size_t)a * wide;
        const float old = regrets[at];
        averages[at] = averages[at] * stay + (above(old) * scale + even);
        regrets[at] = old * (old > 0.0f ? up : down) + (GAIN(a) - mean);
      }
#undef GAIN
    }
    __syncthreads();
  }
  if (warp == 0 && h < wide)
    j.roots[((size_t)board * j.num_parts + which) * wide + h] = values[(size_t)part[0] * wide];
}

// One block. The discounts of the next iteration, from the table.
KERNEL(next_discounts) {
  const int row = j.counter[0];
  __syncthreads();
  if (threadIdx.x < 3) j.weights[threadIdx.x] = j.table[3 * row + threadIdx.x];
  if (threadIdx.x == 0) j.counter[0] = row + 1;
}

// Grid: locks. Overwrite what was learned at locked nodes with the locked strategy.
KERNEL(enforce_locks) {
  const int lock = blockIdx.x;
  for (int h = threadIdx.x; h < j.my_width; h += blockDim.x) {
    if (j.lock_masks[(size_t)lock * j.my_width + h] <= 0.0f) continue;
    for (int row = j.lock_starts[lock]; row < j.lock_starts[lock + 1]; row++) {
      const size_t from = j.lock_rows[lock] + row - j.lock_starts[lock];
      const size_t to = from * j.my_width + h;
      j.regrets[to] = j.averages[to] = j.lock_values[(size_t)row * j.my_width + h];
    }
  }
}
