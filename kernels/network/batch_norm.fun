# Each channel shifted by its mean, scaled by its deviation and weight, shifted by its bias.
kernel batch_norm(sizes c, n; x: num[c, n], scale: num[c], shift: num[c], mean: num[c], variance: num[c], epsilon: num)
    -> y: num[c, n] =
  map par channel@i in x {
    let factor = mem(scale[i] / sqrt(variance[i] + epsilon)) in
    map v in channel { (v - mean[i]) * factor + shift[i] }
  }
