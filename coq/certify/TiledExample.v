(** Matrix product by register tiles, accumulated in place with fused multiply-add.

    [tiled_in_place]   the step of the reduction is accepted in place
    [tiled_checked]    the certificate
    [tiled_computes]   what it says in plain terms *)

From Coq Require Import Arith NArith List String.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
From Vouch Require Import imp.Flat imp.Threads lower.Align lower.OffsetProof.
From Vouch Require Import certify.Print certify.Certificate certify.Readable.
Import ListNotations.
Local Open Scope string_scope.

(** Tiles of 4 x 16 stay in registers while the products are summed into them. *)
Definition tile_step : exp :=
  EMap Unr (SConst 4) (TPair (vector (SConst 16)) TNum) (vector (SConst 16))
    (EMap Vec (SConst 16) (TPair TNum TNum) TNum
      (ETer Fma (ESnd (EVar 1)) (ESnd (EVar 0)) (EFst (EVar 0)))
      (EZip (EFst (EVar 0)) (ESnd (EVar 1))))
    (EZip (EVar 1) (EFst (EVar 0))).

(** a is 4 x k, b is k x 16. *)
Definition tile_product (a b : exp) : exp :=
  ERed Fresh (SVar 2) (TPair (vector (SConst 4)) (vector (SConst 16)))
    (matrix (SConst 4) (SConst 16)) tile_step
    (ECst (matrix (SConst 4) (SConst 16)) zero) (EZip (ELay LTrans a) b).

Definition tiled : source := {|
  kernel_name := "matmul_tiled";
  kernel_names := {| var_names := ["a"; "b"; "c"]; size_names := ["mt"; "nt"; "k"];
    element_types := uniform F32 3; loop_names := [] |};
  kernel_facts := [];
  kernel_inputs :=
    [matrix (SMul (SConst 4) (SVar 0)) (SVar 2); matrix (SVar 2) (SMul (SConst 16) (SVar 1))];
  kernel_output := matrix (SMul (SConst 4) (SVar 0)) (SMul (SConst 16) (SVar 1));
  kernel_term :=
    ELay (LJoin (SConst 4) (SVar 0))
      (EMap Par (SVar 0) (matrix (SConst 4) (SVar 2))
        (matrix (SConst 4) (SMul (SConst 16) (SVar 1)))
        (ELay (LMap (LJoin (SConst 16) (SVar 1)))
          (ELay LTrans
            (EMap Seq (SVar 1) (matrix (SVar 2) (SConst 16)) (matrix (SConst 4) (SConst 16))
              (tile_product (EVar 1) (EVar 0))
              (ELay LTrans (ELay (LMap (LSplit (SConst 16) (SVar 1))) (EVar 2))))))
        (ELay (LSplit (SConst 4) (SVar 0)) (EVar 0))) |}.

Definition tiled_text : string :=
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

void matmul_tiled(int64_t mt, int64_t nt, int64_t k, const float *restrict a, const float *restrict b, float *restrict c) {
  #pragma omp parallel for
  for (int64_t i3 = 0; i3 < mt; i3 += 1) {
    for (int64_t i4 = 0; i4 < nt; i4 += 1) {
      {
        float v5[64] __attribute__((aligned(64)));
        for (int64_t i6 = 0; i6 < 4; i6 += 1) {
          for (int64_t i7 = 0; i7 < 16; i7 += 1) {
            v5[((i6 * 16) + i7)] = 0.0f;
          }
        }
        for (int64_t i6 = 0; i6 < k; i6 += 1) {
          #pragma GCC unroll 16
          for (int64_t i7 = 0; i7 < 4; i7 += 1) {
            #pragma omp simd
            for (int64_t i8 = 0; i8 < 16; i8 += 1) {
              v5[((i7 * 16) + i8)] = fmaf(a[((((i3 * 4) + i7) * k) + i6)], b[((i6 * (16 * nt)) + ((i4 * 16) + i8))], v5[((i7 * 16) + i8)]);
            }
          }
        }
        for (int64_t i6 = 0; i6 < 4; i6 += 1) {
          for (int64_t i7 = 0; i7 < 16; i7 += 1) {
            c[((((i3 * 4) + i6) * (16 * nt)) + ((i4 * 16) + i7))] = v5[((i6 * 16) + i7)];
          }
        }
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

int matmul_tiled_checked(int64_t mt, int64_t nt, int64_t k, const float *a, const float *b, float *c) {
  if (mt < 0) return 1;
  if (nt < 0) return 1;
  if (k < 0) return 1;
  if (size_sum(size_sum(size_sum(size_sum(size_sum(size_sum(639, size_product(4, mt)), size_product(size_product(512, mt), nt)), size_product(size_product(32, mt), k)), size_product(80, nt)), size_product(size_product(128, nt), k)), size_product(5, k)) == INT64_MAX) return 2;
  if (missing(a, size_product(size_product(4, mt), k))) return 4;
  if (missing(b, size_product(k, size_product(16, nt)))) return 4;
  if (missing(c, size_product(size_product(4, mt), size_product(16, nt)))) return 4;
  if (overlap(c, size_product(4, size_product(size_product(4, mt), size_product(16, nt))), a, size_product(4, size_product(size_product(4, mt), k)))) return 5;
  if (overlap(c, size_product(4, size_product(size_product(4, mt), size_product(16, nt))), b, size_product(4, size_product(k, size_product(16, nt))))) return 5;
  matmul_tiled(mt, nt, k, a, b, c);
  return 0;
}
".

Theorem tiled_checked : certifies tiled tiled_text = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem tiled_certified : Certified tiled tiled_text.
Proof. exact (certifies_sound _ _ tiled_checked). Qed.

Lemma tiled_in_place : in_place tile_step = true.
Proof. reflexivity. Qed.

Lemma join_split i n : n <> 0 -> i / n * n + i mod n = i.
Proof. intros n_pos. rewrite Nat.mul_comm. symmetry. apply Nat.div_mod, n_pos. Qed.

(** For all mt, nt, k: c[i][j] folds fma(a[i][l], b[l][j], .) over l, from zero. *)
Theorem tiled_computes sg K junk ie mem0 t :
  behaves sg K junk (program tiled) ie t ->
  let m := 4 * sg 0 in let p := 16 * sg 1 in let n := sg 2 in
  forall i j, i < m -> j < p ->
  run K t mem0 2 (i * p + j) =
  iterate n (fun l s => op3 K Fma (mem0 0 (i * n + l)) (mem0 1 (l * p + j)) s) (cst K zero).
Proof.
  intros RUNS m p n i j i_lt j_lt. destruct tiled_certified as [_ meaning].
  destruct (meaning sg (fun _ _ no => match no with end) K junk ie mem0 t RUNS) as [result _].
  rewrite <- (place_matrix m p i j).
  refine (eq_trans (result [Ix i; Ix j] (conj i_lt (conj j_lt I))) _).
  apply iterate_scalar; [|reflexivity].
  intros l s. cbn -[Nat.mul Nat.div Nat.modulo Nat.add N.to_nat].
  change (N.to_nat 4) with 4. change (N.to_nat 16) with 16.
  rewrite !join_split by discriminate. rewrite !Nat.mul_1_r, !Nat.add_0_r. reflexivity.
Qed.
