# Convolution of a vector (conv), width k.
kernel conv(sizes n, k; xs: num[n + k], w: num[k + 1]) -> ys: num[n] =
  map par window in xs.slide(n, k + 1, 1, 1) {
    reduce xw in zip(window, w) with sum = 0 { sum + xw.fst * xw.snd }
  }
