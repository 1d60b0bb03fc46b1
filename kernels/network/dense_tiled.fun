# A dense layer, eight outputs at a time.
kernel dense_tiled(sizes m, n, pt; x: num[m, n], weight: num[8 * pt, n], bias: num[8 * pt]) -> y: num[m, 8 * pt] =
  map par row in x {
    (map wb in zip(weight, bias).split(8, pt) {
      let sums = mem(reduce q in zip(row, wb.unzip.fst.transpose) with s = fill(num[8], 0) {
        map unroll p in zip(s, q.snd) { p.fst + q.fst * p.snd }
      }) in
      map unroll sb in zip(sums, wb.unzip.snd) { max(sb.snd + sb.fst, 0) }
    }).join
  }
