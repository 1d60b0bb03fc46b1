# Batch normalisation, elements of a channel in vector lanes.
kernel batch_norm_simd(sizes c, n; x: num[c, n], scale: num[c], shift: num[c], mean: num[c], variance: num[c], epsilon: num)
    -> y: num[c, n] =
  map par channel@i in x {
    let factor = mem(scale[i] / sqrt(variance[i] + epsilon)) in
    map vec v in channel { (v - mean[i]) * factor + shift[i] }
  }
