# Matrix addition: rows in parallel, each in vector lanes.
kernel mat_add_simd(sizes m, n; a: num[m, n], b: num[m, n]) -> c: num[m, n] =
  map par rows in zip(a, b) { map vec xy in zip(rows.fst, rows.snd) { xy.fst + xy.snd } }
