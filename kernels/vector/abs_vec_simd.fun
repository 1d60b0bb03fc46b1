# Absolute value of each element, in vector lanes.
kernel abs_vec_simd(sizes n; xs: num[n]) -> ys: num[n] = map vec x in xs { abs(x) }
