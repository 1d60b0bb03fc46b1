# Addition of block matrices, rows of blocks in vector lanes.
kernel block_add_simd(sizes m1, n1, m, n; a: num[m1, n1, m, n], b: num[m1, n1, m, n]) -> c: num[m1, n1, m, n] =
  map par bands in zip(a, b) {
    map blocks in zip(bands.fst, bands.snd) {
      map rows in zip(blocks.fst, blocks.snd) { map vec xy in zip(rows.fst, rows.snd) { xy.fst + xy.snd } }
    }
  }
