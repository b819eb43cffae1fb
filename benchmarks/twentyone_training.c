/* A plain C loop of two learners of twenty-one, the peer of benchmarks/twentyone_training.py.

   One game after the other: a pack of 52 that is shuffled as far as cards are drawn, hands as a sum
   and a flag for the ace, averages in arrays. `literal` acts at random; `on-policy` is control as
   on_policy_kernel describes it, for (points, up card). Prints games, CPU seconds and one average. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t state = 88172645463325252ull;
static double value[22][11][2];
static long count[22][11][2];
static unsigned char deck[52];
static int top;

typedef struct { int sum, ace; } Hand;

static inline uint32_t number(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

static inline int draw(void) {
    int place = top + (int)(((uint64_t)number() * (unsigned)(52 - top)) >> 32);
    unsigned char card = deck[place];
    deck[place] = deck[top];
    deck[top++] = card;
    return card < 40 ? card / 4 + 1 : 10;
}

static inline void add(Hand *hand, int card) { hand->sum += card; hand->ace |= card == 1; }
static inline int points(Hand hand) { return hand.ace && hand.sum <= 11 ? hand.sum + 10 : hand.sum; }

static inline void average(int mine, int up, int action, double reward) {
    double *v = &value[mine][up][action];
    *v += (reward - *v) / ++count[mine][up][action];
}

static inline double reward_of(int mine, int theirs) {
    return theirs > 21 || mine > theirs ? 1.0 : mine == theirs ? 0.0 : -1.0;
}

static void literal(long games) {
    while (games--) {
        Hand me = {0, 0}, dealer = {0, 0};
        int path[22][2], steps = 0, up;
        double reward = -1.0;
        top = 0;
        add(&me, draw()); add(&dealer, draw()); add(&me, draw()); add(&dealer, up = draw());
        for (;;) {
            int mine = points(me), stands = mine == 21 || (number() & 1);
            path[steps][0] = mine;
            path[steps++][1] = stands;
            if (stands) {
                while (points(dealer) < 17) add(&dealer, draw());
                reward = reward_of(mine, points(dealer));
                break;
            }
            add(&me, draw());
            if (points(me) > 21) break;
        }
        for (int i = 0; i < steps; i++) average(path[i][0], up, path[i][1], reward);
    }
}

static void on_policy(long games) {
    while (games--) {
        Hand me = {0, 0}, dealer = {0, 0};
        int path[22], hits[22], steps = 0, credited = 22, up, mine, theirs;
        double stood[22], reward = -1.0;
        top = 0;
        add(&me, draw()); add(&dealer, draw()); add(&me, draw()); add(&dealer, up = draw());
        while (points(dealer) < 17) add(&dealer, draw());
        theirs = points(dealer);
        while ((mine = points(me)) <= 21) {
            double *v = value[mine][up], gap = v[0] - v[1];
            long tried = count[mine][up][0];
            path[steps] = mine;
            stood[steps] = reward_of(mine, theirs);
            hits[steps] = mine < 21 && (tried == 0 || gap > 0);
            if (!hits[steps++]) {
                if (mine == 21 || steps > credited) break;
                if (gap * gap * tried >= 50.0 && (number() & 15)) break;
                credited = steps;
            }
            add(&me, draw());
        }
        for (int i = steps - 1; i >= 0; i--) {
            if (i < credited) {
                if (i < steps - 1 || mine > 21) average(path[i], up, 0, reward);
                average(path[i], up, 1, stood[i]);
            }
            if (!hits[i]) reward = stood[i];
        }
    }
}

int main(int argc, char **argv) {
    long games = argc > 2 ? atol(argv[2]) : 1000000;
    for (int i = 0; i < 52; i++) deck[i] = (unsigned char)i;
    clock_t began = clock();
    if (argc > 1 && !strcmp(argv[1], "literal")) literal(games); else on_policy(games);
    printf("%ld %.6f %.6f\n", games, (double)(clock() - began) / CLOCKS_PER_SEC, value[16][10][0]);
    return 0;
}
