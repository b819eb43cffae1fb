// Chips at the blackjack table: each adds to the bet, as far as the bankroll goes.
addEventListener('click', (event) => {
  const chip = event.target.closest('[data-chip]');
  const bet = document.getElementById('bet');
  if (!chip || !bet) return;
  const more = Number(chip.dataset.chip);
  const now = Number(bet.value) || 0;
  bet.value = more ? Math.min(Number(bet.dataset.most), now + more) : 0;
});
