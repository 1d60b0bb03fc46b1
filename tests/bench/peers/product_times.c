// Products of matrices, certified texts and OpenBLAS in turns: one untimed round, then ROUNDS timed ones. On one thread the
// thread's own processor time is taken, which does not count what else the machine does; on several the clock.
//   product_times M K N BATCH FORM ROUNDS CLOCK LIBRARY... : each library has product(). FORM is none; a or b, which is transposed; or
//   a number of blocks along each axis: then the libraries are given blocks one after the other, those of b transposed, and give such
//   blocks, and OpenBLAS has the whole matrices, row by row
// Prints `subject seconds`, the median, and the largest difference from OpenBLAS relative to the largest element.
#include <cblas.h>
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SUBJECTS = 8, MOST_ROUNDS = 1000 };
typedef void product_function(const float *, const float *, float *);

static int64_t m, k, n, batch, blocks = 1;
static CBLAS_TRANSPOSE a_is, b_is;
static clockid_t which;

static double seconds(void) {
  struct timespec t;
  clock_gettime(which, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static float *matrix(int64_t count) {
  float *x = aligned_alloc(64, (size_t)(4 * count + 63) / 64 * 64);
  if (x == NULL) exit(9);
  for (int64_t i = 0; i < count; i++) x[i] = (float)(rand() % 2001 - 1000) / 512;
  return x;
}

static void blas(const float *a, const float *b, float *c) {
  for (int64_t p = 0; p < batch; p++)
    cblas_sgemm(CblasRowMajor, a_is, b_is, (int)m, (int)n, (int)k, 1, a + p * m * k, (int)(a_is == CblasTrans ? m : k), b + p * k * n,
                (int)(b_is == CblasTrans ? k : n), 0, c + p * m * n, (int)n);
}

// Where element (i, j) of rows and columns lies among blocks.
static int64_t in_blocks(int64_t i, int64_t j, int64_t rows, int64_t columns) {
  int64_t h = rows / blocks, w = columns / blocks;
  return ((i / h * blocks + j / w) * h + i % h) * w + j % w;
}

// The matrix in blocks, transposed or not.
static float *blocked(const float *x, int64_t rows, int64_t columns, int transposed) {
  float *y = matrix(rows * columns);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++)
      y[transposed ? in_blocks(j, i, columns, rows) : in_blocks(i, j, rows, columns)] = x[i * columns + j];
  return y;
}

static int by_size(const void *x, const void *y) {
  double d = *(const double *)x - *(const double *)y;
  return (d > 0) - (d < 0);
}

int main(int argc, char **argv) {
  if (argc < 8) return 64;
  m = atol(argv[1]), k = atol(argv[2]), n = atol(argv[3]), batch = atol(argv[4]);
  a_is = strcmp(argv[5], "a") == 0 ? CblasTrans : CblasNoTrans;
  b_is = strcmp(argv[5], "b") == 0 ? CblasTrans : CblasNoTrans;
  blocks = atol(argv[5]) > 0 ? atol(argv[5]) : 1;
  int rounds = atoi(argv[6]), subjects = 1;
  which = strcmp(argv[7], "processor") == 0 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  product_function *subject[MOST_SUBJECTS] = {blas};
  for (int i = 8; i < argc && subjects < MOST_SUBJECTS; i++) {
    void *library = dlopen(argv[i], RTLD_NOW);
    if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 9;
    *(void **)&subject[subjects++] = dlsym(library, "product");
  }
  float *a = matrix(batch * m * k), *b = matrix(batch * k * n), *right = matrix(batch * m * n), *out = matrix(batch * m * n);
  const float *own_a = blocks > 1 ? blocked(a, m, k, 0) : a, *own_b = blocks > 1 ? blocked(b, k, n, 1) : b;
  static double times[MOST_SUBJECTS][MOST_ROUNDS];
  double worst[MOST_SUBJECTS] = {0};
  for (int round = -1; round < rounds && round < MOST_ROUNDS; round++) {
    for (int s = 0; s < subjects; s++) {
      double before = seconds();
      subject[s](s == 0 ? a : own_a, s == 0 ? b : own_b, s == 0 ? right : out);
      if (round >= 0) times[s][round] = seconds() - before;
      double largest = 0;
      for (int64_t i = 0; round < 0 && s > 0 && i < batch * m * n; i++) {
        int64_t at = blocks > 1 ? in_blocks(i / n, i % n, m, n) : i;
        worst[s] = fmax(worst[s], fabs((double)out[at] - (double)right[i]));
        largest = fmax(largest, fabs((double)right[i]));
      }
      worst[s] = largest > 0 ? worst[s] / largest : worst[s];
    }
  }
  for (int s = 0; s < subjects; s++) {
    qsort(times[s], (size_t)rounds, sizeof(double), by_size);
    printf("%d\t%.9f\t%.3g\n", s, times[s][rounds / 2], worst[s]);
  }
}
