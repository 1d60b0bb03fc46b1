# A copy (copySeq).
kernel copy_vec(sizes n; xs: num[n]) -> ys: num[n] = mem(xs)
