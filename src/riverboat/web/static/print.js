// A button that prints the page; without scripts it is not shown.
const show = () => document.querySelectorAll('[data-print]').forEach((each) => { each.hidden = false; });
show();
document.addEventListener('htmx:afterSettle', show);
addEventListener('click', (event) => { if (event.target.closest('[data-print]')) print(); });
