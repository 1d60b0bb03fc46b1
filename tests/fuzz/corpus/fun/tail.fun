kernel k(sizes n; x: num[4 * n + 3]) -> y: num[4 * n + 3] =
  cat(map vec a in x.slice(0, 4 * n) { -a }, map a@i in x.slice(4 * n, 3) { if i < 1 then a else inf })
