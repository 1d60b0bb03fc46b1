# Sum of the blocks of a block matrix: bands in parallel, then the sum of their sums.
kernel sum_block_bands(sizes m1, n1, m, n; a: num[m1, n1, m, n]) -> c: num[m, n] =
  reduce band in map par blocks in a {
    reduce block in blocks with sum = fill(num[m, n], 0) {
      map rows in zip(sum, block) { map xy in zip(rows.fst, rows.snd) { xy.fst + xy.snd } }
    }
  } with total = fill(num[m, n], 0) {
    map rows in zip(total, band) { map xy in zip(rows.fst, rows.snd) { xy.fst + xy.snd } }
  }
