// Straight loops, as one writes them: what a C compiler makes of them is the measure of certified texts. M and N are the sizes.
#include <math.h>

void axpy(const float *restrict a, const float *restrict x, const float *restrict y, float *restrict z) {
  for (long i = 0; i < N; i++) z[i] = a[0] * x[i] + y[i];
}

void scale(const float *restrict a, const float *restrict x, float *restrict z) {
  for (long i = 0; i < N; i++) z[i] = a[0] * x[i];
}

void sum(const float *restrict x, float *restrict s) {
  float total = 0;
  for (long i = 0; i < N; i++) total += x[i];
  *s = total;
}

void dot(const float *restrict x, const float *restrict y, float *restrict s) {
  float total = 0;
  for (long i = 0; i < N; i++) total += x[i] * y[i];
  *s = total;
}

void norm(const float *restrict x, float *restrict s) {
  float total = 0;
  for (long i = 0; i < N; i++) total += x[i] * x[i];
  *s = sqrtf(total);
}

void matvec(const float *restrict a, const float *restrict x, float *restrict y) {
#pragma omp parallel for
  for (long i = 0; i < M; i++) {
    float total = 0;
    for (long j = 0; j < N; j++) total += a[i * N + j] * x[j];
    y[i] = total;
  }
}

void softmax(const float *restrict x, float *restrict y) {
#pragma omp parallel for
  for (long i = 0; i < M; i++) {
    float largest = -INFINITY, total = 0;
    for (long j = 0; j < N; j++) largest = x[i * N + j] > largest ? x[i * N + j] : largest;
    for (long j = 0; j < N; j++) total += y[i * N + j] = expf(x[i * N + j] - largest);
    for (long j = 0; j < N; j++) y[i * N + j] /= total;
  }
}

void layer_norm(const float *restrict x, const float *restrict scale, const float *restrict shift, float *restrict y) {
#pragma omp parallel for
  for (long i = 0; i < M; i++) {
    float total = 0, squares = 0;
    for (long j = 0; j < N; j++) total += x[i * N + j];
    float mean = total / N;
    for (long j = 0; j < N; j++) squares += (x[i * N + j] - mean) * (x[i * N + j] - mean);
    float factor = 1 / sqrtf(squares / N + 0.00001f);
    for (long j = 0; j < N; j++) y[i * N + j] = (x[i * N + j] - mean) * factor * scale[j] + shift[j];
  }
}
