# A copy, in parallel.
kernel copy_vec_par(sizes n; xs: num[n]) -> ys: num[n] = map par x in xs { x }
