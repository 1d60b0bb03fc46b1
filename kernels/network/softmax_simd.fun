# Softmax of each row, on one thread for each row, quotients in vector lanes.
kernel softmax_simd(sizes m, n; a: num[m, n]) -> b: num[m, n] =
  map par row in a {
    let largest = mem(reduce x in row with top = -inf { max(top, x) }) in
    let powers = mem(map x in row { exp(x - largest) }) in
    let total = mem(reduce x in powers with sum = 0 { sum + x }) in
    map vec x in powers { x / total }
  }
