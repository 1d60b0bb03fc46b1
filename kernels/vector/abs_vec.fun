# Absolute value of each element.
kernel abs_vec(sizes n; xs: num[n]) -> ys: num[n] = map par x in xs { abs(x) }
