# Multiple of a vector plus a vector (axpy_vec).
kernel axpy_vec(sizes n; k: num, xs: num[n], ys: num[n]) -> zs: num[n] =
  map par xy in zip(xs, ys) { k * xy.fst + xy.snd }
