/* lanes_errors STEP: by how much exp_lanes, tanh_lanes and erf_lanes of a kernel's C text, which TEXT names, are off at most, in
 * units of the last place of the exact result: of every STEP-th float, all of them with 1. A unit below 2^-126 is 2^-149. Exact
 * are the C library's functions of doubles, which are off by a billionth of such a unit. For each function a line: its name,
 * where it is off most, by how much; and for how many floats the result is no number, or infinite, and should not be, or the other
 * way round. */
#include TEXT

#include <inttypes.h>
#include <string.h>

static float float_of_bits(uint32_t bits) {
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

static double last_place(double exact) {
  int exponent;
  frexp(exact, &exponent);
  return ldexp(1, exponent - 24 < -149 ? -149 : exponent - 24);
}

static void measure(const char *name, float (*approximate)(float), double (*exact)(double), uint64_t step) {
  double worst = 0;
  float where = 0;
  long wrong = 0;
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += step) {
    float x = float_of_bits((uint32_t)bits);
    float y = approximate(x);
    double e = exact(x);
    if (isnan(e) || isinf((float)e)) {
      wrong += isnan(e) ? !isnan(y) : y != (float)e;
      continue;
    }
    double off = isfinite(y) ? fabs(y - e) / last_place(e) : 0;
    wrong += !isfinite(y);
    if (off > worst) {
      worst = off;
      where = x;
    }
  }
  printf("%s %a %.4f %ld\n", name, where, worst, wrong);
}

int main(int argc, char **argv) {
  uint64_t step = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  measure("exp_lanes", exp_lanes, exp, step);
  measure("tanh_lanes", tanh_lanes, tanh, step);
  measure("erf_lanes", erf_lanes, erf, step);
  return 0;
}
