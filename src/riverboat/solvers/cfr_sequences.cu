// The CFR family on a sequence form (solvers/cfr.py), one launch for all infosets of one player
// and depth. OTHERS is the number of other players.
//
// Payoffs stand in slices of 32 sequences of similar length, the entries of a slice side by side.
// An infoset's value is not added to the sequence that leads to it: that sequence gathers the
// values of the infosets that follow it, in the order in which the CPU adds them.

INLINE int thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }

// What a sequence is worth with all that follows it; `gains` has what it earns at once.
INLINE double with_later(const Job& j, int s) {
  double gain = j.gains[s];
  for (int c = j.later_starts[s]; c < j.later_starts[s + 1]; c++) gain += j.values[j.later[c]];
  return gain;
}

// A player's gains from the others' plans; while learning also the average.
KERNEL(earn) {
  const int i = thread_number();
  if (i >= j.count) return;
  const int at = j.first + i, s = j.slice_rows[at];
  if (s < 0) return;
  if (j.mode == LEARN) j.average[s] += j.rules[j.counter[0]].weight * j.plan[s];
  const long long first = j.slice_starts[at / 32] + at % 32;
  const int length = j.lengths[at];
  double total = 0.0;
#pragma unroll 4
  for (int e = 0; e < length; e++) {
    const long long entry = first + 32ll * e;
    double term = j.payoffs[entry];
    for (int o = 0; o < OTHERS; o++) term *= j.plan[j.others[o * j.num_entries + entry]];
    total += term;
  }
  j.gains[s] = total;
}

// Values, regrets and next strategy of the infosets of one depth, after those below.
KERNEL(learn) {
  const int i = thread_number();
  if (i >= j.count) return;
  const int place = j.first + i;
  const int first = j.starts[place], n = j.strides[place], k = j.actions[place];
  const Rule rule = j.rules[j.counter[0]];
  const double scale = rule.prediction > 0.0 ? rule.scale : 1.0;
  double value = 0.0, total = 0.0;
  for (int a = 0; a < k; a++) {
    const int s = first + a * n;
    const double gain = with_later(j, s);
    j.gains[s] = gain;
    value += j.behaviour[s] * gain;
  }
  j.values[place] = value;
  for (int a = 0; a < k; a++) {
    const int s = first + a * n;
    const double newest = j.gains[s] - value;
    const double regret = renewed(rule, j.regrets[s], newest);
    j.regrets[s] = regret;
    const double weight = scale * regret + rule.prediction * newest;
    j.behaviour[s] = weight > 0.0 ? weight : 0.0;
    total += weight > 0.0 ? weight : 0.0;
  }
  const double uniform = total > TINY ? 0.0 : 1.0 / k;
  const double inverse = total > TINY ? 1.0 / total : 0.0;
  for (int a = 0; a < k; a++) {
    const int s = first + a * n;
    j.behaviour[s] = j.behaviour[s] * inverse + uniform;
  }
}

// The best value of the infosets of one depth, after those below.
KERNEL(respond) {
  const int i = thread_number();
  if (i >= j.count) return;
  const int place = j.first + i;
  const int first = j.starts[place], n = j.strides[place], k = j.actions[place];
  double best = with_later(j, first);
  for (int a = 1; a < k; a++) {
    const double gain = with_later(j, first + a * n);
    if (gain > best) best = gain;
  }
  j.values[place] = best;
}

// Plans of the sequences of one depth, from those above.
KERNEL(realise) {
  const int i = thread_number();
  if (i >= j.count) return;
  const int place = j.first + i;
  const int first = j.starts[place], n = j.strides[place], k = j.actions[place];
  const double above = j.plan[j.parents[place]];
  for (int a = 0; a < k; a++) j.plan[first + a * n] = above * j.behaviour[first + a * n];
}

// A player's plan that the average stands for.
KERNEL(spread) {
  const int i = thread_number();
  if (i >= j.count) return;
  j.plan[j.first + i] = j.average[j.first + i] * (1.0 / j.average[j.first]);
}

// The sum over a block, by pairs: the same bits for the same number of threads.
INLINE double block_sum(double mine) {
  STATIC_SHARED double sums[256];
  sums[threadIdx.x] = mine;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  return sums[0];
}

// What a player gets: each block adds up its part of plan times gains…
KERNEL(weigh) {
  double mine = 0.0;
  for (int i = thread_number(); i < j.count; i += gridDim.x * 256)
    mine += j.plan[j.first + i] * j.gains[j.first + i];
  const double sum = block_sum(mine);
  if (threadIdx.x == 0) j.parts[blockIdx.x] = sum;
}

// …and one block adds up the parts. Next to it the best response, once all values are there.
KERNEL(conclude) {
  const double sum = block_sum(threadIdx.x < j.count ? j.parts[threadIdx.x] : 0.0);
  if (threadIdx.x == 0) {
    j.result[2 * j.player] = sum;
    j.result[2 * j.player + 1] = with_later(j, j.first);
  }
}
