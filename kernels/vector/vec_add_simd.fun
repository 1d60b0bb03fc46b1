# Vector addition: parts of 256 in parallel, each in vector lanes.
kernel vec_add_simd(sizes parts; xs: num[256 * parts], ys: num[256 * parts]) -> zs: num[256 * parts] =
  (map par part in zip(xs, ys).split(256, parts) { map vec xy in part { xy.fst + xy.snd } }).join
