// A report's scatter: what is pointed at, or has the focus, is said below the picture.
const say = (event) => {
  const link = event.target.closest?.('a[data-dot]');
  const words = document.getElementById('pointed');
  if (link && words) words.textContent = link.querySelector('title').textContent;
};
addEventListener('pointerover', say);
addEventListener('focusin', say);
