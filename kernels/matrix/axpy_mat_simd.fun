# Multiple of a matrix plus a matrix: rows in parallel, each in vector lanes.
kernel axpy_mat_simd(sizes m, n; k: num, a: num[m, n], b: num[m, n]) -> c: num[m, n] =
  map par rows in zip(a, b) { map vec xy in zip(rows.fst, rows.snd) { k * xy.fst + xy.snd } }
