// Blackjack on a GPU: one table per thread, one card per step.
//
// _shoe_cuda.py writes the #defines above this text, and the words that
// it reads. All threads of a warp draw a card in every step, whatever phase of the round they are in,
// so that they stay together. The same text compiles as plain C (HOST) for the tests.
//
// The dealer's cards come first: the law of the round is the same, and with the up card known a
// row of words says what each rank makes of a hand, the chart's answer included. So a card costs one
// look-up, and a row is named by where it begins, in bytes.
//
// Shoes come in runs of RUN. What a run deals depends on (seed, number of the run) alone: sums over
// runs are the same for any number of blocks and threads.
//
// The shoe is kept as cumulative counts, three to a word, ten bits each: field i holds 512 less the
// cards of rank 0…i that are left. Adding r to all fields at once sets the top bit of those with at
// most r cards. The other fields lose a card; how many there are gives the rank, counted from the
// last rank down. Word i begins at bit i, so that no two fields share a top bit.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#ifdef HOST
#define DEVICE static
#define HIGH(a, b) ((u32)(((u64)(a) * (b)) >> 32))
#define COUNT_BITS(x) ((u32)__builtin_popcount(x))
#define ADD(where, what) (*(where) += (what))
#define EACH(num) for (int i = 0; i < (num); i++)
#else
#define DEVICE __device__ __forceinline__
#define HIGH(a, b) __umulhi(a, b)
#define COUNT_BITS(x) ((u32)__popc(x))
#define ADD(where, what) atomicAdd(where, what)
// Unrolled, so that what is indexed stays in registers.
#define EACH(num) _Pragma("unroll") for (int i = 0; i < (num); i++)
#endif

// What a word of a row says. The top byte is what the rank adds to the running count.
#define ADDRESS 0x3FFFFu   // the row to draw from next, where no other bit is set
#define HOLE 0x40000u      // the dealer's cards are dealt: ten bits of a row, then the dealer's number
#define END 0x80000u       // the hand is over: where the words for it stand, by the dealer's number
#define DONE 0x100000u     // the round is over: where its result is counted
#define ASK 0x200000u      // the answer depends on the count: where the words for each level stand
#define DEALT 0x600000u    // two cards are dealt: where the word stands that says what then, and after
                           // it the insurance's result for each level
#define RARE 0x800000u     // a hand among several is over: its class and whether it contests
#define CONTESTS 0x100u
#define SPLIT 0xC00000u    // where the rows of half a pair stand
#define SETTLE 0x900000u   // the dealer is done among several hands: the class, 256 · what insurance adds
#define KIND 0xD00000u

#define ONES 0x00100401u
#define TOPS 0x20080200u
#define GOLDEN 0x9E3779B97F4A7C15ull
#define FIRST_BIT(i) ((i) < 3 ? (i) : 0)

#if NEAR_COUNTS || defined(HOST)
typedef u32 CELL;
#else
typedef u64 CELL;
#endif

struct Tables {
    const u32 *table;      // [NUM_WORDS] rows and what they point to
    const u32 *depth;      // [SIZE+2] by cards left: which row of `bins`, in bytes
    const LOOKED *bins;    // [2][DEPTHS*WIDE] by running count: where the counts of the bin stand; the level
    CELL *counts;          // [BINS*WIDTH] the results
};

#define TABLE(bytes) (*(const u32 *)((const u8 *)t.table + (bytes)))
#define COUNT_OF(bytes) ((CELL *)((u8 *)t.counts + (bytes) * (sizeof(CELL) / 4u)))
#if COUNTS
#define PLACE(left, running) (t.depth[left] + (running))
#define BIN(place) ((u32) * (const LOOKED *)((const u8 *)t.bins + (place)))
#define LEVEL(place) ((u32) * (const LOOKED *)((const u8 *)(t.bins + NUM_BINS) + (place)))
#endif

struct Random {
    u32 a, b, c, d;
};

DEVICE u64 scramble(u64 z) {  // splitmix64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

DEVICE struct Random seeded(u64 seed, u64 run) {
    u64 key = scramble(scramble(seed + GOLDEN) ^ (run * 0xD1342543DE82EF95ull));
    u64 x = scramble(key + GOLDEN), y = scramble(key + 2 * GOLDEN);
    struct Random s = {(u32)x, (u32)(x >> 32), (u32)y, (u32)(y >> 32) | 1u};
    return s;
}

DEVICE u32 next_word(struct Random *s) {  // xoshiro128++ (Blackman and Vigna 2021)
    u32 sum = s->a + s->d, word = ((sum << 7) | (sum >> 25)) + s->a, t = s->b << 9;
    s->c ^= s->a;
    s->d ^= s->b;
    s->b ^= s->c;
    s->a ^= s->d;
    s->c ^= t;
    s->d = (s->d << 11) | (s->d >> 21);
    return word;
}

// A table, as its thread keeps it.
struct Seat {
    struct Random random;
    u32 cards[WORDS];
    u32 word, left, row, dealer, shoes, run;
    u32 pair, split;  // where the rows of half a pair stand; 65536 · contests + 256 · waiting + splits
#if MANY
    int won[FINALS];  // by split hands, against each of the dealer's classes
#else
    ENDS ends;  // the classes of split hands plus one, a byte each
#endif
#if COUNTS
    u32 running, hidden, bin;
#endif
#if EXHAUSTS
    u32 begun[WORDS], begun_left, begun_running;
#endif
#if SEATS > 1
    u32 seat, live, deal;
    u64 states[2];  // where the words of the seats' two cards stand, 16 bits each
#if MANY
    int kept[FINALS];
#else
    ENDS own_ends;
#endif
#endif
};

#if EXHAUSTS
// The shoe ran out in a round: the discards are shuffled, what lies on the table stays.
DEVICE void reshuffle(struct Seat *s) {
    const u32 whole[] = WHOLE;
    u32 table = s->begun_left == SIZE ? 0u : s->begun_left;
    EACH(WORDS) {
        s->cards[i] = table ? whole[i] - s->begun[i] + (TOPS << FIRST_BIT(i)) : whole[i];
        s->begun[i] = whole[i];
    }
#if COUNTS
    s->running = START_COUNT + s->running - s->begun_running;
    s->begun_running = START_COUNT;
#endif
    s->begun_left = SIZE;
    s->left = SIZE - table;
}
#endif

// The next card's column in a row, in bytes.
DEVICE u32 draw(struct Seat *s) {
#if EXHAUSTS
    if (s->left == 0) reshuffle(s);
#endif
    u32 under = 0, r = HIGH(s->word, s->left);
    s->word *= s->left;
    EACH(WORDS) {
        u32 more = ~(s->cards[i] + r * (ONES << FIRST_BIT(i))) & (TOPS << FIRST_BIT(i));
        under |= i < 3 ? more : more >> 3;
#if !ENDLESS
        s->cards[i] += more >> 9;
#endif
    }
#if !ENDLESS
    s->left -= 1u;
#endif
    return 4u * COUNT_BITS(under);
}

#if INSURES
// Without a hole card a won insurance is found later: the dealer gets a number that pays it.
DEVICE void insure(struct Tables t, struct Seat *s, u32 where) {
    u32 result = TABLE(where + 4u + LEVEL(PLACE(s->left + PEEK, s->running)));
    s->bin += result;
    if (!PEEK && result) s->dealer = INSURED_DEALER;
}
#endif

#if LEVELS > 1 || INSURES || SEATS > 1
// Go on from a word with ASK.
DEVICE u32 ask(struct Tables t, struct Seat *s, u32 word) {
    if ((word & DEALT) == DEALT) {
#if SEATS > 1
        u64 dealt = (u64)((word & ADDRESS) >> 2) << (16u * (s->seat & 3u));
        s->states[0] |= s->seat < 4u ? dealt : 0u;
        s->states[1] |= s->seat < 4u ? 0u : dealt;
        s->seat += 1u;
        if (s->seat < SEATS) return s->deal;
        s->seat = 0;
#endif
#if INSURES
        insure(t, s, word & ADDRESS);
#endif
#if SEATS > 1
        word = 4u * ((u32)s->states[0] & 0xFFFFu);
#endif
        word = TABLE(word & ADDRESS);
        if (!(word & ASK)) return word;
    }
#if COUNTS
    u32 level = LEVEL(PLACE(s->left, s->running));
#else
    u32 level = 0;
#endif
#if SEATS > 1
    if (OTHERS && s->seat != SEAT) level = 4u * OTHERS;
#endif
    return TABLE((word & ADDRESS) + level);
}
#endif

// What the dealer's class makes of the hands of a split pair, or of the seat's hand among several.
DEVICE u32 settle(struct Tables t, struct Seat *s, u32 word) {
    int won = 0;
#if MANY
    EACH(FINALS) {
        if ((u32)i == (word & 255u)) won = s->won[i];
        s->won[i] = 0;
    }
#else
    for (; s->ends; s->ends >>= 8) won += (int)TABLE(TENTHS - 64u + ((u32)s->ends & 255u) * 64u + 4u * (word & 255u));
#endif
    s->split = 0;
    return (DONE | 4u * MIDDLE) + 4u * (u32)won + (word >> 8 & 0x3FFu);
}

// The dealer's turn, after a hand that contests or not.
DEVICE u32 turn(struct Tables t, struct Seat *s, u32 where) {
#if COUNTS && PEEK
    s->running += s->hidden;
#endif
    return TABLE(where + s->dealer);
}

#if SEATS > 1
// A seat's last hand is over: the next seat's word, or the dealer's.
DEVICE u32 next_seat(struct Tables t, struct Seat *s) {
    s->live |= s->split >> 16;
#if MANY
    EACH(FINALS) {
        s->kept[i] = s->seat == SEAT ? s->won[i] : s->kept[i];
        s->won[i] = 0;
    }
#else
    s->own_ends = s->seat == SEAT ? s->ends : s->own_ends;
    s->ends = 0;
#endif
    s->split = 0;
    s->seat += 1u;
    if (s->seat < SEATS) {
        u64 states = s->seat < 4u ? s->states[0] : s->states[1];
        u32 word = TABLE(4u * ((u32)(states >> (16u * (s->seat & 3u))) & 0xFFFFu));
        return word & ASK ? ask(t, s, word) : word;
    }
    u32 where = s->live ? CONTESTED : UNCONTESTED;
    s->states[0] = s->states[1] = s->seat = s->live = 0;
#if MANY
    EACH(FINALS) s->won[i] = s->kept[i];
#else
    s->ends = s->own_ends;
#endif
    return turn(t, s, where);
}
#else
DEVICE u32 next_seat(struct Tables t, struct Seat *s) {
    return turn(t, s, s->split >> 16 ? CONTESTED : UNCONTESTED);
}
#endif

// Go on from a word with RARE.
DEVICE u32 rare(struct Tables t, struct Seat *s, u32 word) {
    do {
        if ((word & KIND) == SETTLE) return settle(t, s, word);
        if ((word & KIND) == SPLIT) {
            s->split += 0x201u;
            s->pair = word & ADDRESS;
        } else {
            s->split |= (word & CONTESTS) << 8;
#if MANY
            EACH(FINALS) s->won[i] += (int)TABLE(TENTHS + (word & 255u) * 64u + 4u * i);
#else
            s->ends = s->ends << 8 | ((word & 255u) + 1u);
#endif
        }
        if (s->split & 0xFF00u) {
            s->split -= 0x100u;
            return TABLE(s->pair + ((s->split & 255u) < TABLE(s->pair) ? 8u : 4u));
        }
        word = next_seat(t, s);
    } while (word & RARE);
    return word;
}

// A fresh shoe; whether it begins a new run.
DEVICE u32 shuffle(struct Seat *s, u64 seed, u64 first, u32 stride) {
#if !ENDLESS
    const u32 whole[] = WHOLE;
    EACH(WORDS) s->cards[i] = whole[i];
    s->left = SIZE;
#if COUNTS
    s->running = START_COUNT;
#endif
#endif
    s->shoes += 1u;
    if (s->shoes < RUN) return 0;
    s->shoes = 0;
    s->run += stride;
    s->random = seeded(seed, first + s->run);
    return 1;
}

DEVICE void begin_round(struct Tables t, struct Seat *s) {
#if EXHAUSTS
    EACH(WORDS) s->begun[i] = s->cards[i];
    s->begun_left = s->left;
#if COUNTS
    s->begun_running = s->running;
#endif
#endif
#if COUNTS
    s->bin = BIN(PLACE(s->left, s->running));
#endif
}

// One card of the round; whether the run ended with it.
DEVICE u32 step(struct Tables t, struct Seat *s, u64 seed, u64 first, u32 stride) {
    u32 ended = 0, column = draw(s), word = TABLE(s->row + column);
#if COUNTS
    u32 tag = FAR_TAGS ? TABLE(TAGS + column) : (u32)((int)word >> 24);
    if (!PEEK || !(word & HOLE)) s->running += tag;
    word &= 0xFFFFFFu;
#endif
    if (word & HOLE) {
#if COUNTS && PEEK
        s->hidden = tag;
#endif
        s->dealer = word >> 8 & 0x3FCu;
        word &= 0x3FFu;
#if SEATS > 1
        s->deal = word;
#endif
    }
#if LEVELS > 1 || INSURES || SEATS > 1
    if (word & ASK) word = ask(t, s, word);
#endif
    if (word & END) word = turn(t, s, word - END);
    if (word & RARE) word = rare(t, s, word);
    if (word & DONE) {
#if COUNTS
        ADD(COUNT_OF(word - DONE + s->bin), (CELL)1);
#else
        ADD(COUNT_OF(word - DONE), (CELL)1);
#endif
        if (ENDLESS || s->left <= SIZE - CUT) ended = shuffle(s, seed, first, stride);
        begin_round(t, s);
        word = UP_ROW;
    }
    s->row = word;
    return ended;
}

// Play the runs first + own, first + own + stride, … below first + num.
DEVICE void play_runs(struct Tables t, u64 seed, u64 first, u32 own, u32 stride, u32 num) {
    const u32 whole[] = WHOLE;
    struct Seat seat = {0}, *s = &seat;
    s->run = own;
    s->random = seeded(seed, first + own);
    EACH(WORDS) s->cards[i] = whole[i];
    s->left = SIZE;
    s->row = UP_ROW;
#if COUNTS
    s->running = START_COUNT;
#endif
    begin_round(t, s);
    // A word serves two cards: what the first leaves of it is as good as new. A run that ends after
    // the first card lets the second pass, so that all threads of a warp need a word together.
    while (s->run < num) {
        s->word = next_word(&s->random);
        if (!step(t, s, seed, first, stride)) step(t, s, seed, first, stride);
    }
}

#ifdef HOST
void play(const u32 *table, const u32 *depth, const LOOKED *bins, u64 seed, u64 own, u64 stride, u64 num, CELL *counts) {
    struct Tables t = {table, depth, bins, counts};
    play_runs(t, seed, 0, (u32)own, (u32)stride, (u32)num);
}
#else
// Tables move to shared memory where there is room. So do counts: a block then counts for itself, with
// four bytes, and adds its counts to the total at the end.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) play(const __grid_constant__ Job j) {
    const u32 *table = j.table, *depth = j.depth;
    const LOOKED *bins = (const LOOKED *)j.bins;
    u64 *total = j.total;
    extern __shared__ u32 shared[];
    u32 *free = shared;
#if NEAR_COUNTS
    u32 *counts = free;
    free += BINS * WIDTH;
    for (u32 i = threadIdx.x; i < BINS * WIDTH; i += THREADS) counts[i] = 0;
#else
    u64 *counts = total;
#endif
#if NEAR_TABLE
    u32 *near_table = free;
    free += NUM_WORDS;
    for (u32 i = threadIdx.x; i < NUM_WORDS; i += THREADS) near_table[i] = table[i];
    table = near_table;
#endif
#if NEAR_BINS
    u32 *near_depth = free;
    LOOKED *near_bins = (LOOKED *)(free + SIZE + 2);
    for (u32 i = threadIdx.x; i < SIZE + 2; i += THREADS) near_depth[i] = depth[i];
    for (u32 i = threadIdx.x; i < 2 * NUM_BINS; i += THREADS) near_bins[i] = bins[i];
    depth = near_depth;
    bins = near_bins;
#endif
    __syncthreads();
    Tables t = {table, depth, bins, counts};
    play_runs(t, j.seed, j.first, blockIdx.x * THREADS + threadIdx.x, gridDim.x * THREADS, (u32)j.num);
#if NEAR_COUNTS
    __syncthreads();
    for (u32 i = threadIdx.x; i < BINS * WIDTH; i += THREADS)
        if (counts[i]) atomicAdd(total + i, (u64)counts[i]);
#endif
}
#endif
