# x * (1 + erf(x / sqrt 2)) / 2.
kernel gelu(sizes n; xs: num[n]) -> ys: num[n] =
  map par x in xs { 0.5 * x * (1 + erf(x * 0.70710678)) }
