# Matrix product by register tiles of 4 x 16, with fused multiply-add.
kernel matmul_tiled(sizes mt, nt, k; a: num[4 * mt, k], b: num[k, 16 * nt]) -> c: num[4 * mt, 16 * nt] =
  (map par rows in a.split(4, mt) {
    (map columns in b.each(split(16, nt)).transpose {
      reduce ab in zip(rows.transpose, columns) with tile = fill(num[4, 16], 0) {
        map unroll ta in zip(tile, ab.fst) {
          map vec tb in zip(ta.fst, ab.snd) { fma(ta.snd, tb.snd, tb.fst) }
        }
      }
    }).transpose.each(join)
  }).join
