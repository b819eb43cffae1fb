// Passes over a betting tree of any shape, as spot_plan's schedules say: streets before the river,
// and the river where no kernel of its own is made for it.

// One column of the opponent's hands through his nodes `first` … `last`; `local` are the rows of
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

// Whether a hand is told what to play at the learner's node that begins in row `row`.
INLINE bool is_told(const Job& j, int row, int h) {
  for (int k = 0; k < j.num_locks; k++)
    if (j.lock_rows[k] == row) return j.lock_masks[(size_t)k * j.my_width + h] > 0.0f;
  return false;
}

// One column of the learner's hands through the nodes `first` … `last` of `up`; `base` is the
// board's first row among his numbers, `rows` hold the values of this street.
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
    if (j.mode == BEST && !is_told(j, row, h)) {
      value = GAIN(0);
      for (int a = 1; a < num; a++) value = fmaxf(value, GAIN(a));
      column[node[3] * wide] = value;
      continue;
    }
    float total = 0.0f;
    const bool learn = j.mode == LEARN;
#define OWN(a) (learn ? j.regrets[at + (a) * wide] : kept(((Kept*)j.averages)[at + (a) * wide]))
    for (int a = 0; a < num; a++) total += above(OWN(a));
    const float scale = total > 0.0f ? 1.0f / total : 0.0f, even = total > 0.0f ? 0.0f : 1.0f / num;
    for (int a = 0; a < num; a++) value += (above(OWN(a)) * scale + even) * GAIN(a);
    column[node[3] * wide] = value;
    if (!learn) continue;
    const float up = j.weights[0], down = j.weights[1], stay = j.weights[2], add = j.weights[3];
    for (int a = 0; a < num; a++) {
      const float regret = j.regrets[at + a * wide];
      Kept* average = (Kept*)j.averages + at + a * wide;
      // Where nothing is added averages are not kept yet.
      if (add > 0.0f) *average = keep(kept(*average) * stay + (above(regret) * scale + even) * add);
      j.regrets[at + a * wide] = regret * (regret > 0.0f ? up : down) + (GAIN(a) - value);
    }
#undef OWN
#undef GAIN
  }
}

// Grid: boards · roots · tiles. A street before the river, downwards.
KERNEL(descend) {
  const int h = (blockIdx.x % j.tiles) * blockDim.x + threadIdx.x, rest = blockIdx.x / j.tiles;
  const int root = rest % j.num_roots, board = rest / j.num_roots;
  const int* marks = j.chunks + 12 * root;
  if (h >= j.their_size) return;
  const size_t source = ((size_t)j.their_first + (size_t)board * j.their_rows) * j.their_width;
  float* local = j.reach + (size_t)board * j.reach_count * j.their_width;
  if (j.is_first && root == 0) local[h] = j.their_weights[h];
  descend_column(j, board, marks[0], marks[1], source, local, h);
}

// The same with all it reads in shared memory first, so that nothing waits for one number after
// another. A root's rows of numbers and of reach lie side by side.
KERNEL(descend_near) {
  SHARED_BYTES
  const int h = (blockIdx.x % j.tiles) * blockDim.x + threadIdx.x, rest = blockIdx.x / j.tiles;
  const int root = rest % j.num_roots, board = rest / j.num_roots, step = blockDim.x;
  const int first = j.chunks[12 * root], num_nodes = j.chunks[12 * root + 1] - first;
  int* nodes = (int*)shared_bytes;
  for (int i = threadIdx.x; i < 4 * num_nodes; i += step) nodes[i] = j.down[4 * first + i];
  float* local = j.reach + (size_t)board * j.reach_count * j.their_width;
  if (j.is_first && root == 0 && h < j.their_size) local[h] = j.their_weights[h];
  __syncthreads();
  if (num_nodes == 0 || h >= j.their_size) return;
  const int* last = nodes + 4 * (num_nodes - 1);
  const int row = nodes[1], after = nodes[3], num_rows = last[1] + last[0] - row;
  float* own = (float*)(nodes + 4 * num_nodes) + threadIdx.x;
  float* state = own + num_rows * step;
  const size_t at = ((size_t)j.their_first + (size_t)board * j.their_rows + row) * j.their_width + h;
#pragma unroll 8
  for (int r = 0; r < num_rows; r++) own[r * step] = above(played(j, at + (size_t)r * j.their_width));
  const float start = nodes[2] >= j.reach_first ? j.their_weights[h]
                                                : reach_row(j, board, nodes[2])[h];
  for (int k = 0; k < num_nodes; k++) {
    const int num = nodes[4 * k], before = nodes[4 * k + 2], to = nodes[4 * k + 3] - after;
    const float* mine = own + (nodes[4 * k + 1] - row) * step;
    float total = 0.0f;
    for (int a = 0; a < num; a++) total += mine[a * step];
    const float here = before >= after ? state[(before - after) * step] : start;
    const float scale = total > 0.0f ? here / total : 0.0f, even = total > 0.0f ? 0.0f : here / num;
    for (int a = 0; a < num; a++) {
      const float part = mine[a * step] * scale + even;
      state[(to + a) * step] = part;
      local[(size_t)(after - j.reach_first + to + a) * j.their_width + h] = part;
    }
  }
}

// Grid: boards · masses. What each hand meets where somebody folds before the river.
KERNEL(count_masses) {
  SHARED_BYTES
  float* part = (float*)shared_bytes;
  STATIC_SHARED float card_sums[52], sums[128];
  const int which = blockIdx.x % j.num_masses, board = blockIdx.x / j.num_masses;
  const float* reach = reach_row(j, board, j.masses[2 * which]);
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
  float* row = j.rows + ((size_t)board * j.rows_count + j.masses[2 * which + 1]) * j.my_width;
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
  const int* marks = j.chunks + 12 * root;
  if (h >= j.my_size) return;
  float* rows = j.rows + (size_t)board * j.rows_count * j.my_width;
  ascend_column(j, marks[2], marks[3], j.my_first + board * j.my_rows, rows, h);
}

// The same with all it reads in shared memory first; the rows of a root's values lie side by side.
KERNEL(ascend_near) {
  SHARED_BYTES
  const int h = (blockIdx.x % j.tiles) * blockDim.x + threadIdx.x, rest = blockIdx.x / j.tiles;
  const int root = rest % j.num_roots, board = rest / j.num_roots, step = blockDim.x;
  const int* marks = j.chunks + 12 * root;
  const int first = marks[2], num_nodes = marks[3] - first, row0 = marks[10];
  const int child0 = j.up[8 * first + 4], num_edges = marks[11];
  int* nodes = (int*)shared_bytes;
  int* edges = nodes + 8 * num_nodes;
  float* factors = (float*)(edges + num_edges);
  for (int i = threadIdx.x; i < 8 * num_nodes; i += step) nodes[i] = j.up[8 * first + i];
  for (int i = threadIdx.x; i < num_edges; i += step) {
    edges[i] = j.child_rows[child0 + i] - row0;
    factors[i] = j.child_factors[child0 + i];
  }
  __syncthreads();
  if (h >= j.my_size) return;
  const size_t wide = j.my_width;
  float* rows = j.rows + (size_t)board * j.rows_count * wide + h;
  int own0 = -1, own1 = 0;
  for (int k = 0; k < num_nodes; k++)
    if (nodes[8 * k]) {
      own0 = own0 < 0 ? nodes[8 * k + 2] : min(own0, nodes[8 * k + 2]);
      own1 = max(own1, nodes[8 * k + 2] + nodes[8 * k + 1]);
    }
  float* own = factors + num_edges + threadIdx.x;
  float* old = own + max(0, own1 - own0) * step;
  const bool learn = j.mode == LEARN;
  float* value = old + (learn ? max(0, own1 - own0) * step : 0);
  const size_t at = ((size_t)j.my_first + (size_t)board * j.my_rows + max(own0, 0)) * wide + h;
  Kept* averages = (Kept*)j.averages + at;
  float* regrets = j.regrets + at;
#pragma unroll 8
  for (int r = 0; r < own1 - own0; r++) {
    if (learn) own[r * step] = regrets[r * wide];
    if (learn) old[r * step] = kept(averages[r * wide]);
    if (!learn) own[r * step] = kept(averages[r * wide]);
  }
#pragma unroll 8
  for (int i = marks[4]; i < marks[5]; i++) {
    const int row = j.masses[2 * i + 1];
    value[(row - row0) * step] = rows[row * wide];
  }
#pragma unroll 8
  for (int i = marks[6]; i < marks[7]; i++) {
    const int row = j.chances[2 * i + 1];
    value[(row - row0) * step] = rows[row * wide];
  }
  const float up = j.weights[0], down = j.weights[1], stay = j.weights[2], add = j.weights[3];
  const int base = j.my_first + board * j.my_rows;
  for (int k = 0; k < num_nodes; k++) {
    const int* node = nodes + 8 * k;
    const int num = node[1];
    const int* edge = edges + node[4] - child0;
    const float* factor = factors + node[4] - child0;
    float found = 0.0f;
#define GAIN(a) (value[edge[a] * step] * factor[a])
    if (node[0] == 0) {
      for (int a = 0; a < num; a++) found += GAIN(a);
    } else if (j.mode == BEST && !is_told(j, base + node[2], h)) {
      found = GAIN(0);
      for (int a = 1; a < num; a++) found = fmaxf(found, GAIN(a));
    } else {
      const int at_own = node[2] - own0;
      const float* mine = own + at_own * step;
      float total = 0.0f;
      for (int a = 0; a < num; a++) total += above(mine[a * step]);
      const float scale = total > 0.0f ? 1.0f / total : 0.0f;
      const float even = total > 0.0f ? 0.0f : 1.0f / num;
      for (int a = 0; a < num; a++) found += (above(mine[a * step]) * scale + even) * GAIN(a);
      if (learn)
        for (int a = 0; a < num; a++) {
          const float regret = mine[a * step], share = above(regret) * scale + even;
          regrets[(at_own + a) * wide] = regret * (regret > 0.0f ? up : down) + (GAIN(a) - found);
          if (add > 0.0f)
            averages[(at_own + a) * wide] = keep(old[(at_own + a) * step] * stay + share * add);
        }
    }
#undef GAIN
    value[(node[3] - row0) * step] = found;
    rows[node[3] * wide] = found;
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
  float4* totals = by_card + j.their_list_size;
  float* local = j.scratch_reach + (size_t)blockIdx.x * j.scratch_reach_size;
  float* rows = j.scratch_rows + (size_t)blockIdx.x * j.scratch_rows_size;
  const size_t wide = j.my_width;
  for (int item = blockIdx.x; item < j.num_boards * j.num_roots; item += gridDim.x) {
    const int root = j.river_roots[item % j.num_roots], board = item / j.num_roots;
    const int* marks = j.chunks + 12 * root;
    const int valid = j.their_valid[board];
    const u16* list = j.their_list + (size_t)board * j.their_list_size;
    const u16* starts = j.their_starts + board * 56;
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
        rows[j.lane_masses[lane] * wide + h] = mass.x;
        rows[j.lane_values[lane + 1] * wide + h] = value.y;
        rows[j.lane_masses[lane + 1] * wide + h] = mass.y;
        rows[j.lane_values[lane + 2] * wide + h] = value.z;
        rows[j.lane_masses[lane + 2] * wide + h] = mass.z;
        rows[j.lane_values[lane + 3] * wide + h] = value.w;
        rows[j.lane_masses[lane + 3] * wide + h] = mass.w;
      }
      __syncthreads();
    }
    for (int h = threadIdx.x; h < j.my_size; h += blockDim.x) {
      for (int k = marks[6]; k < marks[7]; k++) {
        float sum = 0.0f;
        for (int i = 0; i < j.mixes[3 * k + 2]; i++) {
          const int from = j.mixes[3 * k + 1] + i;
          sum += rows[j.mix_rows[from] * wide + h] * j.mix_factors[from];
        }
        rows[j.mixes[3 * k] * wide + h] = sum;
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

// Grid: locks. Writes what is told over what the learner has learned.
KERNEL(enforce) {
  const int which = blockIdx.x;
  const size_t start = (size_t)j.lock_rows[which] * j.my_width;
  const float* told = j.lock_values + (size_t)j.lock_starts[which] * j.my_width;
  const int num = j.lock_starts[which + 1] - j.lock_starts[which];
  for (int h = threadIdx.x; h < j.my_size; h += blockDim.x)
    if (j.lock_masks[(size_t)which * j.my_width + h] > 0.0f)
      for (int a = 0; a < num; a++) {
        j.regrets[start + a * j.my_width + h] = told[a * j.my_width + h];
        ((Kept*)j.averages)[start + a * j.my_width + h] = keep(told[a * j.my_width + h]);
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
