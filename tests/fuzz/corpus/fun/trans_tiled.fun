# Transpose by tiles of 16 x 16.
kernel trans_tiled(sizes mt, nt; a: num[16 * mt, 16 * nt]) -> b: num[16 * nt, 16 * mt] =
  (map par columns in a.each(split(16, nt)).transpose {
    (map tile in columns.split(16, mt) { map row in tile.transpose { map x in row { x } } }).transpose.each(join)
  }).join
