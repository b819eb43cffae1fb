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
  addEventListener('click', (event) => {
    if (!event.target.closest('[data-theme-switch]')) return;
    localStorage.setItem('riverboat-dark', dark() ? '0' : '1');
    show();
  });
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    if (target.matches('input, textarea, select, [contenteditable]')) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === 'Enter' && target.matches('button, a')) return;
    const found = document.querySelector(`[data-key="${CSS.escape(key)}"]:not(:disabled)`);
    if (found) { event.preventDefault(); found.click(); }
  });
})();
