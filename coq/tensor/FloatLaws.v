(** IEEE 754's floats have the laws of tensor/Laws.v, of any precision: what is proven over any scalars says something of them.

    The numbers are those of the standard library's [SpecFloat], which has one NaN.

    [larger_float]   the larger of two as ONNX has it: NaN wherever there is one; of zeros the positive one
    [largest_float]  of a list; of none minus infinity
    [smaller_float], [smallest_float]   the same of negations *)

From Coq Require Import ZArith List Bool Lia.
From Coq.Floats Require Import SpecFloat.
From Vouch Require Import tensor.Laws.
Local Open Scope Z_scope.

(** Where a float stands in their order. *)
Definition place (x : spec_float) : Z * Z * Z :=
  match x with
  | S754_infinity true => (-2, 0, 0)
  | S754_finite true m e => (-1, - e, Z.neg m)
  | S754_zero true => (0, 0, 0)
  | S754_zero false => (0, 1, 0)
  | S754_finite false m e => (1, e, Z.pos m)
  | S754_infinity false => (2, 0, 0)
  | S754_nan => (3, 0, 0)
  end.

Definition before (a b : Z * Z * Z) : bool :=
  let '(a1, a2, a3) := a in let '(b1, b2, b3) := b in
  (a1 <? b1) || (a1 =? b1) && ((a2 <? b2) || (a2 =? b2) && (a3 <? b3)).

Definition larger_float (x y : spec_float) : spec_float := if before (place x) (place y) then y else x.
Definition largest_float (l : list spec_float) : spec_float := fold_right larger_float (S754_infinity true) l.

Lemma place_once x y : place x = place y -> x = y.
Proof.
  destruct x as [[]|[]| |[] m e], y as [[]|[]| |[] n f]; cbn; intros same; try easy;
    injection same as exponents mantissas; f_equal; lia.
Qed.

Lemma before_spec a b : before a b = true <->
  let '(a1, a2, a3) := a in let '(b1, b2, b3) := b in
  a1 < b1 \/ a1 = b1 /\ (a2 < b2 \/ a2 = b2 /\ a3 < b3).
Proof.
  destruct a as [[a1 a2] a3], b as [[b1 b2] b3]. cbn.
  rewrite orb_true_iff, andb_true_iff, orb_true_iff, andb_true_iff, !Z.ltb_lt, !Z.eqb_eq. tauto.
Qed.

Lemma before_total a b : before a b = false -> before b a = false -> a = b.
Proof.
  intros not_less not_more. apply not_true_iff_false in not_less, not_more. rewrite before_spec in not_less, not_more.
  destruct a as [[a1 a2] a3], b as [[b1 b2] b3]. f_equal; [f_equal|]; lia.
Qed.

Lemma before_trans a b c : before a b = true -> before b c = true -> before a c = true.
Proof.
  rewrite !before_spec. destruct a as [[a1 a2] a3], b as [[b1 b2] b3], c as [[c1 c2] c3]. lia.
Qed.

Lemma before_irreflexive a : before a a = false.
Proof. apply not_true_iff_false. rewrite before_spec. destruct a as [[a1 a2] a3]. lia. Qed.

Lemma before_one_way a b : before a b = true -> before b a = false.
Proof.
  intros less. apply not_true_iff_false. intros more. pose proof (before_trans a b a less more) as self.
  now rewrite before_irreflexive in self.
Qed.

Lemma larger_float_laws : semilattice larger_float largest_float.
Proof.
  constructor; unfold commutes, larger_float.
  - intros a b. destruct (before (place a) (place b)) eqn:less, (before (place b) (place a)) eqn:more; try easy.
    + apply before_one_way in less. now rewrite less in more.
    + apply place_once. now apply before_total.
  - intros a b c.
    destruct (before (place b) (place c)) eqn:b_c, (before (place a) (place b)) eqn:a_b; rewrite ?b_c, ?a_b; try easy.
    + now rewrite (before_trans _ _ _ a_b b_c).
    + destruct (before (place a) (place c)) eqn:a_c; [|easy].
      destruct (before (place c) (place b)) eqn:c_b.
      * apply before_trans with (1 := a_c) in c_b. now rewrite c_b in a_b.
      * pose proof (before_total _ _ b_c c_b) as same. apply place_once in same. subst c. now rewrite a_c in a_b.
  - intros a. now rewrite before_irreflexive.
  - intros a. cbn [largest_float fold_right]. destruct a as [[]|[]| |[] m e]; reflexivity.
  - reflexivity.
Qed.

(** It is what IEEE 754's order says, and NaN where there is one. *)
Lemma less_is_before x y : SFltb x y = true -> before (place x) (place y) = true.
Proof.
  rewrite before_spec. unfold SFltb, SFcompare.
  destruct x as [[]|[]| |[] m e], y as [[]|[]| |[] n f]; cbn; try easy; try lia.
  - destruct (Z.compare_spec e f) as [-> |exponents|exponents]; cbn; [|easy|lia].
    change (Pos.compare_cont Eq m n) with (Pos.compare m n). destruct (Pos.compare_spec m n); cbn; try easy. lia.
  - destruct (Z.compare_spec e f) as [-> |exponents|exponents]; cbn; [|lia|easy].
    change (Pos.compare_cont Eq m n) with (Pos.compare m n). destruct (Pos.compare_spec m n); cbn; try easy. lia.
Qed.

Theorem larger_float_is x y :
  (SFltb x y = true -> larger_float x y = y) /\ (SFltb y x = true -> larger_float x y = x) /\
  larger_float S754_nan y = S754_nan /\ larger_float x S754_nan = S754_nan.
Proof.
  unfold larger_float. repeat split; intros.
  - now rewrite less_is_before.
  - now rewrite (before_one_way (place y) (place x)) by now apply less_is_before.
  - now destruct y as [[]|[]| |[] n f].
  - now destruct x as [[]|[]| |[] m e].
Qed.

Section ROUNDED.
  Context (prec emax : Z).

  Theorem float_sums_commute : commutes (SFadd prec emax).
  Proof.
    intros [[]|[]| |s m e] [[]|[]| |t n f]; cbn [SFadd Bool.eqb]; try reflexivity.
    now rewrite Z.min_comm, Z.add_comm.
  Qed.

  Theorem float_products_commute : commutes (SFmul prec emax).
  Proof.
    intros [[]|[]| |s m e] [[]|[]| |t n f]; cbn [SFmul xorb]; try reflexivity; try now rewrite xorb_comm.
    now rewrite xorb_comm, Pos.mul_comm, Z.add_comm.
  Qed.
End ROUNDED.

Theorem float_sign_twice : undoes SFopp.
Proof. intros [[]|[]| |[] m e]; reflexivity. Qed.

(** 1 as binary32 has it: 2^23 * 2^-23. *)
Theorem float_truths_compare : truths_compare SFeqb (S754_finite false 8388608 (-23)) (S754_zero false).
Proof. intros [] []; reflexivity. Qed.

Definition smaller_float (x y : spec_float) : spec_float := SFopp (larger_float (SFopp x) (SFopp y)).
Definition smallest_float (l : list spec_float) : spec_float := SFopp (largest_float (map SFopp l)).

Theorem smaller_float_laws : semilattice smaller_float smallest_float.
Proof.
  pose proof larger_float_laws as laws.
  constructor; unfold commutes, smaller_float, smallest_float; intros; cbn [map]; rewrite ?float_sign_twice.
  - now rewrite (larger_commutes _ _ laws).
  - now rewrite (larger_associates _ _ laws).
  - rewrite (larger_twice _ _ laws). apply float_sign_twice.
  - rewrite (larger_of_none _ _ laws). apply float_sign_twice.
  - now rewrite (largest_of_more _ _ laws).
Qed.
