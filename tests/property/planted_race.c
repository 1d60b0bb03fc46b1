// A kernel with a race: ThreadSanitizer must see it, or its silence about the others says nothing.
#include "openmp_threads.h"

static void sum(long n, const float *restrict xs, float *restrict out) {
  out[0] = 0.0f;
#pragma omp parallel for
  for (long i = 0; i < n; i += 1) {
    out[0] = out[0] + xs[i];
  }
}

int main(void) {
  float xs[1000] = {0}, out[1];
  sum(1000, xs, out);
  return out[0] != 0.0f;
}
