# Multiple of a block matrix plus a block matrix, rows of blocks in vector lanes.
kernel axpy_block_simd(sizes m1, n1, m, n; k: num, a: num[m1, n1, m, n], b: num[m1, n1, m, n]) -> c: num[m1, n1, m, n] =
  map par bands in zip(a, b) {
    map blocks in zip(bands.fst, bands.snd) {
      map rows in zip(blocks.fst, blocks.snd) { map vec xy in zip(rows.fst, rows.snd) { k * xy.fst + xy.snd } }
    }
  }
