# Product of block matrices as the paper's strategy has it: all products of blocks first, in parallel, then their sum.
kernel block_mul_stored(sizes m1, n1, p1, m, n, p; a: num[m1, n1, m, n], b: num[p1, n1, p, n]) -> c: num[m1, p1, m, p] =
  map par band in a {
    map par column in b {
      reduce block in map par ab in zip(band, column) {
        map par row in ab.fst {
          map par other in ab.snd {
            reduce q in map xy in zip(row, other) { xy.fst * xy.snd } with s = 0 { s + q }
          }
        }
      } with sum = fill(num[m, p], 0) {
        map par rows in zip(sum, block) { map xy in zip(rows.fst, rows.snd) { xy.fst + xy.snd } }
      }
    }
  }
