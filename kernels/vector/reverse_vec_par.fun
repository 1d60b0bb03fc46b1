# The elements in opposite order, in parallel.
kernel reverse_vec_par(sizes n; xs: num[n]) -> ys: num[n] = map par x in xs.reverse { x }
