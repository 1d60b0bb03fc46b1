# Multiple of a vector of any length: whole parts of 256 in parallel and vector lanes, then the rest.
kernel scale_vec_simd(sizes parts, rest; k: num, xs: num[256 * parts + rest]) -> ys: num[256 * parts + rest] =
  cat((map par part in xs.slice(0, 256 * parts).split(256, parts) { map vec x in part { k * x } }).join,
      map x in xs.slice(256 * parts, rest) { k * x })
