# The 2-norm (norm2): root of the sum of squares.
kernel norm2(sizes n; xs: num[n]) -> out: num =
  sqrt(reduce x in xs with sum = 0 { sum + x * x })
