// Painting: press on a cell, drag over others, let go. Then the names of all cells are sent with
// the form; the server answers with the grid as it is now. By keyboard a cell is a plain button.
import { press } from './presses.js';

let grid = null, cells = [], erase = false;

const cellOf = (event) => event.target.closest?.('.range-grid.paint [data-cell]');

const add = (cell) => {
  if (cells.includes(cell.dataset.cell)) return;
  cells.push(cell.dataset.cell);
  cell.style.setProperty('--share', erase ? '0%' : `${grid.brush}%`);
};

const send = () => {
  const painted = grid, names = cells;
  grid = null;
  cells = [];
  if (!painted || !names.length) return;
  const name = painted.dataset.paint;
  const values = { [`${name}_paint`]: names.join(','), [`${name}_erase`]: erase ? '1' : '' };
  press(painted.closest('form'), values);
};

addEventListener('pointerdown', (event) => {
  const cell = cellOf(event);
  if (!cell || event.button > 0) return;
  event.preventDefault();
  cell.releasePointerCapture?.(event.pointerId);
  grid = cell.parentElement;
  const brush = grid.closest('form').elements[`${grid.dataset.paint}_brush`];
  grid.brush = brush ? brush.value : 100;
  cells = [];
  erase = cell.matches('.whole, .part');
  add(cell);
});
addEventListener('pointermove', (event) => {
  if (!grid) return;
  const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest('[data-cell]');
  if (cell && cell.parentElement === grid) add(cell);
});
addEventListener('pointerup', send);
addEventListener('pointercancel', send);
// The click that follows a painted stroke would send its cell a second time.
addEventListener('click', (event) => {
  if (cellOf(event) && event.detail > 0) event.preventDefault();
}, true);
// Ctrl-Z and Ctrl-Shift-Z press Undo and Redo; in a field they stay the browser's own.
addEventListener('keydown', (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 'z') return;
  if (event.target.matches('input:not([type="range"]), textarea, select')) return;
  const button = document.querySelector(event.shiftKey ? '[data-redo]' : '[data-undo]');
  if (!button) return;
  event.preventDefault();
  button.click();
});
