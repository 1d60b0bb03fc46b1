# 2-D convolution without padding, stride 1: filters in parallel, columns in vector lanes.
kernel conv2d_valid_simd(sizes ic, oc, ho, wo, r, t; x: num[ic, ho + r, wo + t], weight: num[oc, ic, r + 1, t + 1])
    -> y: num[oc, ho, wo] =
  map par filter in weight {
    generate oy < ho {
      generate vec ox < wo {
        reduce channel in zip(x, filter) with sum = 0 {
          reduce line in zip(channel.fst.slide(ho, r + 1, 1, 1)[oy], channel.snd) with s = sum {
            reduce xw in zip(line.fst.slide(wo, t + 1, 1, 1)[ox], line.snd) with s2 = s { s2 + xw.fst * xw.snd }
          }
        }
      }
    }
  }
