# Square root of each element, in vector lanes.
kernel sqrt_vec_simd(sizes n; xs: num[n]) -> ys: num[n] = map vec x in xs { sqrt(x) }
