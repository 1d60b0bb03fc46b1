// Code as the paper's generator prints it (sections 2.2 to 2.4), with the faults that keep it from compiling mended: numbers
// are floats, loop variables start at 0. Sequential and parallel by the same text: PAPER_PARALLEL is the pragma or nothing.
#include <stdint.h>
#include <stdlib.h>

static void NAME(scale)(int64_t m, int64_t n, float k, const float* a, float* out) {
  PAPER_PARALLEL
  for (int64_t i = 0; i < m; i += 1) {
    for (int64_t j = 0; j < n; j += 1) out[i * n + j] = k * a[i * n + j];
  }
}

static void NAME(axpy)(int64_t m, int64_t n, float k, const float* a, const float* b, float* out) {
  PAPER_PARALLEL
  for (int64_t i = 0; i < m; i += 1) {
    for (int64_t j = 0; j < n; j += 1) out[i * n + j] = k * a[i * n + j] + b[i * n + j];
  }
}

static void NAME(sum)(int64_t m, int64_t n, const float* a, float* out) {
  float* v0 = malloc(sizeof(float) * (size_t)m);
  PAPER_PARALLEL
  for (int64_t i = 0; i < m; i += 1) {
    float v2 = 0;
    for (int64_t j = 0; j < n; j += 1) v2 = a[i * n + j] + v2;
    v0[i] = v2;
  }
  float v4 = 0;
  for (int64_t i = 0; i < m; i += 1) v4 = v0[i] + v4;
  *out = v4;
  free(v0);
}

// The second matrix is given by its columns; each inner product goes through a temporary array.
static void NAME(mul)(int64_t m, int64_t n, int64_t p, const float* a, const float* b, float* out) {
  PAPER_PARALLEL
  for (int64_t i = 0; i < m; i += 1) {
    float* v6 = malloc(sizeof(float) * (size_t)n);
    for (int64_t j = 0; j < p; j += 1) {
      for (int64_t k = 0; k < n; k += 1) v6[k] = a[i * n + k] * b[j * n + k];
      float v8 = 0;
      for (int64_t k = 0; k < n; k += 1) v8 = v6[k] + v8;
      out[i * p + j] = v8;
    }
    free(v6);
  }
}

static void NAME(dot)(int64_t parts, int64_t m, const float* a, const float* b, float* out) {
  float* v0 = malloc(sizeof(float) * (size_t)parts);
  PAPER_PARALLEL
  for (int64_t i = 0; i < parts; i += 1) {
    float v2 = 0;
    for (int64_t j = 0; j < m; j += 1) v2 = a[i * m + j] * b[i * m + j] + v2;
    v0[i] = v2;
  }
  float v4 = 0;
  for (int64_t i = 0; i < parts; i += 1) v4 = v0[i] + v4;
  *out = v4;
  free(v0);
}
