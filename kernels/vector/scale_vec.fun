# Multiple of a vector (scale_vec).
kernel scale_vec(sizes n; k: num, xs: num[n]) -> ys: num[n] =
  map par x in xs { k * x }
