// How the site's search orders results: lessons first, then guides; specifications last.
const EARLIER = [[/^(start|lessons\/)/, 30], [/^(spots|blackjack|web|bots|preflop|cards|twentyone)$/, 10]];
const LATER = /^(twentyone\/|changelog|design)/;
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
