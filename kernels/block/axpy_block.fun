# Multiple of a block matrix plus a block matrix (axpy_block).
kernel axpy_block(sizes m1, n1, m, n; k: num, a: num[m1, n1, m, n], b: num[m1, n1, m, n]) -> c: num[m1, n1, m, n] =
  map par bands in zip(a, b) {
    map blocks in zip(bands.fst, bands.snd) {
      map rows in zip(blocks.fst, blocks.snd) { map xy in zip(rows.fst, rows.snd) { k * xy.fst + xy.snd } }
    }
  }
