// How the site's search orders what it found: lessons first, then guides; specifications last.
const EARLIER = [[/^(start|lessons\/)/, 30], [/^(spots|blackjack|web|bots|preflop|training|cards|twentyone)$/, 10]];
const LATER = /^(twentyone\/|engineering\/|changelog|design|.*_measurements)/;
const Scorer = {
  score: ([page, , , , score]) =>
    score + EARLIER.reduce((sum, [pages, more]) => sum + (pages.test(page) ? more : 0), 0) - (LATER.test(page) ? 10 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
