// The chart by keyboard: one stop of the tab key for each of its tables, and arrows inside it.
const tables = () => document.querySelectorAll('table.chart');
const cellsOf = (table) => [...table.querySelectorAll('a[data-cell]')];

const oneStop = () => {
  for (const table of tables()) {
    const cells = cellsOf(table);
    const stop = cells.find((cell) => cell === document.activeElement)
      ?? cells.find((cell) => cell.hasAttribute('aria-current')) ?? cells[0];
    for (const cell of cells) cell.tabIndex = cell === stop ? 0 : -1;
  }
};

addEventListener('keydown', (event) => {
  const cell = event.target.closest?.('table.chart a[data-cell]');
  if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
  const steps = {
    ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
  };
  const step = steps[event.key];
  if (!step) return;
  event.preventDefault();
  const rows = [...cell.closest('tbody').rows].map((row) => [...row.querySelectorAll('a')]);
  const row = rows.findIndex((cells) => cells.includes(cell));
  const next = rows[row + step[0]]?.[rows[row].indexOf(cell) + step[1]];
  if (!next) return;
  next.focus();
  oneStop();
});

document.addEventListener('htmx:afterSettle', oneStop);
oneStop();
