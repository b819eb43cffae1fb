// What a slider stands at is said while it moves.
addEventListener('input', (event) => {
  const shown = document.getElementById(event.target.dataset?.shown);
  if (shown) shown.textContent = `${event.target.value} %`;
});
