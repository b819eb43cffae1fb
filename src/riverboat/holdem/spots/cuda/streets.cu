// Passes over a betting tree of any shape, as the schedules of plan.py say: streets before the river,
// and the river where no kernel of its own is made for it.

// One column of the opponent's hands through the opponent's nodes `first` … `last`; `local` are the rows of
// this street, `source` the board's numbers.
INLINE void descend_column(const Job& j, int board, int first, int last, size_t source,
                           float* local, int h) {
  for (int k = first; k < last; k++) {
    const int num = j.down[4 * k], before = j.down[4 * k + 2];
    const size_t at = source + (size_t)j.down[4 * k + 1] * j.their_width + h;
    float* after = local + (size_t)(j.down[4 * k + 3] - j.reach_first) * j.their_width + h;
    float total = 0.0f;
    for (int a = 0; a < num; a++) total += above(played(j, at + (size_t)a * j.their_width));
    const float here = before >= j.reach_first
                           ? local[(size_t)(before - j.reach_first) * j.their_width + h]
                           : reach_row(j, board, before)[h];
    const float scale = total > 0.0f ? here / total : 0.0f;
    const float even = total > 0.0f ? 0.0f : here / num;
    for (int a = 0; a < num; a++)
      after[(size_t)a * j.their_width] =
          above(played(j, at + (size_t)a * j.their_width)) * scale + even;
  }
}

// Whether a hand is locked at the learner's node that begins in row `row`.
INLINE bool is_locked(const Job& j, int row, int h) {
  for (int k = 0; k < j.num_locks; k++)
    if (j.lock_rows[k] == row) return j.lock_masks[(size_t)k * j.my_width + h] > 0.0f;
  return false;
}

// One column of the learner's hands through the nodes `first` … `last` of `up`; `base` is the
// board's first row among the player's numbers, `rows` hold the values of this street.
INLINE void ascend_column(const Job& j, int first, int last, int base, float* rows, int h) {
  const size_t wide = j.my_width;
  float* column = rows + h;
  for (int k = first; k < last; k++) {
    const int* node = j.up + 8 * k;
    const int num = node[1], child = node[4], row = base + node[2];
    float value = 0.0f;
#define GAIN(a) (column[j.child_rows[child + (a)] * wide] * j.child_factors[child + (a)])
    if (node[0] == 0) {
      for (int a = 0; a < num; a++) value += GAIN(a);
      column[node[3] * wide] = value;
      continue;
    }
    const size_t at = row * wide + h;
    if (j.mode == BEST && !is_locked(j, row, h)) {
      value = GAIN(0);
      for (int a = 1; a < num; a++) value = fmaxf(value, GAIN(a));
      column[node[3] * wide] = value;
      continue;
    }
    float total = 0.0f;
    const bool learn = j.mode == LEARN;
    Learned* regrets = (Learned*)j.regrets + at;
#define OWN(a) (learn ? known(regrets[(a) * wide]) : kept(((Kept*)j.averages)[at + (a) * wide]))
    for (int a = 0; a < num; a++) total += above(OWN(a));
    const float scale = total > 0.0f ? 1.0f / total : 0.0f, even = total > 0.0f ? 0.0f : 1.0f / num;
    for (int a = 0; a < num; a++) value += (above(OWN(a)) * scale + even) * GAIN(a);
    column[node[3] * wide] = value;
    if (!learn) continue;
    const float up = j.weights[0], down = j.weights[1], stay = j.weights[2], add = j.weights[3];
    for (int a = 0; a < num; a++) {
      const float regret = known(regrets[a * wide]);
      Kept* average = (Kept*)j.averages + at + a * wide;
      // Where nothing is added averages are not kept yet.
      if (add > 0.0f) *average = keep(kept(*average) * stay + (above(regret) * scale + even) * add);
      regrets[a * wide] = learned(regret * (regret > 0.0f ? up : down) + (GAIN(a) - value));
    }
#undef OWN
#undef GAIN
  }
}

// Grid: boards · roots · tiles. A street before the river, downwards.
KERNEL(descend) {
  const int h = (blockIdx.x % j.tiles) * blockDim.x + threadIdx.x, rest = blockIdx.x / j.tiles;
  const int root = rest % j.num_roots, board = rest / j.num_roots;
  const int* marks = j.chunks + 10 * root;
  if (h >= j.their_size) return;
  const size_t source = ((size_t)j.their_first + (size_t)board * j.their_rows) * j.their_width;
  float* local = j.reach + (size_t)board * j.reach_count * j.their_width;
  if (j.is_first && root == 0) local[h] = j.their_weights[h];
  descend_column(j, board, marks[0], marks[1], source, local, h);
}

// The programs of a street say for each root what to do, in one piece: 8 numbers, then what they
// name. A block has its program in shared memory, and next to it columns of what it reads.
INLINE void read_program(int* program, const int* all, int root, int size) {
  const int4* from = (const int4*)(all + (size_t)root * size);
  for (int i = threadIdx.x; i < size / 4; i += blockDim.x) ((int4*)program)[i] = from[i];
  __syncthreads();
}

// Columns of up to READ_AHEAD rows at a time: all reads are on their way before the first is kept.
#define READ_AHEAD 8
#define READ_ROWS(count, read, keep_it)                         \
  for (int first = 0; first < (count); first += READ_AHEAD) {   \
    float held[READ_AHEAD];                                     \
    _Pragma("unroll") for (int i = 0; i < READ_AHEAD; i++) {    \
      const int r = first + i;                                  \
      if (r < (count)) held[i] = read;                          \
    }                                                           \
    _Pragma("unroll") for (int i = 0; i < READ_AHEAD; i++) {    \
      const int r = first + i;                                  \
      if (r < (count)) keep_it = held[i];                       \
    }                                                           \
  }

// One of the opponent's nodes with N actions: `mine` what the opponent plays by, `state` reach.
template <int N>
INLINE void part_reach(const float* mine, float here, float* state, float* out, int step,
                       size_t wide, int num) {
  const int n = N ? N : num;
  float part[N ? N : 1], total = 0.0f;
  if (N) {
#pragma unroll
    for (int a = 0; a < N; a++) part[a] = mine[a * step];
#pragma unroll
    for (int a = 0; a < N; a++) total += part[a];
  } else {
    for (int a = 0; a < n; a++) total += mine[a * step];
  }
  const float scale = total > 0.0f ? here / total : 0.0f, even = total > 0.0f ? 0.0f : here / n;
#pragma unroll
  for (int a = 0; a < n; a++) {
    const float reach = (N ? part[N ? a : 0] : mine[a * step]) * scale + even;
    state[a * step] = reach;
    out[a * wide] = reach;
  }
}

// The same with all it reads in shared memory first, so that nothing waits for one number after
// another. Program: nodes, first row, rows, first row of reach after; nodes of 4: actions, row,
// row of reach before (−1 where it is the root's), row of reach after.
KERNEL(descend_near) {
  SHARED_BYTES
  const int h = (blockIdx.x % j.tiles) * blockDim.x + threadIdx.x, rest = blockIdx.x / j.tiles;
  const int root = rest % j.num_roots, board = rest / j.num_roots, step = blockDim.x;
  int* program = (int*)shared_bytes;
  float* local = j.reach + (size_t)board * j.reach_count * j.their_width;
  if (j.is_first && root == 0 && h < j.their_size) local[h] = j.their_weights[h];
  read_program(program, j.down_programs, root, j.down_size);
  const int num_nodes = program[0], row = program[1], num_rows = program[2], after = program[3];
  if (num_nodes == 0 || h >= j.their_size) return;
  float* own = (float*)(program + j.down_size) + threadIdx.x;
  float* state = own + num_rows * step;
  const size_t wide = j.their_width;
  const size_t at = ((size_t)j.their_first + (size_t)board * j.their_rows + row) * wide + h;
  const float start = program[4] >= j.reach_first ? j.their_weights[h]
                                                  : reach_row(j, board, program[4])[h];
  if (j.mode == LEARN) {
    const Learned* regrets = (const Learned*)j.source + at;
    READ_ROWS(num_rows, above(known(regrets[r * wide])), own[r * step])
  } else {
    const Kept* averages = (const Kept*)j.source + at;
    READ_ROWS(num_rows, kept(averages[r * wide]), own[r * step])
  }
  local += (size_t)(after - j.reach_first) * wide + h;
  for (int k = 0; k < num_nodes; k++) {
    const int4 node = ((const int4*)program)[2 + k];
    const float* mine = own + node.y * step;
    const float here = node.z >= 0 ? state[node.z * step] : start;
    float *part = state + node.w * step, *out = local + (size_t)node.w * wide;
    switch (node.x) {
      case 2: part_reach<2>(mine, here, part, out, step, wide, 2); break;
      case 3: part_reach<3>(mine, here, part, out, step, wide, 3); break;
      case 4: part_reach<4>(mine, here, part, out, step, wide, 4); break;
      default: part_reach<0>(mine, here, part, out, step, wide, node.x);
    }
  }
}

// Grid: boards · opponent_reach. What each hand meets where a player folds before the river.
KERNEL(sum_opponent_reach) {
  SHARED_BYTES
  float* part = (float*)shared_bytes;
  STATIC_SHARED float card_sums[52], sums[128];
  const int which = blockIdx.x % j.num_opponent_reach, board = blockIdx.x / j.num_opponent_reach;
  const float* reach = reach_row(j, board, j.opponent_reach[2 * which]);
  const u64 dealt = j.dealt[board];
  float mine = 0.0f;
  for (int h = threadIdx.x; h < j.their_size; h += blockDim.x) {
    const bool there = !((dealt >> j.their_cards[2 * h]) & 1) &&
                       !((dealt >> j.their_cards[2 * h + 1]) & 1);
    part[h] = there ? reach[h] : 0.0f;
    mine += part[h];
  }
  sums[threadIdx.x] = mine;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if ((int)threadIdx.x < d) sums[threadIdx.x] += sums[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x < 52) {
    float sum = 0.0f;
    for (int i = j.card_starts[threadIdx.x]; i < j.card_starts[threadIdx.x + 1]; i++)
      sum += part[j.card_list[i]];
    card_sums[threadIdx.x] = sum;
  }
  __syncthreads();
  const int* same_hands = j.canonical + (size_t)j.stabiliser[board] * j.my_width;
  float* row = j.rows + ((size_t)board * j.rows_count + j.opponent_reach[2 * which + 1]) * j.my_width;
  for (int h = threadIdx.x; h < j.my_size; h += blockDim.x) {
    const int hand = same_hands[h], a = j.my_cards[2 * hand], b = j.my_cards[2 * hand + 1];
    float mass = sums[0] - (card_sums[a] + card_sums[b]);
    if (j.same[hand] >= 0) mass += part[j.same[hand]];
    row[h] = ((dealt >> a) & 1) || ((dealt >> b) & 1) ? 0.0f : mass;
  }
}

// Grid: boards · roots of the next street · tiles. Their values, summed over all cards; `links` name
// for each card its board of the next street and the renaming of suits that leads there.
KERNEL(add_boards) {
  STATIC_SHARED int link[2 * 52];
  const int h = (blockIdx.x % j.tiles) * blockDim.x + threadIdx.x, rest = blockIdx.x / j.tiles;
  const int root = rest % j.num_below, board = rest / j.num_below;
  for (int i = threadIdx.x; i < 2 * j.num_links; i += blockDim.x)
    link[i] = j.links[2 * board * j.num_links + i];
  __syncthreads();
  if (h >= j.my_size) return;
  const int hand = j.canonical[(size_t)j.stabiliser[board] * j.my_width + h];
  const float* values = j.below + j.below_starts[root];
  float sum = 0.0f;
#pragma unroll 12
  for (int i = 0; i < j.num_links; i++) {
    const int which = link[2 * i + 1];
    const int place = which ? j.renamed[which * j.my_width + hand] : hand;
    sum += values[(size_t)link[2 * i] * j.below_stride + place];
  }
  j.rows[((size_t)board * j.rows_count + j.chances[2 * root + 1]) * j.my_width + h] = sum;
}

// Grid: boards · roots · tiles. A street before the river, upwards.
KERNEL(ascend) {
  const int h = (blockIdx.x % j.tiles) * blockDim.x + threadIdx.x, rest = blockIdx.x / j.tiles;
  const int root = rest % j.num_roots, board = rest / j.num_roots;
  const int* marks = j.chunks + 10 * root;
  if (h >= j.my_size) return;
  float* rows = j.rows + (size_t)board * j.rows_count * j.my_width;
  ascend_column(j, marks[2], marks[3], j.my_first + board * j.my_rows, rows, h);
}

// One hand's column of a street's numbers in shared memory, and where they go.
struct Column {
  float *own, *old, *value;
  Learned* regrets;
  Kept* averages;
  int step;
  size_t wide;
  float up, down, stay, add;
};

INLINE void learn_action(const Column& c, int row, float regret, float share, float gain, float found) {
  c.regrets[row * c.wide] = learned(regret * (regret > 0.0f ? c.up : c.down) + (gain - found));
  if (c.add > 0.0f) c.averages[row * c.wide] = keep(c.old[row * c.step] * c.stay + share * c.add);
}

// A node's value from those of its N actions; `edges` are pairs of a row and a factor. `row` is the
// learner's first one here, or −1 where the learner does not act.
template <int N>
INLINE float rise(const Column& c, const int2* edges, int row, bool best, bool learn) {
  float gain[N], share[N], regret[N], found = 0.0f, total = 0.0f;
#pragma unroll
  for (int a = 0; a < N; a++) {
    const int2 edge = edges[a];
    gain[a] = c.value[edge.x * c.step] * as_float(edge.y);
  }
  if (row < 0) {
#pragma unroll
    for (int a = 0; a < N; a++) found += gain[a];
    return found;
  }
  if (best) {
    found = gain[0];
#pragma unroll
    for (int a = 1; a < N; a++) found = fmaxf(found, gain[a]);
    return found;
  }
#pragma unroll
  for (int a = 0; a < N; a++) {
    regret[a] = c.own[(row + a) * c.step];
    share[a] = above(regret[a]);
    total += share[a];
  }
  const float scale = total > 0.0f ? 1.0f / total : 0.0f, even = total > 0.0f ? 0.0f : 1.0f / N;
#pragma unroll
  for (int a = 0; a < N; a++) {
    share[a] = share[a] * scale + even;
    found += share[a] * gain[a];
  }
  if (learn)
#pragma unroll
    for (int a = 0; a < N; a++) learn_action(c, row + a, regret[a], share[a], gain[a], found);
  return found;
}

// The same for any number of actions.
INLINE float rise_any(const Column& c, const int2* edges, int num, int row, bool best, bool learn) {
#define GAIN(a) (c.value[edges[a].x * c.step] * as_float(edges[a].y))
  float found = 0.0f, total = 0.0f;
  if (row < 0) {
    for (int a = 0; a < num; a++) found += GAIN(a);
    return found;
  }
  if (best) {
    found = GAIN(0);
    for (int a = 1; a < num; a++) found = fmaxf(found, GAIN(a));
    return found;
  }
  const float* mine = c.own + row * c.step;
  for (int a = 0; a < num; a++) total += above(mine[a * c.step]);
  const float scale = total > 0.0f ? 1.0f / total : 0.0f, even = total > 0.0f ? 0.0f : 1.0f / num;
  for (int a = 0; a < num; a++) found += (above(mine[a * c.step]) * scale + even) * GAIN(a);
  if (learn)
    for (int a = 0; a < num; a++)
      learn_action(c, row + a, mine[a * c.step], above(mine[a * c.step]) * scale + even, GAIN(a), found);
#undef GAIN
  return found;
}

// The same with all it reads in shared memory first; the rows of a root's values lie side by side.
// Program: nodes, first own row, own rows, first row of values, rows that are read, where these,
// nodes and edges begin. Nodes of 4: actions, own row or −1, row of the value, first edge.
KERNEL(ascend_near) {
  SHARED_BYTES
  const int h = (blockIdx.x % j.tiles) * blockDim.x + threadIdx.x, rest = blockIdx.x / j.tiles;
  const int root = rest % j.num_roots, board = rest / j.num_roots, step = blockDim.x;
  int* program = (int*)shared_bytes;
  const bool learn = j.mode == LEARN;
  Column c;
  c.up = j.weights[0], c.down = j.weights[1], c.stay = j.weights[2], c.add = j.weights[3];
  read_program(program, j.up_programs, root, j.up_size);
  if (h >= j.my_size) return;
  const int num_nodes = program[0], num_own = program[2], row0 = program[3], num_read = program[4];
  const int* reads = program + program[5];
  const int4* nodes = (const int4*)(program + program[6]);
  const int2* edges = (const int2*)(program + program[7]);
  const size_t wide = c.wide = j.my_width;
  c.step = step;
  c.own = (float*)(program + j.up_size) + threadIdx.x;
  c.old = c.own + num_own * step;
  c.value = c.old + (learn ? num_own * step : 0);
  const int base = j.my_first + board * j.my_rows + program[1];
  c.averages = (Kept*)j.averages + (size_t)base * wide + h;
  c.regrets = (Learned*)j.regrets + (size_t)base * wide + h;
  float* rows = j.rows + ((size_t)board * j.rows_count + row0) * wide + h;
  if (learn) {
    for (int first = 0; first < num_own; first += READ_AHEAD) {
      float regret[READ_AHEAD], average[READ_AHEAD];
#pragma unroll
      for (int i = 0; i < READ_AHEAD; i++)
        if (first + i < num_own) regret[i] = known(c.regrets[(first + i) * wide]);
      if (c.add > 0.0f) {
#pragma unroll
        for (int i = 0; i < READ_AHEAD; i++)
          if (first + i < num_own) average[i] = kept(c.averages[(first + i) * wide]);
      }
#pragma unroll
      for (int i = 0; i < READ_AHEAD; i++)
        if (first + i < num_own) c.own[(first + i) * step] = regret[i];
      if (c.add > 0.0f) {
#pragma unroll
        for (int i = 0; i < READ_AHEAD; i++)
          if (first + i < num_own) c.old[(first + i) * step] = average[i];
      }
    }
  } else {
    READ_ROWS(num_own, kept(c.averages[r * wide]), c.own[r * step])
  }
  READ_ROWS(num_read, rows[reads[r] * wide], c.value[reads[r] * step])
  for (int k = 0; k < num_nodes; k++) {
    const int4 node = nodes[k];
    const int2* edge = edges + node.w;
    const bool best = j.mode == BEST && node.y >= 0 && !is_locked(j, base + node.y, h);
    float found;
    switch (node.x) {
      case 2: found = rise<2>(c, edge, node.y, best, learn); break;
      case 3: found = rise<3>(c, edge, node.y, best, learn); break;
      case 4: found = rise<4>(c, edge, node.y, best, learn); break;
      default: found = rise_any(c, edge, node.x, node.y, best, learn);
    }
    c.value[node.z * step] = found;
    rows[node.z * wide] = found;
  }
}

// Grid: any number of blocks, which share out boards · roots (`river_roots` names them). The
// river, whatever its tree.
KERNEL(river_any) {
  SHARED_BYTES
  const int spaces = j.their_size + 1;
  float4* values = (float4*)shared_bytes;
  float4* sums = values + spaces;
  float4* by_card = sums + spaces;
  float4* totals = by_card + 2 * j.their_size + 52;
  float* local = j.scratch_reach + (size_t)blockIdx.x * j.scratch_reach_size;
  float* rows = j.scratch_rows + (size_t)blockIdx.x * j.scratch_rows_size;
  const size_t wide = j.my_width;
  for (int item = blockIdx.x; item < j.num_boards * j.num_roots; item += gridDim.x) {
    const int root = j.river_roots[item % j.num_roots], board = item / j.num_roots;
    const int* marks = j.chunks + 10 * root;
    const int valid = j.their_valid[board];
    const u16* list = j.their_list + (size_t)board * j.their_list_size;
    const u16* starts = j.their_starts + board * STARTS;
    const u16* places = j.their_places + (size_t)board * j.their_width;
    const uint4* records = j.records + (size_t)board * wide;
    const size_t source = ((size_t)j.their_first + (size_t)board * j.their_rows) * j.their_width;
    for (int h = threadIdx.x; h < j.their_size; h += blockDim.x) {
      if (j.is_first) local[h] = j.their_weights[h];
      descend_column(j, board, marks[0], marks[1], source, local, h);
    }
    if (threadIdx.x == 0) set_zero(values[j.their_size]);
    __syncthreads();
    for (int lane = 8 * marks[4]; lane < 8 * marks[5]; lane += 4) {
      const float* state[4];
      for (int i = 0; i < 4; i++) {
        const int row = j.lane_reach[lane + i];
        state[i] = row >= j.reach_first
                       ? local + (size_t)(row - j.reach_first) * j.their_width
                       : reach_row(j, board, row);
      }
      for (int h = threadIdx.x; h < j.their_size; h += blockDim.x)
        if (places[h] != NOWHERE)
          values[places[h]] = make_float4(state[0][h], state[1][h], state[2][h], state[3][h]);
      __syncthreads();
      if (threadIdx.x < 32) scan_places(values, sums, valid, threadIdx.x);
      if (threadIdx.x >= 32 && threadIdx.x < 84)
        scan_card(values, by_card, totals, list, starts, threadIdx.x - 32);
      __syncthreads();
      const float* f = j.lane_factors + 3 * lane;
      for (int h = threadIdx.x; h < j.my_size; h += blockDim.x) {
        const uint4 record = records[h];
        float4 value, mass;
        set_zero(value);
        set_zero(mass);
        if ((record.x & 0xFFFF) != NOWHERE) {
          const Met<float4> met = meet(record, values, sums, by_card, totals, valid);
          mass = met.mass;
          value.x = f[0] * met.beaten.x + f[1] * met.level.x + f[2] * mass.x;
          value.y = f[3] * met.beaten.y + f[4] * met.level.y + f[5] * mass.y;
          value.z = f[6] * met.beaten.z + f[7] * met.level.z + f[8] * mass.z;
          value.w = f[9] * met.beaten.w + f[10] * met.level.w + f[11] * mass.w;
        }
        rows[j.lane_values[lane] * wide + h] = value.x;
        rows[j.lane_opponent_reach[lane] * wide + h] = mass.x;
        rows[j.lane_values[lane + 1] * wide + h] = value.y;
        rows[j.lane_opponent_reach[lane + 1] * wide + h] = mass.y;
        rows[j.lane_values[lane + 2] * wide + h] = value.z;
        rows[j.lane_opponent_reach[lane + 2] * wide + h] = mass.z;
        rows[j.lane_values[lane + 3] * wide + h] = value.w;
        rows[j.lane_opponent_reach[lane + 3] * wide + h] = mass.w;
      }
      __syncthreads();
    }
    for (int h = threadIdx.x; h < j.my_size; h += blockDim.x) {
      for (int k = marks[6]; k < marks[7]; k++) {
        float sum = 0.0f;
        for (int i = 0; i < j.combinations[3 * k + 2]; i++) {
          const int from = j.combinations[3 * k + 1] + i;
          sum += rows[j.combination_rows[from] * wide + h] * j.combination_factors[from];
        }
        rows[j.combinations[3 * k] * wide + h] = sum;
      }
      ascend_column(j, marks[2], marks[3], j.my_first + board * j.my_rows, rows, h);
      j.root_values[((size_t)root * j.num_boards + board) * wide + h] =
          rows[j.roots[root] * wide + h];
    }
    __syncthreads();
  }
}

// The factors of the iteration that begins.
KERNEL(next_weights) {
  if (threadIdx.x < 4) j.weights[threadIdx.x] = j.table[4 * j.counter[0] + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) j.counter[0]++;
}

// Grid: locks. Overwrites what the learner has learned with the locked strategy.
KERNEL(enforce) {
  const int which = blockIdx.x;
  const size_t start = (size_t)j.lock_rows[which] * j.my_width;
  const float* locked = j.lock_values + (size_t)j.lock_starts[which] * j.my_width;
  const int num = j.lock_starts[which + 1] - j.lock_starts[which];
  for (int h = threadIdx.x; h < j.my_size; h += blockDim.x)
    if (j.lock_masks[(size_t)which * j.my_width + h] > 0.0f)
      for (int a = 0; a < num; a++) {
        ((Learned*)j.regrets)[start + a * j.my_width + h] = learned(locked[a * j.my_width + h]);
        ((Kept*)j.averages)[start + a * j.my_width + h] = keep(locked[a * j.my_width + h]);
      }
}

// One block. The weighted sum of the root's values.
KERNEL(weigh) {
  STATIC_SHARED double sums[256];
  double sum = 0.0;
  for (int h = threadIdx.x; h < j.my_size; h += blockDim.x)
    sum += (double)j.my_weights[h] * (double)j.root_row[h];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if ((int)threadIdx.x < d) sums[threadIdx.x] += sums[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) j.result[0] = sums[0];
}
