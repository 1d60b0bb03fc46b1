# The elements in opposite order (reverseSeq).
kernel reverse_vec(sizes n; xs: num[n]) -> ys: num[n] = map x in xs.reverse { x }
