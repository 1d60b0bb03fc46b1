# Product of block matrices (block_dl_mul_dl): the blocks of the second are transposed, as in the paper.
kernel block_mul(sizes m1, n1, p1, m, n, p; a: num[m1, n1, m, n], b: num[p1, n1, p, n]) -> c: num[m1, p1, m, p] =
  map par band in a {
    map column in b {
      reduce ab in zip(band, column) with sum = fill(num[m, p], 0) {
        map rows in zip(sum, ab.fst) {
          map sb in zip(rows.fst, ab.snd) {
            sb.fst + (reduce q in zip(rows.snd, sb.snd) with s = 0 { s + q.fst * q.snd })
          }
        }
      }
    }
  }
