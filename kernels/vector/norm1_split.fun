# The 1-norm by parts of m, in parallel.
kernel norm1_split(sizes m, parts; xs: num[m * parts]) -> out: num =
  reduce s in map par part in xs.split(m, parts) { reduce x in part with sum = 0 { sum + abs(x) } } with total = 0 { total + s }
