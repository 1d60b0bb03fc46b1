# Matrix addition (mat_add).
kernel mat_add(sizes m, n; a: num[m, n], b: num[m, n]) -> c: num[m, n] =
  map par rows in zip(a, b) { map xy in zip(rows.fst, rows.snd) { xy.fst + xy.snd } }
