// A player's choice before a spot: play on, or take a sum (first_choice.py). One thread a hand.
//
// Fields of the job that mean something else here:
//   scratch_rows   (2, width) regrets of playing on and of taking it
//   amounts        (3, width) the sum, the weight that must play on, and the rest of it
//   reach          (width,) the weights with which the player's hands come to the root
//   root_row       the value of playing on, from the player's last pass
// With mode 0 regrets are updated first; otherwise only the weights are written.

KERNEL(choose) {
  const int wide = j.my_width;
  for (int h = threadIdx.x + blockIdx.x * blockDim.x; h < j.my_size; h += blockDim.x * gridDim.x) {
    float on = j.scratch_rows[h], stop = j.scratch_rows[wide + h];
    float up = on > 0.0f ? on : 0.0f, down = stop > 0.0f ? stop : 0.0f;
    float part = up + down > 0.0f ? up / (up + down) : 0.5f;
    if (j.mode == 0) {
      const float plays = j.root_row[h], had = j.amounts[h];
      const float mean = part * plays + (1.0f - part) * had;
      on = on * (on > 0.0f ? j.weights[0] : j.weights[1]) + (plays - mean);
      stop = stop * (stop > 0.0f ? j.weights[0] : j.weights[1]) + (had - mean);
      j.scratch_rows[h] = on;
      j.scratch_rows[wide + h] = stop;
      up = on > 0.0f ? on : 0.0f;
      down = stop > 0.0f ? stop : 0.0f;
      part = up + down > 0.0f ? up / (up + down) : 0.5f;
    }
    j.reach[h] = j.amounts[wide + h] + j.amounts[2 * wide + h] * part;
  }
}
