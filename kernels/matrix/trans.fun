# Transpose (trans, transPar), rows of the result in parallel.
kernel trans(sizes m, n; a: num[m, n]) -> b: num[n, m] =
  map par column in a.transpose { map x in column { x } }
