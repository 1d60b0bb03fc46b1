(** The inner product of the paper: products in parallel into a temporary, then their sum.

    [dot_checked]    the certificate
    [dot_computes]   what it says in plain terms *)

From Coq Require Import Arith List String.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
From Vouch Require Import imp.Flat imp.Threads lower.OffsetProof.
From Vouch Require Import certify.Print certify.Certificate certify.Readable.
Import ListNotations.
Local Open Scope string_scope.

Definition dot : source := {|
  kernel_name := "dot";
  kernel_names := {| var_names := ["xs"; "ys"; "out"]; size_names := ["n"]; element_types := uniform F32 3; loop_names := [] |};
  kernel_facts := [];
  kernel_inputs := [vector (SVar 0); vector (SVar 0)];
  kernel_output := TNum;
  kernel_term :=
    ERed Fresh (SVar 0) TNum TNum (EBin Add (EVar 1) (EVar 0)) (ECst TNum zero)
      (EMap Par (SVar 0) (TPair TNum TNum) TNum (EBin Mul (EFst (EVar 0)) (ESnd (EVar 0)))
        (EZip (EVar 0) (EVar 1))) |}.

Definition dot_text : string :=
"#define _POSIX_C_SOURCE 200112L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#pragma GCC diagnostic ignored ""-Wunused-parameter""
#pragma GCC diagnostic ignored ""-Wtautological-compare""
#pragma GCC diagnostic ignored ""-Wunused-but-set-variable""
#ifdef __clang__
#pragma clang diagnostic ignored ""-Wpass-failed""
#endif

static float *new_floats(int64_t n, int *failed) {
  void *p = NULL;
  if (posix_memalign(&p, 64, (size_t)n * 4 + 64)) {
    __atomic_store_n(failed, 1, __ATOMIC_RELAXED);
    return NULL;
  }
  return p;
}

static void no_memory(void) {
  fputs(""out of memory\n"", stderr);
  abort();
}

static void dot_tried(int64_t n, const float *restrict xs, const float *restrict ys, float *restrict out, int *failed) {
  {
    float *restrict v3 = new_floats(n, failed);
    if (v3) {
      #pragma omp parallel for
      for (int64_t i4 = 0; i4 < n; i4 += 1) {
        v3[i4] = (xs[i4] * ys[i4]);
      }
      {
        float v4;
        v4 = 0.0f;
        for (int64_t i5 = 0; i5 < n; i5 += 1) {
          v4 = (v4 + v3[i5]);
        }
        out[0] = v4;
      }
    }
    free(v3);
  }
}

void dot(int64_t n, const float *restrict xs, const float *restrict ys, float *restrict out) {
  int failed[1] = {0};
  dot_tried(n, xs, ys, out, failed);
  if (failed[0]) no_memory();
}

static int64_t size_sum(int64_t a, int64_t b) {
  return INT64_MAX - b < a ? INT64_MAX : a + b;
}

static int64_t size_product(int64_t a, int64_t b) {
  return b == 0 ? 0 : INT64_MAX / b < a ? INT64_MAX : a * b;
}

static int missing(const void *p, int64_t n) {
  return p == NULL && 0 < n;
}

static int overlap(const void *p, int64_t n, const void *q, int64_t m) {
  uintptr_t a = (uintptr_t)p;
  uintptr_t b = (uintptr_t)q;
  return 0 < n && 0 < m && (a < b ? b - a < (uintptr_t)n : a - b < (uintptr_t)m);
}

int dot_checked(int64_t n, const float *xs, const float *ys, float *out) {
  if (n < 0) return 1;
  if (size_sum(127, size_product(8, n)) == INT64_MAX) return 2;
  if (missing(xs, n)) return 4;
  if (missing(ys, n)) return 4;
  if (missing(out, 1)) return 4;
  if (overlap(out, 4, xs, size_product(4, n))) return 5;
  if (overlap(out, 4, ys, size_product(4, n))) return 5;
  int failed[1] = {0};
  dot_tried(n, xs, ys, out, failed);
  return failed[0] ? 6 : 0;
}
".

Theorem dot_checked : certifies dot dot_text = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem dot_certified : Certified dot dot_text.
Proof. exact (certifies_sound _ _ dot_checked). Qed.

(** For every length n: out[0] = ((0 + xs[0]*ys[0]) + xs[1]*ys[1]) + .. *)
Theorem dot_computes sg K junk ie m t :
  behaves sg K junk (program dot) ie t ->
  run K t m 2 0 =
  iterate (sg 0) (fun k s => op2 K Add s (op2 K Mul (m 0 k) (m 1 k))) (cst K zero).
Proof.
  intros RUNS. destruct dot_certified as [_ meaning].
  destruct (meaning sg (fun _ _ no => match no with end) K junk ie m t RUNS) as [result _].
  refine (eq_trans (result [] I) _). apply iterate_scalar; [|reflexivity].
  intros k s. simpl. rewrite Nat.mul_1_r, Nat.add_0_r. reflexivity.
Qed.
