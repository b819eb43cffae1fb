// Keys: a key presses the button or link that carries it in data-key.

// A button pressed by the pointer gives the keys back to the page; one by keyboard keeps them. It
// does so after its form was sent: htmx takes the button that has the focus for the one pressed.
let pressed = null;
const release = () => {
  pressed?.blur();
  pressed = null;
};
addEventListener('click', (event) => {
  pressed = event.detail > 0 ? event.target.closest('button') : null;
  if (pressed) setTimeout(release);
});

// Keys of several letters, such as 15 for a bid, are typed one after the other; where the first
// is a key of its own, Enter or a moment's pause settles which was meant. Where it is none, more
// time is left: a busy machine may hand out the second key late.
const PAUSE = 700, PATIENCE = 10000;
let typed = '', pause = 0;
const keys = () => [...document.querySelectorAll('[data-key]:not(:disabled)')];

const press = (key) => {
  clearTimeout(pause);
  typed = '';
  keys().find((each) => each.dataset.key === key)?.click();
};

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // A busy machine may hand out a key before the button was released.
  const target = event.target === pressed ? document.body : event.target;
  release();
  if (target.matches('input, textarea, select, [contenteditable], [role="slider"]')) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  // A key that is held down presses once, unless its button is one to turn pages with.
  if (event.repeat) {
    const held = keys().find((each) => each.dataset.key === key);
    const pressed = key === 'Enter' && target.matches('[data-once]');
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
  if (!longer || (text.length > 1 && key.length > 1)) {
    press(text);
    return;
  }
  typed = text;
  pause = setTimeout(() => press(typed), known.includes(text) ? PAUSE : PATIENCE);
});
