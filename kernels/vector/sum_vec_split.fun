# Sum of the elements by parts of m, in parallel.
kernel sum_vec_split(sizes m, parts; xs: num[m * parts]) -> out: num =
  reduce s in map par part in xs.split(m, parts) { reduce x in part with sum = 0 { sum + x } } with total = 0 { total + s }
