// Tables of the river boards, made once for each spot: strengths, places, lists of cards, records.

INLINE int highest(int bits, int n) {
  int found = 0;
  for (int i = 0; i < n && bits; i++) {
    const int top = 1 << (31 - __clz(bits));
    found |= top;
    bits &= ~top;
  }
  return found;
}

// The top card of a straight, 1 for five high; 0 for none.
INLINE int straight(int ranks) {
  const int wheel = (ranks << 1) | ((ranks >> 12) & 1);
  const int runs = wheel & (wheel >> 1) & (wheel >> 2) & (wheel >> 3) & (wheel >> 4);
  return runs ? 32 - __clz(runs) : 0;
}

// Any number that orders hands of seven cards as poker does; `suit` are ranks by suit.
INLINE int strength_of(const int* suit) {
  const int a = suit[0], b = suit[1], c = suit[2], d = suit[3], any = a | b | c | d;
  for (int i = 0; i < 4; i++)
    if (__popc(suit[i]) >= 5) {
      const int run = straight(suit[i]);
      return run ? (8 << 26) | run : (5 << 26) | highest(suit[i], 5);
    }
  const int fours = a & b & c & d;
  const int threes = ((a & b) & (c | d)) | ((c & d) & (a | b));
  const int pairs = (a & b) | (c & d) | ((a | b) & (c | d));
  if (fours) return (7 << 26) | (highest(fours, 1) << 13) | highest(any & ~fours, 1);
  const int run = straight(any);
  if (threes) {
    const int three = highest(threes, 1), full = highest(pairs & ~three, 1);
    if (full) return (6 << 26) | (three << 13) | full;
    if (run) return (4 << 26) | run;
    return (3 << 26) | (three << 13) | highest(any & ~three, 2);
  }
  if (run) return (4 << 26) | run;
  const int two = highest(pairs, 2);
  if (two & (two - 1)) return (2 << 26) | (two << 13) | highest(any & ~two, 1);
  if (two) return (1 << 26) | (two << 13) | highest(any & ~two, 3);
  return highest(any, 5);
}

// j.strengths (boards, my_width): −1 where the board blocks a hand or there is none.
KERNEL(rank_hands) {
  const int board = blockIdx.x;
  const u64 used = j.river_bits[board];
  int base[4];
  for (int s = 0; s < 4; s++) base[s] = 0;
  for (int card = 0; card < 52; card++)
    if ((used >> card) & 1) base[card & 3] |= 1 << (card >> 2);
  for (int h = threadIdx.x; h < j.my_width; h += blockDim.x) {
    int found = -1;
    if (h < j.my_size) {
      const int a = j.my_cards[2 * h], b = j.my_cards[2 * h + 1];
      if (!((used >> a) & 1) && !((used >> b) & 1)) {
        int suit[4];
        for (int s = 0; s < 4; s++)
          suit[s] = base[s] | ((a & 3) == s ? 1 << (a >> 2) : 0) | ((b & 3) == s ? 1 << (b >> 2) : 0);
        found = strength_of(suit);
      }
    }
    j.strengths[(size_t)board * j.my_width + h] = found;
  }
}

// In which order cards are summed up, one to a lane: those with many hands first, and eight lanes side
// by side begin at different banks of shared memory where that is possible. `sorted` has the cards
// with the most hands first.
INLINE void order_cards(const int* sorted, const int* start, u16* order) {
  int banks[7], count[7];
  for (int q = 0; q < 7; q++) banks[q] = count[q] = 0;
  for (int i = 0; i < 52; i++) {
    const int bank = 1 << (start[sorted[i]] & 7);
    int q = 0;
    while (q < 7 && (count[q] == (q < 6 ? 8 : 4) || (banks[q] & bank))) q++;
    if (q == 7)
      for (q = 0; count[q] == (q < 6 ? 8 : 4);) q++;
    banks[q] |= bank;
    order[8 * q + count[q]++] = (u16)sorted[i];
  }
}

// Places by strength, weakest first, and lists of the places of hands with each card. A list begins
// at a multiple of four, and a place that is always empty fills it up. STARTS numbers for each
// board: where the sums of a card begin, where its list begins, and the order of the cards.
KERNEL(place_hands) {
  SHARED_BYTES
  int* strength = (int*)shared_bytes;
  int* cards = strength + j.my_width;
  STATIC_SHARED int length[52], start[53], list_start[53], sorted[52], valid;
  const int board = blockIdx.x;
  for (int h = threadIdx.x; h < j.my_size; h += blockDim.x) {
    strength[h] = j.strengths[(size_t)board * j.my_width + h];
    cards[h] = j.my_cards[2 * h] | (j.my_cards[2 * h + 1] << 8);
  }
  __syncthreads();
  if (threadIdx.x < 52) {
    int count = 0;
    for (int h = 0; h < j.my_size; h++)
      count += strength[h] >= 0 &&
               ((cards[h] & 255) == (int)threadIdx.x || (cards[h] >> 8) == (int)threadIdx.x);
    length[threadIdx.x] = count;
  }
  if (threadIdx.x == 52) {
    valid = 0;
    for (int h = 0; h < j.my_size; h++) valid += strength[h] >= 0;
    j.my_valid[board] = valid;
  }
  __syncthreads();
  u16* starts = j.my_starts + board * STARTS;
  u16* list = j.my_list + (size_t)board * j.my_list_size;
  if (threadIdx.x < 52) {
    const int mine = length[threadIdx.x];
    int before = 0;
    for (int c = 0; c < 52; c++)
      before += length[c] > mine || (length[c] == mine && c < (int)threadIdx.x);
    sorted[before] = threadIdx.x;
  }
  if (threadIdx.x == 0) {
    start[0] = list_start[0] = 0;
    for (int c = 0; c < 52; c++) {
      start[c + 1] = start[c] + length[c] + 1;
      list_start[c + 1] = list_start[c] + ((length[c] + 3) & ~3);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) order_cards(sorted, start, starts + CARD_ORDER);
  if (threadIdx.x < 53) {
    starts[threadIdx.x] = (u16)start[threadIdx.x];
    starts[LIST_STARTS + threadIdx.x] = (u16)list_start[threadIdx.x];
  }
  if (threadIdx.x < 52)
    for (int i = list_start[threadIdx.x] + length[threadIdx.x]; i < list_start[threadIdx.x + 1]; i++)
      list[i] = (u16)j.my_size;
  for (int h = threadIdx.x; h < j.my_width; h += blockDim.x) {
    int place = NOWHERE;
    if (h < j.my_size && strength[h] >= 0) {
      const int mine = strength[h], a = cards[h] & 255, b = cards[h] >> 8;
      int with_a = 0, with_b = 0;
      place = 0;
      for (int other = 0; other < j.my_size; other++) {
        const int s = strength[other];
        if (s >= 0 && (s < mine || (s == mine && other < h))) {
          const int c = cards[other] & 255, d = cards[other] >> 8;
          place++;
          with_a += (c == a) | (d == a);
          with_b += (c == b) | (d == b);
        }
      }
      list[list_start[a] + with_a] = (u16)place;
      list[list_start[b] + with_b] = (u16)place;
    }
    j.my_places[(size_t)board * j.my_width + h] = (u16)place;
  }
}

// Where each of my hands stands among the opponent's. Hands that are the same on a board have the
// record of the first of them, so that they get the same value to the last bit.
KERNEL(record_hands) {
  SHARED_BYTES
  int* strength = (int*)shared_bytes;
  int* cards = strength + j.their_width;
  const int board = blockIdx.x;
  const u16* start = j.their_starts + board * STARTS;
  const int* same_hands = j.canonical + (size_t)j.stabiliser[board] * j.my_width;
  for (int h = threadIdx.x; h < j.their_size; h += blockDim.x) {
    strength[h] = j.their_strengths[(size_t)board * j.their_width + h];
    cards[h] = j.their_cards[2 * h] | (j.their_cards[2 * h + 1] << 8);
  }
  __syncthreads();
  for (int h = threadIdx.x; h < j.my_width; h += blockDim.x) {
    uint4 record = make_uint4(NOWHERE, 0, 0, 0);
    const int hand = h < j.my_size ? same_hands[h] : 0;
    const int mine = h < j.my_size ? j.strengths[(size_t)board * j.my_width + hand] : -1;
    if (mine >= 0) {
      const int a = j.my_cards[2 * hand], b = j.my_cards[2 * hand + 1];
      unsigned low = 0, high = 0, low_a = 0, high_a = 0, low_b = 0, high_b = 0;
      for (int other = 0; other < j.their_size; other++) {
        const int s = strength[other];
        if (s < 0 || s > mine) continue;
        const int c = cards[other] & 255, d = cards[other] >> 8;
        const unsigned has_a = (c == a) | (d == a), has_b = (c == b) | (d == b), less = s < mine;
        high++;
        low += less;
        high_a += has_a;
        low_a += has_a & less;
        high_b += has_b;
        low_b += has_b & less;
      }
      const unsigned at_a = start[a], at_b = start[b];
      unsigned same = j.their_size;
      if (j.same[hand] >= 0) same = j.their_places[(size_t)board * j.their_width + j.same[hand]];
      record.x = low | (high << 16);
      record.y = (at_a + low_a) | ((at_a + high_a) << 16);
      record.z = (at_b + low_b) | ((at_b + high_b) << 16);
      record.w = same | ((unsigned)a << 16) | ((unsigned)b << 24);
    }
    j.records[(size_t)board * j.my_width + h] = record;
  }
}
