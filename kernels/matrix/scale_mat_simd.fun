# Multiple of a matrix: rows in parallel, each in vector lanes.
kernel scale_mat_simd(sizes m, n; k: num, a: num[m, n]) -> c: num[m, n] =
  map par row in a { map vec x in row { k * x } }
