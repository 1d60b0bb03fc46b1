# Multiple of a matrix plus a matrix (axpy_mat).
kernel axpy_mat(sizes m, n; k: num, a: num[m, n], b: num[m, n]) -> c: num[m, n] =
  map par rows in zip(a, b) { map xy in zip(rows.fst, rows.snd) { k * xy.fst + xy.snd } }
