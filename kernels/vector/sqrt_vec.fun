# Square root of each element.
kernel sqrt_vec(sizes n; xs: num[n]) -> ys: num[n] = map par x in xs { sqrt(x) }
