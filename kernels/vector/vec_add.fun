# Vector addition (vec_add).
kernel vec_add(sizes n; xs: num[n], ys: num[n]) -> zs: num[n] =
  map par xy in zip(xs, ys) { xy.fst + xy.snd }
