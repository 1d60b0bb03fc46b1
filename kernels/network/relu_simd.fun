# The larger of each element and zero, in vector lanes.
kernel relu_simd(sizes n; xs: num[n]) -> ys: num[n] = map vec x in xs { max(x, 0) }
