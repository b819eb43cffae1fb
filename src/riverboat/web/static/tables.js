// What must happen under the finger at a table: the slider of a size and its number move together.
addEventListener('input', (event) => {
  const together = event.target.closest('[data-together]');
  if (!together) return;
  for (const each of together.querySelectorAll('input')) {
    if (each !== event.target) each.value = event.target.value;
  }
});
