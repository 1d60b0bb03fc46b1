# Convolution of a vector: for each tap, a multiple of the shifted vector is added to the output, in vector lanes.
kernel conv_taps(sizes n, k; xs: num[n + k], w: num[k + 1]) -> ys: num[n] =
  reduce into sw in zip(xs.slide(k + 1, n, 1, 1), w) with sum = fill(num[n], 0) {
    map vec p in zip(sum, sw.fst) { p.fst + p.snd * sw.snd }
  }
