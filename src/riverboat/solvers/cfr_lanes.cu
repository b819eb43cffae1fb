// The CFR family on a public tree (solvers/_public_cfr.py), one launch for all nodes of one depth,
// one thread for a node and a lane. LANES is the number of lanes, ACTIONS the most actions.
//
// `plan` has the reach of each action by lane, with one more row of ones for what stands before
// any action; a node knows the row from which each player comes to it.

INLINE int thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }

// The strategy of one lane of a node, from regrets or from an average's weights.
INLINE void play(const Job& j, size_t at, int k, double scale, double* sigma) {
  const Rule& rule = j.rules[j.counter[0]];
  double total = 0.0;
#pragma unroll
  for (int a = 0; a < ACTIONS; a++) {
    if (a >= k) continue;
    const size_t here = at + (size_t)a * LANES;
    double weight;
    if (j.mode != LEARN)
      weight = j.weights[here];
    else if (rule.prediction == 0.0)
      weight = j.regrets[here];
    else
      weight = scale * j.regrets[here] + rule.prediction * j.last[here];
    sigma[a] = weight > 0.0 ? weight : 0.0;
    total += sigma[a];
  }
  const double uniform = 1.0 / k, inverse = total > TINY ? 1.0 / total : -1.0;
#pragma unroll
  for (int a = 0; a < ACTIONS; a++)
    if (a < k) sigma[a] = inverse < 0.0 ? uniform : sigma[a] * inverse;
}

// `value` with the payoffs of a table: five of the other's hands at a time, as on the CPU.
INLINE double with_payoffs(const Job& j, int table, const double* other, int x, double value) {
  const size_t number = (size_t)j.player * j.num_tables + table;
  const double* payoff = j.payoffs + number * (LANES * LANES) + x;
  int y = 0;
#pragma unroll
  for (; y + 5 <= LANES; y += 5)
    value += other[y] * payoff[y * LANES] + other[y + 1] * payoff[(y + 1) * LANES] +
             other[y + 2] * payoff[(y + 2) * LANES] + other[y + 3] * payoff[(y + 3) * LANES] +
             other[y + 4] * payoff[(y + 4) * LANES];
#pragma unroll
  for (; y < LANES; y++) value += other[y] * payoff[y * LANES];
  return value;
}

INLINE void learn(const Job& j, int node, size_t at, int k, int x, double mean,
                  const double* row, const double* sigma) {
  const Rule& rule = j.rules[j.counter[0]];
  const double reach = j.plan[(size_t)j.reach[2 * node + j.player] * LANES + x];
#pragma unroll
  for (int a = 0; a < ACTIONS; a++) {
    if (a >= k) continue;
    const size_t here = at + (size_t)a * LANES;
    const double newest = row[a] - mean;
    j.regrets[here] = renewed(rule, j.regrets[here], newest);
    j.weights[here] += rule.weight * reach * sigma[a];
    if (rule.prediction != 0.0) j.last[here] = newest;
  }
}

// Values of the nodes of one depth for j.player, after those below; where the player acts regrets are renewed.
KERNEL(rise) {
  const int i = thread_number();
  if (i >= j.count * LANES) return;
  const int node = j.first + i / LANES, x = i % LANES;
  const int shape = j.shapes[node], actor = j.actors[shape];
  const int first_slot = j.slot_offsets[shape], k = j.slot_offsets[shape + 1] - first_slot;
  int edge = j.edge_offsets[shape];
  const int edges = j.edge_offsets[shape + 1];
  const size_t slot = (size_t)j.slots[node] * LANES;
  const double* reach = j.plan + (size_t)j.reach[2 * node + 1 - j.player] * LANES;
  const double* below = j.values + (size_t)j.children[node] * LANES + x;
  double mean = 0.0;
  if (actor != j.player) {
    for (int a = 0; a < k; a++) {
      const int table = j.slot_table[first_slot + a];
      if (table < 0) continue;
      const double* other = actor < 0 ? reach : j.plan + slot + (size_t)a * LANES;
      mean = with_payoffs(j, table, other, x, mean);
    }
    for (; edge < edges; edge++, below += LANES) mean += j.edge_weight[edge] * below[0];
  } else {
    double row[ACTIONS], sigma[ACTIONS];
#pragma unroll
    for (int a = 0; a < ACTIONS; a++) {
      if (a >= k) continue;
      const int table = j.slot_table[first_slot + a];
      double value = table < 0 ? 0.0 : with_payoffs(j, table, reach, x, 0.0);
      for (; edge < edges && j.edge_slot[edge] == a; edge++, below += LANES)
        value += j.edge_weight[edge] * below[0];
      row[a] = value;
    }
    if (j.mode == BEST) {
      mean = row[0];
#pragma unroll
      for (int a = 1; a < ACTIONS; a++)
        if (a < k && row[a] > mean) mean = row[a];
    } else {
      play(j, slot + x, k, j.rules[j.counter[0]].positive, sigma);
      mean = sigma[0] * row[0];
#pragma unroll
      for (int a = 1; a < ACTIONS; a++)
        if (a < k) mean += sigma[a] * row[a];
      if (j.mode == LEARN) learn(j, node, slot + x, k, x, mean, row, sigma);
    }
  }
  j.values[(size_t)node * LANES + x] = mean;
}

// Plans of a player's nodes that have equally many own nodes above them.
KERNEL(descend) {
  const int i = thread_number();
  if (i >= j.count * LANES) return;
  const int node = j.own_nodes[j.first + i / LANES], x = i % LANES;
  const int shape = j.shapes[node];
  const int k = j.slot_offsets[shape + 1] - j.slot_offsets[shape];
  const size_t slot = (size_t)j.slots[node] * LANES + x;
  const Rule& rule = j.rules[j.counter[0]];
  const double above = j.plan[(size_t)j.reach[2 * node + j.player] * LANES + x];
  double sigma[ACTIONS];
  play(j, slot, k, j.is_next ? rule.scale : rule.positive, sigma);
#pragma unroll
  for (int a = 0; a < ACTIONS; a++)
    if (a < k) j.plan[slot + (size_t)a * LANES] = above * sigma[a];
}
