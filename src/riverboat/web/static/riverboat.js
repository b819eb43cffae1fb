// The theme, kept in the browser, and keys: a key presses the button that carries it in data-key.
(() => {
  const root = document.documentElement;
  const dark = () => {
    const kept = localStorage.getItem('riverboat-dark');
    return kept === null ? matchMedia('(prefers-color-scheme: dark)').matches : kept === '1';
  };
  const show = () => {
    root.toggleAttribute('data-dark', dark());
    if (window.Quasar) Quasar.Dark.set(dark());
    window.dispatchEvent(new Event('riverboat-theme'));
  };
  show();
  addEventListener('load', () => setTimeout(show));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);
  addEventListener('click', (event) => {
    if (!event.target.closest('[data-theme-switch]')) return;
    localStorage.setItem('riverboat-dark', dark() ? '0' : '1');
    show();
  });
  addEventListener('click', (event) => {
    // A button pressed by the pointer gives the keys back to the page; one by keyboard keeps them.
    if (event.detail > 0 && event.target.closest('button')) document.activeElement?.blur();
  });
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
  // Keys of several letters, such as 15 for a bid, are typed one after the other; where the first
  // is a key of its own, Enter or a moment's pause settles which was meant.
  let typed = '', pause = 0;
  const keys = () => [...document.querySelectorAll('[data-key]:not(:disabled)')];
  const press = (key) => {
    clearTimeout(pause);
    typed = '';
    keys().find((each) => each.dataset.key === key)?.click();
  };
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    if (target.matches('input, textarea, select, [contenteditable], [role="slider"]')) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    // A key that is held down presses once, unless its button is one to turn pages with.
    if (event.repeat) {
      const held = keys().find((each) => each.dataset.key === key);
      const pressed = key === 'Enter' && target.matches('[data-pick]');
      if ((held && held.dataset.repeat === undefined) || pressed) event.preventDefault();
      if (held?.dataset.repeat === undefined) return;
    }
    if (key === 'Enter' && typed) {
      event.preventDefault();
      press(typed);
      return;
    }
    if (key === 'Enter' && target.matches('button, a, summary')) return;
    const known = keys().map((each) => each.dataset.key);
    let text = key.length === 1 ? typed + key : key;
    if (!known.some((each) => each.startsWith(text))) text = key;
    const longer = known.some((each) => each.startsWith(text) && each !== text);
    if (!longer && !known.includes(text)) return;
    event.preventDefault();
    clearTimeout(pause);
    if (!longer || text.length > 1 && key.length > 1) {
      press(text);
      return;
    }
    typed = text;
    pause = setTimeout(() => press(typed), 700);
  });
})();
// Painting ranges: press on a cell, drag over others, let go. The grid then says what was painted.
(() => {
  let grid = null, cells = [], erase = false;
  const cellOf = (event) => event.target.closest?.('.range-grid.paint [data-cell]');
  const add = (cell) => {
    if (cells.includes(cell.dataset.cell)) return;
    cells.push(cell.dataset.cell);
    cell.style.setProperty('--share', erase ? '0%' : '100%');
  };
  const report = () => {
    if (grid && cells.length) {
      const detail = `${erase ? 'erase' : 'paint'}:${cells.join(',')}`;
      grid.dispatchEvent(new CustomEvent('paint', { detail, bubbles: true }));
    }
    grid = null; cells = [];
  };
  addEventListener('pointerdown', (event) => {
    const cell = cellOf(event);
    if (!cell) return;
    event.preventDefault();
    cell.releasePointerCapture?.(event.pointerId);
    grid = cell.parentElement; cells = [];
    erase = cell.classList.contains('whole') || cell.classList.contains('part');
    add(cell);
  });
  addEventListener('pointermove', (event) => {
    if (!grid) return;
    const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest('[data-cell]');
    if (cell && cell.parentElement === grid) add(cell);
  });
  addEventListener('pointerup', report);
  addEventListener('pointercancel', report);
  addEventListener('click', (event) => {
    const cell = cellOf(event);
    if (!cell || event.detail !== 0) return;  // only by keyboard; the pointer has painted already
    grid = cell.parentElement; cells = [];
    erase = cell.classList.contains('whole') || cell.classList.contains('part');
    add(cell); report();
  });
})();
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
// Text that is too long for a message is refused with a sentence and not sent; nothing is cut.
(() => {
  const most = 100000;
  const tooLong = () => [...document.querySelectorAll('input, textarea')]
    .find((field) => field.value.length > most);
  const refuse = (event, field) => {
    event.stopImmediatePropagation();
    event.preventDefault();
    const has = field.value.length.toLocaleString('en');
    const message = `A text of ${has} characters is too long; at most ${most.toLocaleString('en')}`
      + ' can be sent. Shorten it.';
    if (event.type !== 'input' || !field.refused) Quasar.Notify.create({ message, type: 'negative' });
    field.refused = true;
  };
  for (const kind of ['input', 'change', 'click']) {
    addEventListener(kind, (event) => {
      const field = tooLong();
      if (field && (kind === 'click' ? event.target.closest('button, a') : field === event.target)) {
        refuse(event, field);
      } else if (event.target) {
        event.target.refused = false;
      }
    }, true);
  }
})();
// The browser's Back and Forward inside a page that walks through something.
addEventListener('popstate', () => window.emitEvent?.('riverboat-address', location.search));
// On a narrow screen a tap that changes something further down brings it into view.
addEventListener('click', (event) => {
  const place = event.target.closest('[data-reveal]');
  if (!place || innerWidth >= 1000 || !event.target.closest('[data-pick]')) return;
  const shown = document.querySelector(place.dataset.reveal);
  if (!shown) return;
  const seen = new MutationObserver(() => {
    seen.disconnect();
    shown.scrollIntoView({ block: 'nearest' });
  });
  seen.observe(shown, { childList: true, subtree: true });
});
