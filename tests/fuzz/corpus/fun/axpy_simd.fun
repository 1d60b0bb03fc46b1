# Multiple of a vector plus a vector: parts in parallel, each in vector lanes, with fused multiply-add.
kernel axpy_simd(sizes parts; k: num, xs: num[256 * parts], ys: num[256 * parts]) -> zs: num[256 * parts] =
  (map par part in zip(xs, ys).split(256, parts) { map vec xy in part { fma(k, xy.fst, xy.snd) } }).join
