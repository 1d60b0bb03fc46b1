(** A small kernel for each primitive, with the statements that it becomes.

    [body]      those of a kernel with inputs a, b, c and output out
    [certify]   each example is certified, with what it prints as text
    [refused]   what is not: terms of another type, indices that may be out of range *)

From Coq Require Import ZArith NArith List String Bool.
From Vouch Require Import lib.Size array.Syntax imp.Flat certify.Kernel certify.Print.
From Vouch Require imp.Int64.
From Vouch Require Import certify.Certificate certify.Readable.
Import ListNotations.
Local Open Scope string_scope.

Definition n : size := SVar 0.
Definition m : size := SVar 1.

Definition example (inputs : list ty) (output : ty) (term : exp) : source := {|
  kernel_name := "example";
  kernel_names := {|
    var_names := (firstn (List.length inputs) ["a"; "b"; "c"] ++ ["out"])%list;
    size_names := ["n"; "m"];
    element_types := uniform F32 (S (List.length inputs)); loop_names := [] |};
  kernel_facts := [];
  kernel_inputs := inputs;
  kernel_output := output;
  kernel_term := term |}.

Definition body (k : source) : string :=
  newline ++ c_stmt (kernel_names k) 0 (program k) "".

(** A map under each kind of loop. *)
Definition map_kinds : source :=
  example [matrix (SConst 4) n] (matrix (SConst 4) n)
    (EMap Unr (SConst 4) (vector n) (vector n) (EMap Vec n TNum TNum (EUn Exp (EVar 0)) (EVar 0))
      (EVar 0)).

Lemma map_kinds_body : body map_kinds =
"
#pragma GCC unroll 16
for (int64_t i2 = 0; i2 < 4; i2 += 1) {
  #pragma omp simd
  for (int64_t i3 = 0; i3 < n; i3 += 1) {
    out[((i2 * n) + i3)] = expf(a[((i2 * n) + i3)]);
  }
}
".
Proof. reflexivity. Qed.

(** The value of a let that is a view costs nothing. *)
Definition let_view : source :=
  example [vector n] (vector n)
    (ELet (ELay (LRev n) (EVar 0)) (EMap Par n TNum TNum (EBin Mul (EVar 0) (EVar 0)) (EVar 0))).

Lemma let_view_body : body let_view =
"
#pragma omp parallel for
for (int64_t i2 = 0; i2 < n; i2 += 1) {
  out[i2] = (a[(n - (i2 + 1))] * a[(n - (i2 + 1))]);
}
".
Proof. reflexivity. Qed.

(** With toMem it is computed once, outside the loop. *)
Definition let_memory : source :=
  example [vector n] (vector n)
    (ELet (EMem TNum
        (ERed Fresh n TNum TNum (EBin Add (EVar 1) (EVar 0)) (ECst TNum zero) (EVar 0)))
      (EMap Par n TNum TNum (EBin Div (EVar 0) (EVar 1)) (EVar 1))).

Lemma let_memory_body : body let_memory =
"
{
  float v2;
  {
    float v3;
    v3 = 0.0f;
    for (int64_t i4 = 0; i4 < n; i4 += 1) {
      v3 = (v3 + a[i4]);
    }
    v2 = v3;
  }
  #pragma omp parallel for
  for (int64_t i3 = 0; i3 < n; i3 += 1) {
    out[i3] = (a[i3] / v2);
  }
}
".
Proof. reflexivity. Qed.

(** A reduction that accumulates in the output: each cell is written from itself. *)
Definition reduce_into : source :=
  example [matrix m n] (vector n)
    (ERed Into m (vector n) (vector n)
      (EMap Vec n (TPair TNum TNum) TNum (EBin Add (EFst (EVar 0)) (ESnd (EVar 0)))
        (EZip (EVar 1) (EVar 0)))
      (ECst (vector n) zero) (EVar 0)).

Lemma reduce_into_body : body reduce_into =
"
for (int64_t i2 = 0; i2 < n; i2 += 1) {
  out[i2] = 0.0f;
}
for (int64_t i2 = 0; i2 < m; i2 += 1) {
  #pragma omp simd
  for (int64_t i3 = 0; i3 < n; i3 += 1) {
    out[i3] = (out[i3] + a[((i2 * n) + i3)]);
  }
}
".
Proof. reflexivity. Qed.

(** Loops of reductions unrolled, in a temporary and in the output. *)
Definition unrolled : source :=
  example [matrix (SConst 3) (SConst 2)] TNum
    (ERed (Unrolled Into) (SConst 3) (vector (SConst 2)) TNum
      (ERed (Unrolled Fresh) (SConst 2) TNum TNum (EBin Mul (EVar 1) (EVar 0)) (EVar 1) (EVar 0))
      (ECst TNum zero) (EVar 0)).

Lemma unrolled_body : body unrolled =
"
out[0] = 0.0f;
#pragma GCC unroll 16
for (int64_t i2 = 0; i2 < 3; i2 += 1) {
  {
    float v3;
    v3 = out[0];
    #pragma GCC unroll 16
    for (int64_t i4 = 0; i4 < 2; i4 += 1) {
      v3 = (v3 * a[((i2 * 2) + i4)]);
    }
    out[0] = v3;
  }
}
".
Proof. reflexivity. Qed.

(** A short loop around an unrolled one is to stay a loop. *)
Definition around_unrolled (n : size) : source :=
  example [matrix n (SConst 2)] (matrix n (SConst 2))
    (EMap Seq n (vector (SConst 2)) (vector (SConst 2)) (EMap Unr (SConst 2) TNum TNum (EVar 0) (EVar 0)) (EVar 0)).

Lemma around_unrolled_body : body (around_unrolled (SConst 3)) =
"
#pragma GCC unroll 1
for (int64_t i2 = 0; i2 < 3; i2 += 1) {
  #pragma GCC unroll 16
  for (int64_t i3 = 0; i3 < 2; i3 += 1) {
    out[((i2 * 2) + i3)] = a[((i2 * 2) + i3)];
  }
}
".
Proof. reflexivity. Qed.

(** Threads are not asked for where there may be no block. *)
Definition in_blocks : source :=
  example [TNum] (vector (SPart (Quot 8) 0)) (EGen Par (SPart (Quot 8) 0) TNum (EVar 1)).

Lemma in_blocks_body : body in_blocks =
"
if (0 < (n / 8))
#pragma omp parallel for
for (int64_t i2 = 0; i2 < (n / 8); i2 += 1) {
  out[i2] = a;
}
".
Proof. reflexivity. Qed.

(** Reversal reads other cells than it writes: two buffers. *)
Definition reduce_buffered : source :=
  example [matrix m n] (vector n)
    (ERed Fresh m (vector n) (vector n)
      (EMap Seq n (TPair TNum TNum) TNum (EBin Add (EFst (EVar 0)) (ESnd (EVar 0)))
        (EZip (ELay (LRev n) (EVar 1)) (EVar 0)))
      (ECst (vector n) zero) (EVar 0)).

Lemma reduce_buffered_body : body reduce_buffered =
"
{
  float *restrict v2 = new_floats(n, failed);
  if (v2) {
    for (int64_t i3 = 0; i3 < n; i3 += 1) {
      v2[i3] = 0.0f;
    }
    for (int64_t i3 = 0; i3 < m; i3 += 1) {
      {
        float *restrict v4 = new_floats(n, failed);
        if (v4) {
          for (int64_t i5 = 0; i5 < n; i5 += 1) {
            v4[i5] = (v2[(n - (i5 + 1))] + a[((i3 * n) + i5)]);
          }
          for (int64_t i5 = 0; i5 < n; i5 += 1) {
            v2[i5] = v4[i5];
          }
        }
        free(v4);
      }
    }
    for (int64_t i3 = 0; i3 < n; i3 += 1) {
      out[i3] = v2[i3];
    }
  }
  free(v2);
}
".
Proof. reflexivity. Qed.

(** Layouts in front of what is read and of what is written. *)
Definition split_join : source :=
  example [vector (SMul (SConst 8) n)] (vector (SMul (SConst 8) n))
    (ELay (LJoin (SConst 8) n) (EMap Par n (vector (SConst 8)) (vector (SConst 8))
      (EMap Vec (SConst 8) TNum TNum (EUn Sqrt (EVar 0)) (EVar 0))
      (ELay (LSplit (SConst 8) n) (EVar 0)))).

Lemma split_join_body : body split_join =
"
#pragma omp parallel for
for (int64_t i2 = 0; i2 < n; i2 += 1) {
  #pragma omp simd
  for (int64_t i3 = 0; i3 < 8; i3 += 1) {
    out[((i2 * 8) + i3)] = sqrtf(a[((i2 * 8) + i3)]);
  }
}
".
Proof. reflexivity. Qed.

(** A copy of the transposed. *)
Definition transposed : source :=
  example [matrix m n] (matrix n m)
    (EMem (matrix n m) (ELay LTrans (EVar 0))).

Lemma transposed_body : body transposed =
"
for (int64_t i2 = 0; i2 < m; i2 += 1) {
  for (int64_t i3 = 0; i3 < n; i3 += 1) {
    out[((i3 * m) + i2)] = a[((i2 * n) + i3)];
  }
}
".
Proof. reflexivity. Qed.

(** Sums of three neighbours; slide gives the windows. *)
Definition windows : source :=
  example [vector (SAdd n (SConst 2))] (vector n)
    (EMap Par n (vector (SConst 3)) TNum
      (ERed Fresh (SConst 3) TNum TNum (EBin Add (EVar 1) (EVar 0)) (ECst TNum zero) (EVar 0))
      (ELay (LSlide n (SConst 3) (SConst 1) (SConst 1)) (EVar 0))).

Lemma windows_body : body windows =
"
#pragma omp parallel for
for (int64_t i2 = 0; i2 < n; i2 += 1) {
  {
    float v3;
    v3 = 0.0f;
    for (int64_t i4 = 0; i4 < 3; i4 += 1) {
      v3 = (v3 + a[(i2 + i4)]);
    }
    out[i2] = v3;
  }
}
".
Proof. reflexivity. Qed.

(** Two zeros before, one after. *)
Definition padded : source :=
  example [vector n] (vector (SAdd (SAdd (SConst 2) n) (SConst 1)))
    (EMem (vector (SAdd (SAdd (SConst 2) n) (SConst 1)))
      (EPad (SConst 2) n (SConst 1) zero (EVar 0))).

Lemma padded_body : body padded =
"
for (int64_t i2 = 0; i2 < ((2 + n) + 1); i2 += 1) {
  out[i2] = (((!(i2 < 2)) && (i2 < (2 + n))) ? a[(i2 - 2)] : 0.0f);
}
".
Proof. reflexivity. Qed.

(** The last m elements, then the first n, without a guard. *)
Definition slice_concat : source :=
  example [vector (SAdd n m)] (vector (SAdd m n))
    (ECat m n TNum (EMap Seq m TNum TNum (EVar 0) (ELay (LSlice n m) (EVar 0)))
      (EMap Seq n TNum TNum (EVar 0) (ELay (LSlice (SConst 0) n) (EVar 0)))).

Lemma slice_concat_body : body slice_concat =
"
for (int64_t i2 = 0; i2 < m; i2 += 1) {
  out[i2] = a[(n + i2)];
}
for (int64_t i2 = 0; i2 < n; i2 += 1) {
  out[(m + i2)] = a[i2];
}
".
Proof. reflexivity. Qed.

(** generate: the unit matrix. *)
Definition generated : source :=
  example [] (matrix n n)
    (EGen Par n (vector n) (EGen Seq n TNum
      (EIf (GEqual (XVar 0) (XVar 1)) (ECst TNum one) (ECst TNum zero)))).

Lemma generated_body : body generated =
"
#pragma omp parallel for
for (int64_t i1 = 0; i1 < n; i1 += 1) {
  for (int64_t i2 = 0; i2 < n; i2 += 1) {
    out[((i1 * n) + i2)] = ((i2 == i1) ? 1.0f : 0.0f);
  }
}
".
Proof. reflexivity. Qed.

(** An element at an index proven in range. *)
Definition diagonal : source :=
  example [matrix n n] (vector n)
    (EGen Par n TNum (EAt (EAt (EVar 1) (XVar 0)) (XVar 0))).

Lemma diagonal_body : body diagonal =
"
#pragma omp parallel for
for (int64_t i2 = 0; i2 < n; i2 += 1) {
  out[i2] = a[((i2 * n) + i2)];
}
".
Proof. reflexivity. Qed.

(** Fused multiply-add of a scalar and two vectors. *)
Definition fused : source :=
  example [TNum; vector n; vector n] (vector n)
    (EMap Vec n (TPair TNum TNum) TNum (ETer Fma (EVar 1) (EFst (EVar 0)) (ESnd (EVar 0)))
      (EZip (EVar 1) (EVar 2))).

Lemma fused_body : body fused =
"
#pragma omp simd
for (int64_t i4 = 0; i4 < n; i4 += 1) {
  out[i4] = fmaf(a, b[i4], c[i4]);
}
".
Proof. reflexivity. Qed.

(** A pair of results: first all of one half, then all of the other. *)
Definition pairs : source :=
  example [vector n] (TPair (vector n) TNum)
    (EPair (EMap Seq n TNum TNum (EUn Abs (EVar 0)) (EVar 0))
      (ERed Fresh n TNum TNum (EBin Max (EVar 1) (EVar 0)) (ECst TNum (Infinity true)) (EVar 0))).

Lemma pairs_body : body pairs =
"
for (int64_t i2 = 0; i2 < n; i2 += 1) {
  out[i2] = fabsf(a[i2]);
}
{
  float v2;
  v2 = (-INFINITY);
  for (int64_t i3 = 0; i3 < n; i3 += 1) {
    v2 = greater(v2, a[i3]);
  }
  out[n] = v2;
}
".
Proof. reflexivity. Qed.

(** Every row the same; select where positive. *)
Definition repeated : source :=
  example [vector n] (matrix m n)
    (EMap Par m (vector n) (vector n) (EMap Seq n TNum TNum
      (ETer Sel (EBin Less (ECst TNum zero) (EVar 0)) (EVar 0) (ECst TNum (Dyadic 1 (-2))))
      (EVar 0)) (ELay (LRepeat m) (EVar 0))).

Lemma repeated_body : body repeated =
"
#pragma omp parallel for
for (int64_t i2 = 0; i2 < m; i2 += 1) {
  for (int64_t i3 = 0; i3 < n; i3 += 1) {
    out[((i2 * n) + i3)] = ((0.0f < a[i3] ? 1.0f : 0.0f) != 0.0f ? a[i3] : 0x1p-2f);
  }
}
".
Proof. reflexivity. Qed.

Definition examples : list source :=
  [map_kinds; let_view; let_memory; reduce_into; unrolled; around_unrolled (SConst 3); in_blocks; reduce_buffered;
   split_join; transposed; windows;
   padded; slice_concat; generated; diagonal; fused; pairs; repeated].

Lemma certify : forallb (fun k => certifies k (print k)) examples = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

(** A condition before a loop is read as the loop only if it asks for an iteration of it. *)
Definition guarded_by (guard : string) : string :=
  let whole := print in_blocks in
  let own := "if (0 < (n / 8))" in
  match index 0 own whole with
  | Some here =>
      substring 0 here whole ++ guard ++
      substring (here + String.length own) (String.length whole) whole
  | None => ""
  end.

Lemma other_guards :
  map (fun guard => match Parse.parse (guarded_by guard) with Some _ => true | None => false end)
    ["if (0 < (n / 8))"; ""; "if (0 < (n / 4))"; "if (0 < n)"; "if (1 < (n / 8))"] =
  [true; true; false; false; false].
Proof. vm_cast_no_check (eq_refl [true; true; false; false; false]). Qed.

Definition in_lanes (k : kind) : source :=
  example [matrix m n] (matrix m n)
    (EMap Vec m (vector n) (vector n) (EMap k n TNum TNum (EUn Exp (EVar 0)) (EVar 0)) (EVar 0)).

Definition renamed (kernel size output : string) : source := {|
  kernel_name := kernel;
  kernel_names := {| var_names := ["a"; output]; size_names := [size];
    element_types := uniform F32 2; loop_names := [] |};
  kernel_facts := [];
  kernel_inputs := [vector n];
  kernel_output := vector n;
  kernel_term := EMap Seq n TNum TNum (EUn Exp (EVar 0)) (EVar 0) |}.

Lemma unless_it_is_taken :
  forallb (fun k => certifies k (print k)) [in_lanes Seq; in_lanes Unr; renamed "k" "n" "out"] =
  true.
Proof. vm_cast_no_check (eq_refl true). Qed.

(** Loops have names that are free: no parameter's, none that C or this text has, not that of a loop
    around. *)
Definition looped (loops : list string) : source :=
  let k := in_lanes Seq in
  {| kernel_name := kernel_name k;
     kernel_names := {|
       var_names := var_names (kernel_names k); size_names := size_names (kernel_names k);
       element_types := element_types (kernel_names k); loop_names := loops |};
     kernel_facts := kernel_facts k; kernel_inputs := kernel_inputs k;
     kernel_output := kernel_output k; kernel_term := kernel_term k |}.

Lemma named_loops :
  forallb (fun loops => certifies (looped loops) (print (looped loops)))
    [["i"; "j"]; ["row"]; [""; "j"]; ["i"; "j"; "k"]] = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Lemma loops_of_other_names :
  existsb (fun loops => certifies (looped loops) (print (looped loops)))
    [["a"]; ["out"]; [""; "n"]; ["m"]; ["example"]; ["example_checked"]; ["i"; "i"]; ["i3"; "i2"];
     ["v2"]; ["for"]; ["float"]; ["expf"]; ["INT64_MAX"]; ["missing"]; ["failed"]; ["_x"]; ["1x"];
     ["i j"]; ["i;"]; ["linux"]; ["omp_x"]] = false.
Proof. vm_cast_no_check (eq_refl false). Qed.

(** The text of one name says another thing than that of another. *)
Lemma names_are_the_certificates :
  certifies (looped ["i"; "j"]) (print (looped ["j"; "i"])) = false.
Proof. vm_cast_no_check (eq_refl false). Qed.

(** A product of literals is of type int: it is computed here. *)
Definition wide : size := SMul (SConst 65536) (SConst 65536).

Lemma product_of_literals sg : Int64.size_int64 sg wide = None.
Proof. reflexivity. Qed.

Definition wide_loop : source :=
  example [] TNum
    (EFold Fresh wide TNum (EBin Add (EVar 1) (ECst TNum one)) (ECst TNum zero)).

Lemma wide_loop_body : body wide_loop =
"
{
  float v1;
  v1 = 0.0f;
  for (int64_t i2 = 0; i2 < 4294967296; i2 += 1) {
    v1 = (v1 + 1.0f);
  }
  out[0] = v1;
}
".
Proof. reflexivity. Qed.

Definition wrong : list source :=
  [(* a window too many *)
   example [vector n] (vector n) (EMap Par n (vector (SConst 3)) TNum
     (ERed Fresh (SConst 3) TNum TNum (EBin Add (EVar 1) (EVar 0)) (ECst TNum zero) (EVar 0))
     (ELay (LSlide n (SConst 3) (SConst 1) (SConst 1)) (EVar 0)));
   (* an index that may be n *)
   example [vector n] (vector n)
     (EGen Par n TNum (EAt (EVar 1) (XAdd (XVar 0) (XSize (SConst 1)))));
   (* an index below zero *)
   example [vector n] (vector n)
     (EGen Par n TNum (EAt (EVar 1) (XSub (XVar 0) (XSize (SConst 1)))));
   (* vectors of different lengths *)
   example [vector n; vector m] (vector n) (EMap Par n (TPair TNum TNum) TNum
     (EBin Add (EFst (EVar 0)) (ESnd (EVar 0))) (EZip (EVar 0) (EVar 1)));
   (* a transposed result *)
   example [matrix m n] (matrix m n) (EMem (matrix m n) (ELay LTrans (EVar 0)));
   (* an array where a number belongs *)
   example [vector n] TNum (EVar 0);
   (* a constant that is not a binary32 number *)
   example [] TNum (ECst TNum (Dyadic 16777217 0));
   (* a loop on several threads in a loop in lanes, and one in lanes *)
   in_lanes Par; in_lanes Vec;
   (* the kernel, a size, the output have names that C has taken *)
   renamed "memcpy" "n" "out"; renamed "norm_checked" "n" "out"; renamed "write" "n" "out";
   renamed "k" "HUGE_VAL" "out"; renamed "k" "linux" "out"; renamed "k" "n" "expf";
   renamed "k" "n" "_out"; renamed "k" "n" "co_await"].

Lemma refused : existsb (fun k => certifies k (print k)) wrong = false.
Proof. vm_cast_no_check (eq_refl false). Qed.
