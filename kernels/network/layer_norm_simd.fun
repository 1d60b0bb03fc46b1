# Layer normalisation of each row, the last pass in vector lanes.
kernel layer_norm_simd(sizes m, n; a: num[m, n], scale: num[n], shift: num[n], epsilon: num) -> b: num[m, n] =
  let count = mem(fold k < n with sum = 0 { sum + 1 }) in
  map par row in a {
    let mean = mem((reduce x in row with sum = 0 { sum + x }) / count) in
    let variance = mem((reduce x in row with sum = 0 { sum + (x - mean) * (x - mean) }) / count) in
    let factor = mem(1 / sqrt(variance + epsilon)) in
    map vec x in zip(row, zip(scale, shift)) { (x.fst - mean) * factor * x.snd.fst + x.snd.snd }
  }
