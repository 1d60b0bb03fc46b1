# Largest element of each window, on one thread, a row of windows in vector lanes.
kernel max_pool_rows(sizes c, h, w, r, t, ho, wo, sh, sw, dh, dw; x: num[c, h, w]) -> y: num[c, ho, wo]
  where ho * sh + r * dh + 1 <= h + sh + dh, wo * sw + t * dw + 1 <= w + sw + dw =
  map channel in x {
    generate oy < ho {
      generate vec ox < wo {
        reduce line in channel.slide(ho, r, sh, dh)[oy] with top = -inf {
          reduce v in line.slide(wo, t, sw, dw)[ox] with top2 = top { max(top2, v) }
        }
      }
    }
  }
