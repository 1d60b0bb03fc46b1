# Addition of block matrices (block_add): m1 x n1 blocks of m x n.
kernel block_add(sizes m1, n1, m, n; a: num[m1, n1, m, n], b: num[m1, n1, m, n]) -> c: num[m1, n1, m, n] =
  map par bands in zip(a, b) {
    map blocks in zip(bands.fst, bands.snd) {
      map rows in zip(blocks.fst, blocks.snd) { map xy in zip(rows.fst, rows.snd) { xy.fst + xy.snd } }
    }
  }
