# Sum of the blocks of a block matrix (sum_block): a matrix.
kernel sum_block(sizes m1, n1, m, n; a: num[m1, n1, m, n]) -> c: num[m, n] =
  reduce block in a.join with sum = fill(num[m, n], 0) {
    map rows in zip(sum, block) { map xy in zip(rows.fst, rows.snd) { xy.fst + xy.snd } }
  }
