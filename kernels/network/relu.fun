# The larger of each element and zero.
kernel relu(sizes n; xs: num[n]) -> ys: num[n] = map par x in xs { max(x, 0) }
