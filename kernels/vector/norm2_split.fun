# The 2-norm by parts of m, in parallel.
kernel norm2_split(sizes m, parts; xs: num[m * parts]) -> out: num =
  sqrt(reduce s in map par part in xs.split(m, parts) { reduce x in part with sum = 0 { sum + x * x } } with total = 0 { total + s })
