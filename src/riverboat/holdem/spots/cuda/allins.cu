// Where both players are all in before the river there is nothing left to decide: how often a hand
// wins on the cards to come is counted once for each pair of hands, and a pass only multiplies.

#define EQUITY_HANDS 32
#define ALLIN_STATES 8
#define ALLIN_HANDS 128
#define ALLIN_WARPS 16

// Grid: boards · (my_width / 32). Blocks of any size. For each of the opponent's hands and each own
// one: rivers won less rivers lost; with rake rivers won, rivers not lost, and all rivers. Hands that
// are the same on a board have the numbers of the first of them.
KERNEL(count_equities) {
  STATIC_SHARED int mine[52 * EQUITY_HANDS], cards[EQUITY_HANDS], link[2 * 52];
  const int tiles = j.my_width / EQUITY_HANDS, tile = blockIdx.x % tiles, board = blockIdx.x / tiles;
  const int planes = j.num_planes;
  for (int i = threadIdx.x; i < 2 * j.num_links; i += blockDim.x)
    link[i] = j.links[2 * board * j.num_links + i];
  __syncthreads();
  const int* same_hands = j.canonical + (size_t)j.stabiliser[board] * j.my_width;
  for (int i = threadIdx.x; i < j.num_links * EQUITY_HANDS; i += blockDim.x) {
    const int h = tile * EQUITY_HANDS + i % EQUITY_HANDS, at = i / EQUITY_HANDS;
    int found = -1;
    if (h < j.my_size) {
      const int place = j.renamed[link[2 * at + 1] * j.my_width + same_hands[h]];
      found = j.strengths[(size_t)link[2 * at] * j.my_width + place];
    }
    mine[i] = found;
  }
  for (int i = threadIdx.x; i < EQUITY_HANDS; i += blockDim.x) {
    const int h = tile * EQUITY_HANDS + i, hand = h < j.my_size ? same_hands[h] : 0;
    cards[i] = j.my_cards[2 * hand] | (j.my_cards[2 * hand + 1] << 8);
  }
  __syncthreads();
  for (int o = threadIdx.x; o < j.their_size; o += blockDim.x) {
    int won[EQUITY_HANDS], level[EQUITY_HANDS], met[EQUITY_HANDS];
#pragma unroll
    for (int k = 0; k < EQUITY_HANDS; k++) won[k] = level[k] = met[k] = 0;
    for (int i = 0; i < j.num_links; i++) {
      const int place = j.their_renamed[link[2 * i + 1] * j.their_width + o];
      const int other = j.their_strengths[(size_t)link[2 * i] * j.their_width + place];
      if (other < 0) continue;
      const int* own = mine + i * EQUITY_HANDS;
#pragma unroll
      for (int k = 0; k < EQUITY_HANDS; k++) {
        const int strength = own[k];
        won[k] += strength > other;
        level[k] += strength >= other;
        met[k] += strength >= 0;
      }
    }
    const int a = j.their_cards[2 * o], b = j.their_cards[2 * o + 1];
    signed char* row =
        j.equities + ((size_t)board * j.their_size + o) * planes * j.my_width + tile * EQUITY_HANDS;
#pragma unroll
    for (int k = 0; k < EQUITY_HANDS; k++) {
      const int c = cards[k] & 255, d = cards[k] >> 8;
      const bool apart = a != c && a != d && b != c && b != d;
      if (planes == 1) {
        row[k] = (signed char)(apart ? won[k] + level[k] - met[k] : 0);
      } else {
        row[k] = (signed char)(apart ? won[k] : 0);
        row[j.my_width + k] = (signed char)(apart ? level[k] : 0);
        row[2 * j.my_width + k] = (signed char)(apart ? met[k] : 0);
      }
    }
  }
}

// Grid: boards · sets of 8 roots · tiles of 128 own hands; 512 threads. The values of roots at
// which both are all in, summed over the rivers; `river_roots` has for each the row of the
// opponent's reach and the row of the values.
KERNEL(value_allins) {
  SHARED_BYTES
  const int sets = (j.num_roots + ALLIN_STATES - 1) / ALLIN_STATES;
  const int tile = blockIdx.x % j.tiles, first = blockIdx.x / j.tiles % sets * ALLIN_STATES;
  const int board = blockIdx.x / j.tiles / sets, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int count = min(ALLIN_STATES, j.num_roots - first), planes = j.num_planes;
  float4* parts = (float4*)shared_bytes;
  float* reach = (float*)(parts + ALLIN_WARPS * ALLIN_STATES * 32);
  for (int s = 0; s < ALLIN_STATES; s++) {
    const float* row = s < count ? reach_row(j, board, j.river_roots[2 * (first + s)]) : 0;
    for (int o = threadIdx.x; o < j.their_size; o += blockDim.x)
      reach[ALLIN_STATES * o + s] = row ? row[o] : 0.0f;
  }
  const int h = tile * ALLIN_HANDS + 4 * lane, wide = j.my_width;
  float4 value;
  set_zero(value);
  for (int plane = 0; plane < planes; plane++) {
    float4 sum[ALLIN_STATES];
#pragma unroll
    for (int s = 0; s < ALLIN_STATES; s++) set_zero(sum[s]);
    __syncthreads();
    if (h < wide) {
      const signed char* equities =
          j.equities + (((size_t)board * j.their_size) * planes + plane) * wide + h;
#pragma unroll 8
      for (int o = warp; o < j.their_size; o += ALLIN_WARPS) {
        const int four = *(const int*)(equities + (size_t)o * planes * wide);
        const float x = (signed char)four, y = (signed char)(four >> 8);
        const float z = (signed char)(four >> 16), w = (signed char)(four >> 24);
#pragma unroll
        for (int s = 0; s < ALLIN_STATES; s++) {
          const float r = reach[ALLIN_STATES * o + s];
          sum[s] = make_float4(sum[s].x + r * x, sum[s].y + r * y, sum[s].z + r * z,
                               sum[s].w + r * w);
        }
      }
    }
#pragma unroll
    for (int s = 0; s < ALLIN_STATES; s++) parts[(warp * ALLIN_STATES + s) * 32 + lane] = sum[s];
    __syncthreads();
    // Each of the first warps adds up one root.
    if (warp < count) {
      float4 total = parts[warp * 32 + lane];
      for (int w = 1; w < ALLIN_WARPS; w++)
        total = total + parts[(w * ALLIN_STATES + warp) * 32 + lane];
      const float amount = j.amounts[3 * (first + warp) + plane];
      value = make_float4(value.x + amount * total.x, value.y + amount * total.y,
                             value.z + amount * total.z, value.w + amount * total.w);
    }
  }
  if (warp < count && h < wide) {
    const int row = j.river_roots[2 * (first + warp) + 1];
    *(float4*)(j.rows + ((size_t)board * j.rows_count + row) * wide + h) = value;
  }
}
