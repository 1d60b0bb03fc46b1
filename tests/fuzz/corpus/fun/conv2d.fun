# 2-D convolution: g groups of ic channels to oc, windows of r x t, strides sh, sw, dilations dh, dw, padded by zeros
# (top, bottom, left, right). x is [image, group, channel, row, column].
kernel conv2d(sizes images, g, ic, oc, h, w, r, t, ho, wo, sh, sw, dh, dw, top, bottom, left, right;
              x: num[images, g, ic, h, w], weight: num[g, oc, ic, r, t], bias: num[g, oc])
    -> y: num[images, g, oc, ho, wo]
  where ho * sh + r * dh + 1 <= top + h + bottom + sh + dh, wo * sw + t * dw + 1 <= left + w + right + sw + dw =
  map par image in x {
    map group in zip(image, zip(weight, bias)) {
      map filter in zip(group.snd.fst, group.snd.snd) {
        generate oy < ho {
          generate ox < wo {
            reduce channel in zip(group.fst, filter.fst) with sum = filter.snd {
              let padded = channel.fst.pad(top, bottom, 0).transpose.pad(left, right, 0).transpose in
              reduce line in zip(padded.slide(ho, r, sh, dh)[oy], channel.snd) with s = sum {
                reduce xw in zip(line.fst.slide(wo, t, sw, dw)[ox], line.snd) with s2 = s { s2 + xw.fst * xw.snd }
              }
            }
          }
        }
      }
    }
  }
