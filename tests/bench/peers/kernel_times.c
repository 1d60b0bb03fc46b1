// The paper's tables 2 and 3: its code, ours and OpenBLAS in turns, one untimed round and then ROUNDS timed ones.
// Prints `table subject seconds`, the median.
//   kernel_times TABLE ROUNDS
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NAME(f) paper_##f
#define PAPER_PARALLEL
#include "paper_kernels.h"
#undef NAME
#undef PAPER_PARALLEL
#define NAME(f) paper_parallel_##f
#define PAPER_PARALLEL _Pragma("omp parallel for")
#include "paper_kernels.h"

#include "axpy_mat.h"
#include "axpy_mat_simd.h"
#include "block_mul.h"
#include "dot.h"
#include "dot_lanes.h"
#include "matmul.h"
#include "matmul_rows.h"
#include "matmul_tiled.h"
#include "product_split.h"
#include "scale_block.h"
#include "scale_mat.h"
#include "scale_mat_simd.h"
#include "sum_mat.h"
#include "sum_mat_lanes.h"
#ifdef WITH_BLAS
#include <cblas.h>
#endif

static int64_t m, n, p;
static float *a, *b, *out;

// Blocks of 100 x 100: the data are the same, read as blocks.
static void s_paper(void) { paper_scale(m, n, 3.0f, a, out); }
static void s_parallel(void) { paper_parallel_scale(m, n, 3.0f, a, out); }
static void s_ours(void) { scale_mat(m, n, 3.0f, a, out); }
static void s_simd(void) { scale_mat_simd(m, n, 3.0f, a, out); }
static void s_block(void) { scale_block(m / 100, n / 100, 100, 100, 3.0f, a, out); }
static void x_paper(void) { paper_axpy(m, n, 3.0f, a, b, out); }
static void x_parallel(void) { paper_parallel_axpy(m, n, 3.0f, a, b, out); }
static void x_ours(void) { axpy_mat(m, n, 3.0f, a, b, out); }
static void x_simd(void) { axpy_mat_simd(m, n, 3.0f, a, b, out); }
static void e_paper(void) { paper_sum(m, n, a, out); }
static void e_parallel(void) { paper_parallel_sum(m, n, a, out); }
static void e_ours(void) { sum_mat(m, n, a, out); }
static void e_lanes(void) { sum_mat_lanes(m, n / 16, a, out); }
static void m_paper(void) { paper_mul(m, n, p, a, b, out); }
static void m_parallel(void) { paper_parallel_mul(m, n, p, a, b, out); }
static void m_ours(void) { matmul(m, n, p, a, b, out); }
static void m_rows(void) { matmul_rows(m, n, p, a, b, out); }
static void m_tiled(void) { matmul_tiled(m / 4, p / 16, n, a, b, out); }
static void m_block(void) { block_mul(m / 100, n / 100, p / 100, 100, 100, 100, a, b, out); }
static void d_paper(void) { paper_dot(100, n / 100, a, b, out); }
static void d_parallel(void) { paper_parallel_dot(100, n / 100, a, b, out); }
static void d_ours(void) { dot(n, a, b, out); }
static void d_split(void) { product_split(n / 100, 100, a, b, out); }
static void d_lanes(void) { dot_lanes(n / 16, a, b, out); }
#ifdef WITH_BLAS
static void s_blas(void) { cblas_scopy((int)(m * n), a, 1, out, 1), cblas_sscal((int)(m * n), 3.0f, out, 1); }
static void x_blas(void) { cblas_scopy((int)(m * n), b, 1, out, 1), cblas_saxpy((int)(m * n), 3.0f, a, 1, out, 1); }
static void e_blas(void) { *out = cblas_sasum((int)(m * n), a, 1); }
static void m_blas(void) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)p, (int)n, 1, a, (int)n, b, (int)p, 0, out, (int)p);
}
static void d_blas(void) { *out = cblas_sdot((int)n, a, 1, b, 1); }
#define BLAS(t) {"OpenBLAS", t##_blas},
#else
#define BLAS(t)
#endif

struct subject {
  const char *name;
  void (*run)(void);
};
struct table {
  const char *name;
  int64_t m, n, p;
  struct subject subjects[8];
};

static const struct table tables[] = {
    {"scale", 20000, 20000, 0,
     {{"paper", s_paper}, {"paper, parallel", s_parallel}, {"`scale_mat`", s_ours}, {"`scale_mat_simd`", s_simd},
      {"`scale_block`", s_block}, BLAS(s)}},
    {"axpy", 2000, 3000, 0,
     {{"paper", x_paper}, {"paper, parallel", x_parallel}, {"`axpy_mat`", x_ours}, {"`axpy_mat_simd`", x_simd}, BLAS(x)}},
    {"sum", 2000, 3000, 0,  /* rows of 3000 = 187 * 16 + 8: the lanes leave out 8 of each row's elements */
     {{"paper", e_paper}, {"paper, parallel", e_parallel}, {"`sum_mat`", e_ours}, {"`sum_mat_lanes`", e_lanes}, BLAS(e)}},
    {"mul", 2000, 3000, 4000,
     {{"paper", m_paper}, {"paper, parallel", m_parallel}, {"`matmul`", m_ours}, {"`block_mul`", m_block},
      {"`matmul_rows`", m_rows}, {"`matmul_tiled`", m_tiled}, BLAS(m)}},
    {"dot", 1, 100000, 0,
     {{"paper", d_paper}, {"paper, parallel", d_parallel}, {"`dot`", d_ours}, {"`product_split`", d_split},
      {"`dot_lanes`", d_lanes}, BLAS(d)}},
};

static float *numbers(int64_t count) {
  float *cells = malloc(sizeof(float) * (size_t)(count > 0 ? count : 1));
  if (!cells) exit(2);
  for (int64_t i = 0; i < count; ++i) cells[i] = (float)(i % 17) / 16;
  return cells;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *x, const void *y) {
  double d = *(const double *)x - *(const double *)y;
  return (d > 0) - (d < 0);
}

int main(int argc, char **argv) {
  double times[8][64];
  int rounds = argc == 3 ? atoi(argv[2]) : 0;
  if (rounds < 1 || rounds > 64) return 64;
  for (size_t t = 0; t < sizeof tables / sizeof *tables; ++t) {
    const struct table *table = &tables[t];
    if (strcmp(table->name, argv[1]) != 0) continue;
    m = table->m, n = table->n, p = table->p;
    a = numbers(m * n);
    b = numbers(p > 0 ? n * p : m * n);
    out = numbers(p > 0 ? m * p : m * n);
    for (int round = -1; round < rounds; ++round) {
      for (int s = 0; s < 8 && table->subjects[s].run; ++s) {
        double begin = seconds();
        table->subjects[s].run();
        if (round >= 0) times[s][round] = seconds() - begin;
      }
    }
    for (int s = 0; s < 8 && table->subjects[s].run; ++s) {
      qsort(times[s], (size_t)rounds, sizeof(double), compare);
      printf("%s\t%s\t%.9f\n", table->name, table->subjects[s].name, times[s][rounds / 2]);
    }
    return 0;
  }
  return 64;
}
