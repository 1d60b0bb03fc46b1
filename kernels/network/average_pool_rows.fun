# Mean of each window, rows of windows in parallel.
kernel average_pool_rows(sizes c, h, w, r, t, ho, wo, sh, sw, top, bottom, left, right; x: num[c, h, w]) -> y: num[c, ho, wo]
  where ho * sh + r + 1 <= top + h + bottom + sh + 1, wo * sw + t + 1 <= left + w + right + sw + 1 =
  let area = mem(fold i < r with s = 0 { fold j < t with s2 = s { s2 + 1 } }) in
  map channel in x {
    let padded = channel.pad(top, bottom, 0).transpose.pad(left, right, 0).transpose in
    generate par oy < ho {
      generate ox < wo {
        (reduce line in padded.slide(ho, r, sh, 1)[oy] with sum = 0 {
          reduce v in line.slide(wo, t, sw, 1)[ox] with s = sum { s + v }
        }) / area
      }
    }
  }
