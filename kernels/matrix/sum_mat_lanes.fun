# Sum of the elements of a matrix: for each row 16 running sums, one for each vector lane.
kernel sum_mat_lanes(sizes m, nt; a: num[m, 16 * nt]) -> out: num =
  reduce s in map par row in a {
    let sums = mem(reduce part in row.split(16, nt) with lanes = fill(num[16], 0) {
      map vec p in zip(lanes, part) { p.fst + p.snd }
    }) in
    reduce x in sums with sum = 0 { sum + x }
  } with total = 0 { total + s }
