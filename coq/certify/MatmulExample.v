(** Matrix product, rows in parallel, for all sizes.

    [matmul_checked]    the certificate
    [matmul_computes]   what it says in plain terms *)

From Coq Require Import Arith List String.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
From Vouch Require Import imp.Flat imp.Threads lower.OffsetProof.
From Vouch Require Import certify.Print certify.Certificate certify.Readable.
Import ListNotations.
Local Open Scope string_scope.

Definition matmul : source := {|
  kernel_name := "matmul";
  kernel_names := {| var_names := ["a"; "b"; "c"]; size_names := ["m"; "n"; "p"];
    element_types := uniform F32 3; loop_names := [] |};
  kernel_facts := [];
  kernel_inputs := [matrix (SVar 0) (SVar 1); matrix (SVar 1) (SVar 2)];
  kernel_output := matrix (SVar 0) (SVar 2);
  kernel_term :=
    EMap Par (SVar 0) (vector (SVar 1)) (vector (SVar 2))
      (EMap Seq (SVar 2) (vector (SVar 1)) TNum
        (ERed Fresh (SVar 1) (TPair TNum TNum) TNum
          (EBin Add (EVar 1) (EBin Mul (EFst (EVar 0)) (ESnd (EVar 0))))
          (ECst TNum zero)
          (EZip (EVar 1) (EVar 0)))
        (ELay LTrans (EVar 2)))
      (EVar 0) |}.

Definition matmul_text : string :=
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

void matmul(int64_t m, int64_t n, int64_t p, const float *restrict a, const float *restrict b, float *restrict c) {
  #pragma omp parallel for
  for (int64_t i3 = 0; i3 < m; i3 += 1) {
    for (int64_t i4 = 0; i4 < p; i4 += 1) {
      {
        float v5;
        v5 = 0.0f;
        for (int64_t i6 = 0; i6 < n; i6 += 1) {
          v5 = (v5 + (a[((i3 * n) + i6)] * b[((i6 * p) + i4)]));
        }
        c[((i3 * p) + i4)] = v5;
      }
    }
  }
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

int matmul_checked(int64_t m, int64_t n, int64_t p, const float *a, const float *b, float *c) {
  if (m < 0) return 1;
  if (n < 0) return 1;
  if (p < 0) return 1;
  if (size_sum(size_sum(size_sum(size_sum(size_sum(m, size_product(size_product(8, m), n)), size_product(size_product(8, m), p)), n), size_product(size_product(8, n), p)), p) == INT64_MAX) return 2;
  if (missing(a, size_product(m, n))) return 4;
  if (missing(b, size_product(n, p))) return 4;
  if (missing(c, size_product(m, p))) return 4;
  if (overlap(c, size_product(4, size_product(m, p)), a, size_product(4, size_product(m, n)))) return 5;
  if (overlap(c, size_product(4, size_product(m, p)), b, size_product(4, size_product(n, p)))) return 5;
  matmul(m, n, p, a, b, c);
  return 0;
}
".

Theorem matmul_checked : certifies matmul matmul_text = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem matmul_certified : Certified matmul matmul_text.
Proof. exact (certifies_sound _ _ matmul_checked). Qed.

(** For all m, n, p: c[i*p + j] = ((0 + a[i*n]*b[j]) + a[i*n + 1]*b[p + j]) + .. *)
Theorem matmul_computes sg K junk ie mem0 t :
  behaves sg K junk (program matmul) ie t ->
  let m := sg 0 in let n := sg 1 in let p := sg 2 in
  forall i j, i < m -> j < p ->
  run K t mem0 2 (i * p + j) =
  iterate n (fun k s => op2 K Add s (op2 K Mul (mem0 0 (i * n + k)) (mem0 1 (k * p + j))))
    (cst K zero).
Proof.
  intros RUNS m n p i j i_lt j_lt. destruct matmul_certified as [_ meaning].
  destruct (meaning sg (fun _ _ no => match no with end) K junk ie mem0 t RUNS) as [result _].
  rewrite <- (place_matrix m p i j).
  refine (eq_trans (result [Ix i; Ix j] (conj i_lt (conj j_lt I))) _).
  apply iterate_scalar; [|reflexivity].
  intros k s. simpl. rewrite !Nat.mul_1_r, !Nat.add_0_r. reflexivity.
Qed.
