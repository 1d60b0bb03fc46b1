# Multiple of a block matrix, rows of blocks in vector lanes.
kernel scale_block_simd(sizes m1, n1, m, n; k: num, a: num[m1, n1, m, n]) -> c: num[m1, n1, m, n] =
  map par band in a { map block in band { map row in block { map vec x in row { k * x } } } }
