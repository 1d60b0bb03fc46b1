# Sum of the elements of a matrix (sum_mat), rows in parallel.
kernel sum_mat(sizes m, n; a: num[m, n]) -> out: num =
  reduce s in map par row in a { reduce x in row with sum = 0 { sum + x } } with total = 0 { total + s }
