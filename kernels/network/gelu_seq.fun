# x * (1 + erf(x / sqrt 2)) / 2, on one thread.
kernel gelu_seq(sizes n; xs: num[n]) -> ys: num[n] =
  map x in xs { 0.5 * x * (1 + erf(x * 0.70710678)) }
