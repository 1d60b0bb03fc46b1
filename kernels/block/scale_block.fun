# Multiple of a block matrix (scale_block).
kernel scale_block(sizes m1, n1, m, n; k: num, a: num[m1, n1, m, n]) -> c: num[m1, n1, m, n] =
  map par band in a { map block in band { map row in block { map x in row { k * x } } } }
