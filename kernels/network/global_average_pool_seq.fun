# Mean of each channel, on one thread.
kernel global_average_pool_seq(sizes c, n; x: num[c, n]) -> y: num[c] =
  let count = mem(fold k < n with sum = 0 { sum + 1 }) in
  map channel in x { (reduce v in channel with sum = 0 { sum + v }) / count }
