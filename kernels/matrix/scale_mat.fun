# Multiple of a matrix (scale_mat).
kernel scale_mat(sizes m, n; k: num, a: num[m, n]) -> c: num[m, n] =
  map par row in a { map x in row { k * x } }
