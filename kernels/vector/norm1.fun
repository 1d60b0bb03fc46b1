# The 1-norm (norm1): sum of absolute values.
kernel norm1(sizes n; xs: num[n]) -> out: num =
  reduce x in xs with sum = 0 { sum + abs(x) }
