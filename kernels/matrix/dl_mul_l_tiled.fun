# Matrix times vector: four rows at a time.
kernel dl_mul_l_tiled(sizes mt, n; a: num[4 * mt, n], x: num[n]) -> y: num[4 * mt] =
  (map par rows in a.split(4, mt) {
    reduce p in zip(rows.transpose, x) with sums = fill(num[4], 0) {
      map unroll q in zip(sums, p.fst) { q.fst + q.snd * p.snd }
    }
  }).join
