// Grids by keyboard: one stop of the tab key each, arrows move inside, and a grid that is drawn
// anew keeps the focus where it was.
(() => {
  const keyOf = (element) => element.dataset.cell || element.dataset.pick || '';
  const gridOf = (element) => element?.closest?.('[data-columns]');
  let last = null;
  addEventListener('focusin', (event) => {
    const grid = gridOf(event.target);
    last = null;
    if (!grid || !event.target.matches('button, a')) return;
    grid.querySelectorAll('[tabindex="0"]').forEach((other) => { other.tabIndex = -1; });
    event.target.tabIndex = 0;
    last = { label: grid.getAttribute('aria-label'), key: keyOf(event.target), was: event.target };
  });
  addEventListener('keydown', (event) => {
    const grid = gridOf(event.target);
    if (!grid || event.ctrlKey || event.metaKey || event.altKey) return;
    const columns = Number(grid.dataset.columns);
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const cells = [...grid.children];
    const start = cells.indexOf(event.target);
    const sideways = Math.abs(step) === 1;
    // The next one in this direction: in the same row or column, else the nearest of the others.
    const at = (i) => [Math.floor(i / columns), i % columns];
    const [row, column] = at(start);
    let best = null, least = Infinity;
    cells.forEach((cell, i) => {
      if (!cell.matches('button:not(:disabled), a')) return;
      const [down, right] = [at(i)[0] - row, at(i)[1] - column];
      const [along, aside] = sideways ? [right, Math.abs(down)] : [down, Math.abs(right)];
      const ahead = along * Math.sign(step);
      if (ahead <= 0) return;
      const distance = (aside ? columns * cells.length : 0) + columns * ahead + aside;
      if (distance < least) [best, least] = [cell, distance];
    });
    best?.focus();
  }, true);
  const back = () => {
    if (!last || last.was.isConnected || document.activeElement !== document.body) return;
    const grids = document.querySelectorAll(`[data-columns][aria-label="${CSS.escape(last.label)}"]`);
    for (const grid of grids) {
      for (const button of grid.querySelectorAll('button, a')) {
        if (keyOf(button) === last.key) { button.focus({ preventScroll: true }); return; }
      }
    }
  };
  new MutationObserver(back).observe(document, { childList: true, subtree: true });
})();
