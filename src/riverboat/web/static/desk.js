// The desk of a spot. Arrows move the chosen cell: a key that is let go shows the hands of the
// cell. Without a cell in focus they begin at the chosen one.
const arrows = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];
const cellOf = (target) => target.closest?.('.desk-grid a[data-cell]');
const typing = (target) => target.matches('input, textarea, select');

addEventListener('keydown', (event) => {
  if (!arrows.includes(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (typing(event.target) || event.target.closest('[data-columns]')) return;
  const grid = document.querySelector('.desk-grid.own .class-grid');
  const start = grid?.querySelector('[aria-current]') || grid?.querySelector('a, button');
  if (!start) return;
  event.preventDefault();
  start.focus();
});
addEventListener('keyup', (event) => {
  const cell = arrows.includes(event.key) && cellOf(document.activeElement);
  if (cell && !cell.hasAttribute('aria-current')) cell.click();
});

// On a narrow screen a tap on a cell brings its hands into view.
let tapped = false;
addEventListener('click', (event) => {
  tapped = event.detail > 0 && innerWidth < 1000 && Boolean(cellOf(event.target));
});
document.addEventListener('htmx:afterSettle', () => {
  if (tapped) document.querySelector('#hands')?.scrollIntoView({ block: 'nearest' });
  tapped = false;
  reveal();
});

// The end of the path is what one looks at.
const reveal = () => {
  const line = document.querySelector('.steps-line');
  if (line) line.scrollLeft = line.scrollWidth;
};
reveal();

// A slider says what it stands at. It may lie outside of its form, but not of its label.
addEventListener('input', (event) => {
  const shown = event.target.labels?.[0]?.querySelector('output');
  if (shown) shown.textContent = `${event.target.value} %`;
});
