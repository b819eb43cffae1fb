// Blackjack on a GPU: one table per thread, one card per step.
//
// simulation_cuda.py writes the #defines above this text and says what the tables hold. All threads
// of a warp draw a card in every step, whatever phase of the round they are in, so that they stay
// together. The same text compiles as plain C (HOST) for the tests.
//
// The dealer's cards come first: the law of the round is the same, and with the up card known a
// seat's first cards are drawn from rows like any others.
//
// Shoes come in runs of RUN. What a run deals depends on (seed, number of the run) alone: sums over
// runs are the same for any number of blocks and threads.
//
// The shoe is kept as cumulative counts, three to a word, ten bits each: field i says how many cards
// of rank 0…i are left, and its top bit is a guard. Subtracting r + 1 from all fields at once leaves
// the guard where the field is above r. Those fields lose a card; how many there are gives the rank,
// counted from the last rank down. Tables have their columns in that order, 16 columns of two bytes,
// and rows are named by where they begin, in bytes.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#ifdef HOST
#define DEVICE static
#define HIGH(a, b) ((u32)(((u64)(a) * (b)) >> 32))
#define COUNT_BITS(x) ((u32)__builtin_popcount(x))
#define ADD(where, what) (*(where) += (what))
#else
#define DEVICE __device__ __forceinline__
#define HIGH(a, b) __umulhi(a, b)
#define COUNT_BITS(x) ((u32)__popc(x))
#define ADD(where, what) atomicAdd(where, what)
#endif

#define DONE 0x8000u      // codes from here on end a hand
#define CONTESTS 0x4000u  // among them: the dealer must play
#define CLASS 0x3FE0u
#define SPLIT 0xFFF0u     // plus the rank of the pair
#define GUARDS 0x20080200u
#define ONES 0x00100401u
#define GOLDEN 0x9E3779B97F4A7C15ull

#define UP 0u
#define HOLE 1u
#define DEAL 2u
#define PLAY 3u
#define AT(type, base, bytes) (*(const type *)((const u8 *)(base) + (bytes)))
#define AFTER_HOLE (SEATS > 1 ? DEAL : PLAY)
#define HOUSE 4u
#define WAIT 5u

struct Tables {
    const u16 *step;      // [STEPS][16] what a rank makes of a row: the player's states (lowest bit: the
                          // answer depends on the count), the house's rows, and where both begin
    const u16 *answer;    // [ANSWERS][16] by state or row of answers, and column: a row to draw from,
                          // SPLIT + the pair, or DONE + a class. Columns are up ranks; the next to last
                          // two: the dealer has a natural with an ace, a ten up
    const u16 *row;       // [LEVELS*STATES] the row of answers of a state at a level
    const short *tenths;  // [CLASSES][16] tenths of the bet won against each of the dealer's classes
    const u16 *pay;       // [CLASSES][16] the same as the place of the result among the counts
    const u32 *tag;       // [16] what a rank adds to the running count (two's complement)
    const u16 *half;      // [2*16] the row of half a pair that may not, and may, be split again
    const u8 *limit;      // [16] the hands a pair may become
    const u8 *level;      // [2*BINS] the level of answers in a bin, the player's and the others'
    const u8 *insure;     // [BINS] whether the player insures
    const u16 *depth;     // [SIZE+2] by cards left: which row of `bins`
    const u8 *bins;       // [DEPTHS*WIDE] the bin by running count
    u32 *counts;          // [BINS*WIDTH] the results
};

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

#if COUNTS
#define BIN(left, running) ((u32)t->bins[(u32)t->depth[left] * WIDE + (running)])
#else
#define BIN(left, running) 0u
#endif
#if INSURES
#define INSURE() s->insured = (s->column == 2u * ACE || s->column == 26u) && t->insure[BIN(s->left + PEEK, s->running)]
#else
#define INSURE()
#endif

#if SEATS > 1
#define CONTESTED s->live
#define STATE(i) ((u32)(((i) < 4u ? s->states[0] : s->states[1]) >> (16u * ((i) & 3u))) & 0xFFFFu)
#else
#define CONTESTED (s->outcome & CONTESTS)
#endif

// A table, as its thread keeps it.
struct Seat {
    struct Random random;
    u32 whole[WORDS], cards[WORDS];
    u32 left, running, shoes, bin;
    u32 phase, row, column, house, outcome;
    u32 pair, split, hands, waiting, contests, word;
    u64 run;
#if MANY
    int won[FINALS];  // by split hands, against each of the dealer's classes
#else
    u64 ends;  // the classes of split hands, a byte each
#endif
#if EXHAUSTS
    u32 begun[WORDS], begun_left, begun_running;
#endif
#if COUNTS && PEEK
    u32 hidden;
#endif
#if INSURES
    u32 insured;
#endif
#if SEATS > 1
    u32 seat, live, own_outcome, own_split;
    u64 states[2];  // the two cards of each seat, 16 bits each
#if MANY
    int kept[FINALS];
#else
    u64 own_ends;
#endif
#endif
};

// One card of the round. `last`: the word is used up after this one. The threads of a warp are in all
// phases at once, so what most of them pass is written without branches.
DEVICE void draw_card(const struct Tables *t, struct Seat *s, u64 seed, u64 stride, u32 last) {
#if EXHAUSTS
    if (s->left == 0) {
        // The shoe ran out in a round: the discards are shuffled, what lies on the table stays.
        u32 table = s->begun_left == SIZE ? 0u : s->begun_left;
        for (int i = 0; i < WORDS; i++) {
            s->cards[i] = table ? s->whole[i] - s->begun[i] + GUARDS : s->whole[i];
            s->begun[i] = s->whole[i];
        }
        s->running = START_COUNT + s->running - s->begun_running;
        s->begun_running = START_COUNT;
        s->begun_left = SIZE;
        s->left = SIZE - table;
    }
#endif
    u32 above = 0, mark = HIGH(s->word, s->left) * ONES + ONES;
    s->word *= s->left;
    for (int i = 0; i < WORDS; i++) {
        u32 over = (s->cards[i] - mark) & GUARDS;
        above |= over >> i;
#if !ENDLESS
        s->cards[i] -= over >> 9;
#endif
    }
    u32 rank = COUNT_BITS(above);
#if !ENDLESS
    s->left -= 1u;
#endif
#if COUNTS
    u32 tag = t->tag[rank];
#if PEEK
    s->hidden = s->phase == HOLE ? tag : s->hidden;
    s->running += s->phase == HOLE ? 0u : tag;
#else
    s->running += tag;
#endif
#endif
    u32 code = AT(u16, t->step, s->row + 2u * rank), asks = s->phase == PLAY;
#if SEATS > 1
    if (s->phase == DEAL) {
        u32 begins = s->row == DEAL_ROW;
        s->row = begins ? code : DEAL_ROW;
        if (begins) return;
        u64 dealt = (u64)code << (16u * (s->seat & 3u));
        s->states[0] |= s->seat < 4u ? dealt : 0u;
        s->states[1] |= s->seat < 4u ? 0u : dealt;
        s->seat += 1u;
        if (s->seat < SEATS) return;
        INSURE();
        s->seat = 0;
        code = STATE(0u);
        s->phase = PLAY;
        asks = 1;
    }
next_seat:
#elif INSURES
    if (asks && s->row < 32u * 13u) INSURE();
#endif
#if LEVELS > 1
    if (asks && (code & 1u)) {
#if SEATS > 1
        u32 whose = s->seat != SEAT ? BINS : 0u;
#else
        u32 whose = 0;
#endif
        code = t->row[t->level[whose + BIN(s->left, s->running)] * STATES + (code >> 5)];
    }
#endif
    u32 answer = AT(u16, t->answer, asks ? code + s->column : 0u);
    code = asks ? answer : code;
    s->house = asks ? s->house : code;
    s->row = code;
    if (s->phase < PLAY) {
        s->column = s->phase == UP ? 2u * rank : s->column;
#if PEEK
        s->column = code == NATURAL ? (s->column == 2u * ACE ? 26u : 28u) : s->column;
        s->row = s->phase == UP ? code : DEAL_ROW;
        s->phase = s->phase == UP ? HOLE : AFTER_HOLE;
#else
        s->row = DEAL_ROW;
        s->phase = AFTER_HOLE;
#endif
        return;
    }
    // Without a hole card the dealer takes one card in any case.
    if (code < DONE && (PEEK || asks || CONTESTED)) return;
    if (asks) {
        if (code >= SPLIT || s->split) {
            if (code >= SPLIT) {
                if (!s->split) {
#if MANY
                    for (int i = 0; i < FINALS; i++) s->won[i] = 0;
#else
                    s->ends = 0;
#endif
                    s->contests = 0;
                    s->hands = 1;
                }
                s->hands += 1u;
                s->split = 1;
                s->waiting += 2u;
                s->pair = code & 15u;
            } else {
                s->contests |= code & CONTESTS;
#if MANY
                for (int i = 0; i < FINALS; i++) s->won[i] += AT(short, t->tenths, (code & CLASS) + 2u * i);
#else
                s->ends = s->ends << 8 | (((code & CLASS) >> 5) + 1u);
#endif
            }
            if (s->waiting) {
                s->waiting -= 1u;
                s->row = t->half[(s->hands < t->limit[s->pair] ? 16u : 0u) + s->pair];
                return;
            }
            code |= s->contests;
        }
        s->outcome = code;
#if SEATS > 1
        s->live |= code & CONTESTS;
        if (s->seat == SEAT) {
            s->own_split = s->split;
            s->own_outcome = code;
#if MANY
            for (int i = 0; i < FINALS; i++) s->kept[i] = s->won[i];
#else
            s->own_ends = s->ends;
#endif
        }
        s->split = 0;
        s->seat += 1u;
        if (s->seat < SEATS) {
            code = STATE(s->seat);
            goto next_seat;
        }
#endif
        s->phase = HOUSE;
        s->row = s->house;
#if COUNTS && PEEK
        s->running += s->hidden;
#endif
        if (!PEEK || (CONTESTED && s->house < DONE)) return;
    }
#if SEATS > 1
    s->split = s->own_split;
    s->outcome = s->own_outcome;
    s->states[0] = s->states[1] = s->seat = s->live = 0;
#if MANY
    for (int i = 0; i < FINALS; i++) s->won[i] = s->kept[i];
#else
    s->ends = s->own_ends;
#endif
#endif
    u32 final = s->house & 31u, place = AT(u16, t->pay, (s->outcome & CLASS) | final);
    if (s->split) {
        int won = 0;
#if MANY
        for (int i = 0; i < FINALS; i++)
            if (2u * i == final) won = s->won[i];
#else
        for (u64 ends = s->ends; ends; ends >>= 8)
            won += AT(short, t->tenths, (((u32)ends & 255u) - 1u) * 32u + final);
#endif
        place = 4u * (u32)(MIDDLE + won);
        s->split = 0;
    }
#if INSURES
    if (s->insured) place += s->house == NATURAL ? 40u : (u32)-20;
    s->insured = 0;
#endif
    ADD((u32 *)((u8 *)t->counts + s->bin + place), 1u);
    s->phase = UP;
    s->row = UP_ROW;
    if (ENDLESS || s->left <= SIZE - CUT) {
        s->shoes += 1u;
        if (s->shoes == RUN) {
            s->shoes = 0;
            s->run += stride;
            s->random = seeded(seed, s->run);
            s->phase = last ? UP : WAIT;
        }
#if !ENDLESS
        for (int i = 0; i < WORDS; i++) s->cards[i] = s->whole[i];
        s->left = SIZE;
        s->running = START_COUNT;
#endif
    }
#if EXHAUSTS
    for (int i = 0; i < WORDS; i++) s->begun[i] = s->cards[i];
    s->begun_left = s->left;
    s->begun_running = s->running;
#endif
    s->bin = 4u * WIDTH * BIN(s->left, s->running);
}

// Play the runs first, first + stride, … below `end`.
DEVICE void play_runs(const struct Tables *t, const u32 *full, u64 seed, u64 first, u64 stride, u64 end) {
    struct Seat seat = {0}, *s = &seat;
    s->run = first;
    s->random = seeded(seed, first);
    for (int i = 0; i < WORDS; i++) s->cards[i] = s->whole[i] = full[i];
    s->left = SIZE;
    s->running = START_COUNT;
    s->bin = 4u * WIDTH * BIN(SIZE, START_COUNT);
    s->row = UP_ROW;
#if EXHAUSTS
    for (int i = 0; i < WORDS; i++) s->begun[i] = s->whole[i];
    s->begun_left = SIZE;
    s->begun_running = START_COUNT;
#endif
    // A word serves two cards: what the first leaves of it is as good as new. A run that ends after
    // the first card lets the second pass, so that all threads of a warp need a word together.
    while (s->run < end) {
        s->word = next_word(&s->random);
        draw_card(t, s, seed, stride, 0u);
        if (s->phase != WAIT) draw_card(t, s, seed, stride, 1u);
        else s->phase = UP;
    }
}

#ifdef HOST
void play(const u16 *step, const u16 *answer, const u16 *row, const short *tenths, const u16 *pay, const u32 *tag,
          const u16 *half, const u8 *limit, const u8 *level, const u8 *insure, const u16 *depth,
          const u8 *bins, const u32 *full, u64 seed, u64 first, u64 stride, u64 end, u32 *counts) {
    struct Tables t = {step, answer, row, tenths, pay, tag, half, limit, level, insure, depth, bins, counts};
    play_runs(&t, full, seed, first, stride, end);
}
#else
#define MOVE(type, name, num) \
    __shared__ type s_##name[(num) > 0 ? (num) : 1]; \
    for (u32 i = threadIdx.x; i < (num); i += THREADS) s_##name[i] = name[i]

// The tables move to shared memory; each block counts for itself and adds its counts to the total.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) play(
    const u16 *step, const u16 *answer, const u16 *row, const short *tenths, const u16 *pay, const u32 *tag,
    const u16 *half, const u8 *limit, const u8 *level, const u8 *insure, const u16 *depth,
    const u8 *bins, const u32 *full, u64 seed, u64 first, u64 end, u64 *total) {
#if FAR_COUNTS
    extern __shared__ u32 counts[];
#else
    __shared__ u32 counts[BINS * WIDTH];
#endif
    for (u32 i = threadIdx.x; i < BINS * WIDTH; i += THREADS) counts[i] = 0;
    MOVE(u16, step, STEPS * 16);
    MOVE(u16, answer, ANSWERS * 16);
    MOVE(short, tenths, CLASSES * 16);
    MOVE(u16, pay, CLASSES * 16);
    MOVE(u32, tag, 16);
    MOVE(u16, half, 32);
    MOVE(u8, limit, 16);
    MOVE(u8, level, 2 * BINS);
    MOVE(u8, insure, BINS);
    MOVE(u16, row, LEVELS > 1 ? LEVELS * STATES : 0);
#if COUNTS && NEAR_BINS
    MOVE(u16, depth, SIZE + 2);
    MOVE(u8, bins, DEPTHS * WIDE);
#else
    const u16 *s_depth = depth;
    const u8 *s_bins = bins;
#endif
    __syncthreads();
    Tables t = {s_step, s_answer, s_row, s_tenths, s_pay, s_tag, s_half, s_limit, s_level, s_insure, s_depth, s_bins, counts};
    u64 stride = (u64)gridDim.x * THREADS;
    play_runs(&t, full, seed, first + (u64)blockIdx.x * THREADS + threadIdx.x, stride, end);
    __syncthreads();
    for (u32 i = threadIdx.x; i < BINS * WIDTH; i += THREADS)
        if (counts[i]) atomicAdd(total + i, (u64)counts[i]);
}
#endif
