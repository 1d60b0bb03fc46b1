(** A text with two versions, and the nearest ones that are not certified. *)

From Coq Require Import ZArith NArith List Bool String.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Flat certify.Print certify.Certificate.
From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Versions.
Import ListNotations.
Local Open Scope string_scope.

(** Four numbers, doubled; for AVX2 in lanes. *)
Definition doubled : ikernel := {|
  ik_facts := [];
  ik_inputs := [TAry (SConst 4) TNum];
  ik_locals := [];
  ik_output := {|
    st_extents := [SConst 4];
    st_summands := [{| su_loops := []; su_cond := CTrue;
                       su_body := BOp2 Add (BRead 0 [(IVar 0, SConst 4)]) (BRead 0 [(IVar 0, SConst 4)]) |}] |} |}.

Definition version (k : kind) : source := {|
  kernel_name := "twice";
  kernel_names := {| var_names := ["x"; "out"]; size_names := [];
    element_types := {| computed := F32; stored := [F32; F32] |}; loop_names := ["i"] |};
  kernel_facts := [];
  kernel_inputs := [TAry (SConst 4) TNum];
  kernel_output := TAry (SConst 4) TNum;
  kernel_term :=
    EMap k (SConst 4) TNum TNum (EOp (Op2 Add) (EPair (ELay (LAt (XVar 0)) (EVar 1)) (ELay (LAt (XVar 0)) (EVar 1))))
      (ECst (TAry (SConst 4) TNum) (Dyadic 0 0)) |}.

Definition two : versions := {| vs_generic := version Par; vs_targets := [(Avx2, version Vec)] |}.

(** What the text says is a question, what it calls then and otherwise, and what the newer version adds. *)
Definition twice_text (question newer otherwise sum : string) : string :=
c_processor ++ c_target Avx2 ++ newline ++ c_headers ++
"
static void twice_generic(const float *restrict x, float *restrict out) {
  #pragma omp parallel for
  for (int64_t i = 0; i < 4; i += 1) {
    out[i] = (x[i] + x[i]);
  }
}

VOUCH_AVX2 static void twice_avx2(const float *restrict x, float *restrict out) {
  #pragma omp simd
  for (int64_t i = 0; i < 4; i += 1) {
    out[i] = " ++ sum ++ ";
  }
}

void twice(const float *restrict x, float *restrict out) {
  if (" ++ question ++ "()) " ++ newer ++ "(x, out);
  else " ++ otherwise ++ "(x, out);
}

" ++ c_missing ++ newline ++ c_overlap ++
"
int twice_checked(const float *x, float *out) {
  if (missing(x, 4)) return 4;
  if (missing(out, 4)) return 4;
  if (overlap(out, 16, x, 16)) return 5;
  twice(x, out);
  return 0;
}
".

Theorem twice_checked :
  certifies_versions two (twice_text "has_avx2" "twice_avx2" "twice_generic" "(x[i] + x[i])") = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

(** Another version, another question, another function, another sum. *)
Lemma twice_refused :
  existsb (certifies_versions two)
    [twice_text "has_avx2" "twice_generic" "twice_generic" "(x[i] + x[i])";
     twice_text "has_avx2" "twice_avx2" "twice_avx2" "(x[i] + x[i])";
     twice_text "has_avx512" "twice_avx2" "twice_generic" "(x[i] + x[i])";
     twice_text "has_avx2" "twice" "twice_generic" "(x[i] + x[i])";
     twice_text "has_avx2" "twice_avx2" "twice_generic" "(x[i] - x[i])"] = false.
Proof. vm_cast_no_check (eq_refl false). Qed.

(** A version for another kind of processor. *)
Lemma twice_for_another :
  certifies_versions {| vs_generic := version Par; vs_targets := [(Avx512, version Vec)] |}
    (twice_text "has_avx2" "twice_avx2" "twice_generic" "(x[i] + x[i])") = false.
Proof. vm_cast_no_check (eq_refl false). Qed.

(** The names of questions are taken. *)
Lemma question_is_no_parameter :
  source_ok "twice" {| kernel_name := "twice";
    kernel_names := {| var_names := ["has_avx2"; "out"]; size_names := [];
      element_types := {| computed := F32; stored := [F32; F32] |}; loop_names := [] |};
    kernel_facts := []; kernel_inputs := [TAry (SConst 4) TNum]; kernel_output := TAry (SConst 4) TNum;
    kernel_term := kernel_term (version Par) |} = false.
Proof. vm_compute. reflexivity. Qed.
