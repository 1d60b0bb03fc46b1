/* What a program that computes a model as it is defined takes at least, each measured: the C library's functions on the arguments that
 * they are given, reading all weights once, products and sums in full vectors, sums of which each waits for the one before. Linked with
 * a library, with --wrap for each function. Results are seconds, the least of `rounds`. */
#define _POSIX_C_SOURCE 200112L
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define FUNCTIONS(F) F(expf) F(expm1f) F(tanhf) F(erff) F(logf) F(sinf) F(cosf)
enum { LANES = 192 };  /* twelve vectors of AVX-512: more than wait for each other */

static int recording;
static volatile float sink;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define RECORDED(f)                                                   \
  float __real_##f(float);                                            \
  static float *given_##f;                                            \
  static size_t count_##f;                                            \
  float __wrap_##f(float x) {                                         \
    if (recording) {                                                  \
      given_##f = realloc(given_##f, (count_##f + 1) * sizeof(float)); \
      given_##f[count_##f++] = x;                                     \
    }                                                                 \
    return __real_##f(x);                                             \
  }
FUNCTIONS(RECORDED)

void record(int whether) { recording = whether; }

static double taken_by(void (*what)(void), int times) {
  double start = now();
  for (int k = 0; k < times; ++k) what();
  return now() - start;
}

/* As often between two looks at the clock that these do not count. */
static double least(void (*what)(void), int rounds) {
  int times = 1;
  while (taken_by(what, times) < 1e-4) times *= 2;
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    double taken = taken_by(what, times) / times;
    best = taken < best ? taken : best;
  }
  return best;
}

#define COUNTED(f) total += (double)count_##f;
double calls(void) {
  double total = 0;
  FUNCTIONS(COUNTED)
  return total;
}

#define CALLED(f) \
  for (size_t i = 0; i < count_##f; ++i) last = __real_##f(given_##f[i]);
static void all_functions(void) {
  float last = 0;
  FUNCTIONS(CALLED)
  sink = last;
}
double functions(int rounds) { return least(all_functions, rounds); }

static const float *read_at;
static size_t read_count;
static void sums(void) {
  float s[LANES] = {0};
  for (size_t i = 0; i + LANES <= read_count; i += LANES) {
#pragma omp simd
    for (int j = 0; j < LANES; ++j) s[j] += read_at[i + (size_t)j];
  }
  for (int j = 0; j < LANES; ++j) sink = s[j];
}
double reading(const float *at, size_t count, int rounds) {
  read_at = at;
  read_count = count;
  return count < LANES ? 0 : least(sums, rounds);
}

enum { LONG = 10000 };
static void products(void) {
  float s[LANES], factor = 0.999f, summand = 0.5f;
  __asm__ volatile("" : "+x"(factor), "+x"(summand));
  for (int j = 0; j < LANES; ++j) s[j] = (float)j;
  for (int i = 0; i < LONG; ++i) {
#pragma omp simd
    for (int j = 0; j < LANES; ++j) s[j] = s[j] * factor + summand;
  }
  for (int j = 0; j < LANES; ++j) sink = s[j];
}
/* Of one product and one sum. */
double arithmetic(int rounds) { return least(products, rounds) / ((double)LONG * LANES); }

static void chain(void) {
  float s = 0, x = 0.5f;
  for (int i = 0; i < LONG; ++i) {
    s += x;
    __asm__ volatile("" : "+x"(s));
  }
  sink = s;
}
/* Of one sum that waits for the one before. */
double waiting(int rounds) { return least(chain, rounds) / LONG; }
