// The rule of the CFR family for kernels on a GPU: solvers/algorithms.py has it in words and
// solvers/_cfr_kernels.py for the CPU. Sums and products stand in the CPU's order, so that both
// give the same bits.
#define LEARN 0
#define BEST 1
#define AVERAGE 2
#define TINY 1e-300

struct Rule {
  double positive, negative, floor, prediction, weight, scale;
};

INLINE double renewed(const Rule& rule, double old, double newest) {
  const double regret = old * (old > 0.0 ? rule.positive : rule.negative) + newest;
  return regret > rule.floor ? regret : rule.floor;
}

// The iteration is over: the next rule of the table is due.
KERNEL(tick) {
  if (threadIdx.x == 0) j.counter[0] += 1;
}
