# Sum of the elements (sum_vec).
kernel sum_vec(sizes n; xs: num[n]) -> out: num =
  reduce x in xs with sum = 0 { sum + x }
