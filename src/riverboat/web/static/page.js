// What every page has: keys, news, copying, and counting down.
import './keys.js';
import './live.js';

document.documentElement.toggleAttribute('data-js', true);

addEventListener('click', async (event) => {
  const found = event.target.closest('[data-copy]');
  if (!found) return;
  try {
    await navigator.clipboard.writeText(found.dataset.copy);
    found.textContent = 'copied';
  } catch {
    found.previousElementSibling?.select?.();
  }
});

// Clocks: data-seconds is what was left when the page was drawn.
setInterval(() => {
  for (const clock of document.querySelectorAll('[data-seconds]')) {
    if (clock.countedFrom !== clock.dataset.seconds) {
      clock.countedFrom = clock.dataset.seconds;
      clock.endsAt = performance.now() + 1000 * Number(clock.dataset.seconds);
    }
    const left = String(Math.max(0, Math.ceil((clock.endsAt - performance.now()) / 1000)));
    if (clock.textContent !== left) clock.textContent = left;
  }
}, 250);

// A form that was sent twice by a double click is sent once.
addEventListener('click', (event) => {
  if (event.detail > 1 && event.target.closest('[data-once]')) event.preventDefault();
}, true);

// A swap keeps the elements that stay, what is typed into the one in use, and what is unfolded.
Idiomorph.defaults.ignoreActiveValue = true;
Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) => (
  !(name === 'open' && node.matches('details'))
);

// A page that changes by itself, by news or because an answer is there, leaves alone what the reader
// has typed, until it has another value of its own for that field.
let byItself = false;
document.addEventListener('htmx:beforeSwap', ({ detail }) => {
  byItself = [undefined, 'news'].includes(detail.requestConfig.triggeringEvent?.type);
});
Idiomorph.defaults.callbacks.beforeNodeMorphed = (node, next) => {
  if (byItself && node.matches?.('input, textarea') && node.defaultValue === next.defaultValue) {
    next.value = node.value;
  }
};
