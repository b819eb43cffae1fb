// Light or dark, kept in the browser. It runs before the page is drawn, so that nothing flashes.
(() => {
  const root = document.documentElement;
  const dark = () => {
    const kept = localStorage.getItem('riverboat-dark');
    return kept === null ? matchMedia('(prefers-color-scheme: dark)').matches : kept === '1';
  };
  const show = () => {
    root.toggleAttribute('data-dark', dark());
    window.dispatchEvent(new Event('riverboat-theme'));
  };
  show();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);
  addEventListener('click', (event) => {
    if (!event.target.closest('[data-theme-switch]')) return;
    localStorage.setItem('riverboat-dark', dark() ? '0' : '1');
    show();
  });
})();
