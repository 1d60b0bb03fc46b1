// A kernel that reads an element which nothing has written: MemorySanitizer must see it, or its silence about the others says nothing.
#include <stdio.h>
#include <stdlib.h>

static void sum(long n, const float *restrict xs, float *restrict out) {
  float *restrict total = malloc(2 * sizeof(float));
  total[0] = 0.0f;
  for (long i = 0; i < n; i += 1) {
    total[0] = total[0] + xs[i];
  }
  out[0] = total[0] + total[1];
  free(total);
}

int main(void) {
  float xs[1000] = {0}, out[1];
  sum(1000, xs, out);
  return fwrite(out, sizeof out, 1, stdout) != 1;
}
