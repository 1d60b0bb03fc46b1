# A dense layer: x times the transposed weight, plus bias, the larger of that and zero.
kernel dense(sizes m, n, p; x: num[m, n], weight: num[p, n], bias: num[p]) -> y: num[m, p] =
  map par row in x {
    map wb in zip(weight, bias) {
      max(wb.snd + (reduce q in zip(row, wb.fst) with sum = 0 { sum + q.fst * q.snd }), 0)
    }
  }
