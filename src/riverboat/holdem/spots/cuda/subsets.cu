// Spots with hands of k cards: reach down, runs of equal strength, values and regrets up.
//
// Every thread works for itself: for one hand on one board, or for one lane of eight showdowns at
// one piece of a run or one subset. So no order of threads matters, and all bits are the same from
// run to run. Rows are [row][board][hand], lanes [block][board][hand][8].

#define LEARN 0
#define BEST 1
#define AVERAGE 2
#define BLOCK_LANES 8

INLINE float above_zero(float x) { return x > 0.0f ? x : 0.0f; }

// Grid: boards · tiles of hands. Reach at the roots and below, and columns of eight lanes for ends.
KERNEL(split_reach) {
  const int h = blockIdx.x % j.tiles * blockDim.x + threadIdx.x, here = blockIdx.x / j.tiles;
  if (h >= j.their_width) return;
  const size_t wide = j.their_width, step = (size_t)j.num_here * wide, at = here * wide + h;
  const int board = j.first_board + here;
  const bool live = h < j.their_size && (j.their_masks[h] & j.board_masks[board]) == 0;
  for (int i = 0; i < j.num_roots; i++) {
    const int row = j.root_reach[i];
    float weight = 0.0f;
    if (live) {
      const size_t place = j.num_above ? j.parent[board] : 0;
      weight = j.above[(size_t)row * j.num_above * wide + place * wide + h];
    }
    j.reach[row * step + at] = weight;
  }
  const float* source = j.source + j.their_first + (size_t)board * j.their_elements + h;
  for (int k = 0; k < j.num_down; k++) {
    const int num = j.down[4 * k], from = j.down[4 * k + 1], after = j.down[4 * k + 3];
    float total = 0.0f;
    for (int a = 0; a < num; a++) total += above_zero(source[(size_t)(from + a) * wide]);
    const float before = j.reach[j.down[4 * k + 2] * step + at];
    for (int a = 0; a < num; a++) {
      const float own = above_zero(source[(size_t)(from + a) * wide]);
      j.reach[(after + a) * step + at] = before * (total > 0.0f ? own / total : 1.0f / num);
    }
  }
  for (int i = 0; i < BLOCK_LANES * j.num_blocks; i++) {
    const size_t column = ((size_t)(i / 8) * j.num_here * wide + at) * 8 + i % 8;
    j.lanes[column] = j.reach[j.lane_reach[i] * step + at];
  }
}

// Grid: blocks of eight · pieces · 8 lanes. What the hands of a piece of a run weigh.
KERNEL(add_pieces) {
  const size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = thread % 8, count = j.shared_table ? j.num_here * j.num_pieces : j.num_pieces;
  const size_t which = thread / 8;
  if (which >= (size_t)count * j.num_blocks) return;
  const int block = which / count, g = which % count;
  const int board = j.shared_table ? g / j.num_pieces : j.piece_board[g];
  const int piece = j.shared_table ? g % j.num_pieces : g;
  const float* lanes = j.lanes + ((size_t)block * j.num_here + board) * j.their_width * 8 + lane;
  float total = 0.0f;
  for (int e = j.piece_start[piece]; e < j.piece_start[piece + 1]; e++)
    total += lanes[(size_t)j.hand_of[e] * 8];
  j.pieces[which * 8 + lane] = total;
}

// Grid: blocks of eight · boards · subsets · 8 lanes. Runs: what is weaker less what is stronger.
KERNEL(weigh_runs) {
  const size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x, which = thread / 8;
  const int lane = thread % 8;
  const size_t per_block = (size_t)j.num_here * j.num_subsets;
  if (which >= per_block * j.num_blocks) return;
  const size_t block = which / per_block;
  const int board = which % per_block / j.num_subsets, subset = which % j.num_subsets;
  const int table = j.shared_table ? 0 : board;
  const int* runs = j.first_run + (size_t)table * (j.num_subsets + 1) + subset;
  const int first = j.run_base[table] + runs[0], last = j.run_base[table] + runs[1];
  const size_t count = j.shared_table ? (size_t)j.num_here * j.num_pieces : j.num_pieces;
  const size_t moved = j.shared_table ? (size_t)board * j.num_pieces : 0;
  const float* pieces = j.pieces + (block * count + moved) * 8 + lane;
  float total = 0.0f;
  for (int p = j.run_piece[first]; p < j.run_piece[last]; p++) total += pieces[(size_t)p * 8];
  j.totals[which * 8 + lane] = total;
  if (j.shared_table) return;
  float passed = 0.0f;
  for (int run = first; run < last; run++) {
    float own = 0.0f;
    for (int p = j.run_piece[run]; p < j.run_piece[run + 1]; p++) own += pieces[(size_t)p * 8];
    j.sums[(block * j.num_runs + run) * 8 + lane] = passed + passed + own - total;
    passed += own;
  }
}

INLINE void add_lanes(const float* from, float sign, float* to) {
  const float4 low = ((const float4*)from)[0], high = ((const float4*)from)[1];
  to[0] += sign * low.x, to[1] += sign * low.y, to[2] += sign * low.z, to[3] += sign * low.w;
  to[4] += sign * high.x, to[5] += sign * high.y, to[6] += sign * high.z, to[7] += sign * high.w;
}

// Whether a hand is locked at the learner's node whose numbers begin in row `row`.
INLINE bool is_locked(const Job& j, int row, int h) {
  for (int k = 0; k < j.num_locks; k++)
    if (j.lock_rows[k] == row) return j.lock_masks[(size_t)k * j.my_width + h] > 0.0f;
  return false;
}

// Grid: boards · tiles of hands. Ends, and values up to the roots; a LEARN pass updates numbers.
KERNEL(ascend) {
  const int h = blockIdx.x % j.tiles * blockDim.x + threadIdx.x, here = blockIdx.x / j.tiles;
  if (h >= j.my_width) return;
  const size_t wide = j.my_width, step = (size_t)j.num_here * wide, at = here * wide + h;
  const int board = j.first_board + here;
  const bool live = h < j.my_size && (j.my_masks[h] & j.board_masks[board]) == 0;
  const int hand = live ? j.canonical[(size_t)j.stabiliser[board] * wide + h] : 0;
  float* rows = j.rows + at;
  for (int block = 0; block < j.num_blocks; block++) {
    float won[8] = {0}, met[8] = {0};
    if (live) {
      const int* subsets = j.subsets + (size_t)hand * j.stride;
      const float* totals = j.totals + ((size_t)block * j.num_here + here) * j.num_subsets * 8;
      for (int m = 0; m < j.stride - 1; m++)
        add_lanes(totals + (size_t)subsets[m] * 8, m < j.num_even ? 1.0f : -1.0f, met);
      const int same = j.same[hand];
      if (same >= 0)
        add_lanes(j.lanes + (((size_t)block * j.num_here + here) * j.their_width + same) * 8,
                  j.whole_sign, met);
      if (!j.shared_table) {
        const int* runs = j.runs + ((size_t)here * j.my_size + hand) * j.stride;
        const float* sums = j.sums + ((size_t)block * j.num_runs + j.run_base[here]) * 8;
        for (int m = 0; m < j.stride - 1; m++)
          add_lanes(sums + (size_t)runs[m] * 8, m < j.num_even ? 1.0f : -1.0f, won);
      }
    }
    for (int i = 0; i < 8; i++) {
      const int lane = 8 * block + i;
      const float beat = j.lane_factors[2 * lane], tie = j.lane_factors[2 * lane + 1];
      rows[j.lane_values[lane] * step] = beat * won[i] + tie * met[i];
      rows[j.lane_met[lane] * step] = met[i];
    }
  }
  for (int k = 0; k < j.num_combinations; k++) {
    const int* made = j.combinations + 3 * k;
    float total = 0.0f;
    for (int i = made[1]; i < made[1] + made[2]; i++)
      total += rows[j.combination_rows[i] * step] * j.combination_factors[i];
    rows[made[0] * step] = total;
  }
  const size_t first = j.my_first + (size_t)board * j.my_elements, base = first + h;
  for (int k = 0; k < j.num_up; k++) {
    const int own = j.up[5 * k], num = j.up[5 * k + 1], child = j.up[5 * k + 4];
    const size_t result = j.up[5 * k + 3] * step;
    float value = 0.0f;
    const int row = first / wide + j.up[5 * k + 2];
    if (!own || (j.mode == BEST && !is_locked(j, row, h))) {
      for (int a = child; a < child + num; a++) {
        const float gain = rows[j.child_rows[a] * step] * j.child_factors[a];
        value = !own ? value + gain : a == child ? gain : fmaxf(value, gain);
      }
      rows[result] = value;
      continue;
    }
    const size_t start = base + (size_t)j.up[5 * k + 2] * wide;
    const float* played = (j.mode == LEARN ? j.regrets : j.averages) + start;
    float total = 0.0f;
    for (int a = 0; a < num; a++) total += above_zero(played[a * wide]);
    const float scale = total > 0.0f ? 1.0f / total : 0.0f, even = total > 0.0f ? 0.0f : 1.0f / num;
    for (int a = 0; a < num; a++) {
      const float part = above_zero(played[a * wide]) * scale + even;
      value += part * rows[j.child_rows[child + a] * step] * j.child_factors[child + a];
    }
    rows[result] = value;
    if (j.mode != LEARN) continue;
    for (int a = 0; a < num; a++) {
      const float regret = j.regrets[start + a * wide];
      const float part = above_zero(regret) * scale + even;
      const float gain = rows[j.child_rows[child + a] * step] * j.child_factors[child + a];
      const float kept = j.discounts[regret > 0.0f ? 0 : 1];
      j.regrets[start + a * wide] = regret * kept + (gain - value);
      j.averages[start + a * wide] = j.averages[start + a * wide] * j.discounts[2] + part;
    }
  }
}

// Grid: locks · tiles of hands. Overwrites what the learner has learned with locked strategies.
KERNEL(enforce) {
  const int h = blockIdx.x % j.tiles * blockDim.x + threadIdx.x, which = blockIdx.x / j.tiles;
  if (h >= j.my_size || !(j.lock_masks[(size_t)which * j.my_width + h] > 0.0f)) return;
  const size_t wide = j.my_width, start = j.lock_rows[which] * wide + h;
  const int first = j.lock_starts[which], num = j.lock_starts[which + 1] - first;
  for (int a = 0; a < num; a++) {
    const float locked = j.lock_values[(first + a) * wide + h];
    j.regrets[start + a * wide] = j.averages[start + a * wide] = locked;
  }
}

// Grid: boards above · tiles of hands. Values of a street's chance nodes from those of the next.
KERNEL(add_children) {
  const int h = blockIdx.x % j.tiles * blockDim.x + threadIdx.x, here = blockIdx.x / j.tiles;
  if (h >= j.my_width) return;
  const int board = j.first_above + here;
  const size_t wide = j.my_width;
  const int hand = h < j.my_size ? j.canonical[(size_t)j.stabiliser[board] * wide + h] : h;
  for (int i = 0; i < j.num_roots; i++) {
    const float* below = j.rows + (size_t)j.root_rows[i] * j.num_here * wide;
    float total = 0.0f;
    for (int child = j.first_child[board]; child < j.first_child[board + 1]; child++)
      for (int m = j.first_member[child]; m < j.first_member[child + 1]; m++)
        total += below[(size_t)(child - j.first_board) * wide +
                       j.renamed[(size_t)j.members[m] * wide + hand]];
    j.rows_above[((size_t)j.chance_rows[i] * j.num_above + board) * wide + h] = total;
  }
}
