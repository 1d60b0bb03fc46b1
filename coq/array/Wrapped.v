(** Integers of w bits that wrap around, as scalars; no axiom.

    [wrap] [in_word]     the number of w bits that is equal modulo 2^w
    [wrapped]            the scalars; a quotient is cut towards zero, and is 0 where the divisor is
    [sum_written] [difference_written] [product_written] [negation_written]
                         what the functions of certified texts compute: in the unsigned type, taken
                         back to the signed one as gcc and clang do
    [quotient_written]   the division that is left there stays in the type *)

From Coq Require Import ZArith Bool Lia.
From Vouch Require Import array.Syntax array.Semantics.
Local Open Scope Z_scope.

Definition half (w : Z) : Z := 2 ^ (w - 1).
Definition wrap (w z : Z) : Z := (z + half w) mod 2 ^ w - half w.
Definition in_word (w z : Z) : Prop := - half w <= z < half w.

Definition truth (b : bool) : Z := if b then 1 else 0.

Definition quotient (w x y : Z) : Z := if y =? 0 then 0 else wrap w (Z.quot x y).

(** Functions that integers do not have are 0: kernels over them have none. *)
Definition wrapped (w : Z) : scalars := {|
  num := Z;
  cst := fun c => match c with Dyadic m 0 => wrap w m | _ => 0 end;
  op1 := fun o x =>
    match o with
    | Neg => wrap w (- x)
    | Abs => wrap w (Z.abs x)
    | Cast _ _ => x
    | _ => 0
    end;
  op2 := fun o x y =>
    match o with
    | Add => wrap w (x + y)
    | Sub => wrap w (x - y)
    | Mul => wrap w (x * y)
    | Div => quotient w x y
    | Max => Z.max x y
    | Min => Z.min x y
    | Less => truth (x <? y)
    | LessEq => truth (x <=? y)
    | Equal => truth (x =? y)
    | Pow => 0
    end;
  op3 := fun o x y z =>
    match o with
    | Fma => wrap w (x * y + z)
    | Sel => if x =? 0 then z else y
    end |}.

(** C's conversions to the unsigned type and back. *)
Definition to_unsigned (w x : Z) : Z := x mod 2 ^ w.
Definition to_signed (w u : Z) : Z := if u <? half w then u else u - 2 ^ w.

Section WORDS.
  Context (w : Z) (POSITIVE : 0 < w).

  Lemma two_halves : 2 ^ w = half w + half w.
  Proof using POSITIVE.
    unfold half. replace w with (Z.succ (w - 1)) at 1 by lia. rewrite Z.pow_succ_r by lia. lia.
  Qed.

  Lemma half_positive : 0 < half w.
  Proof using POSITIVE. unfold half. apply Z.pow_pos_nonneg; lia. Qed.

  Lemma wrap_in_word z : in_word w (wrap w z).
  Proof using POSITIVE.
    pose proof two_halves. pose proof half_positive.
    pose proof (Z.mod_pos_bound (z + half w) (2 ^ w)). unfold in_word, wrap. lia.
  Qed.

  Lemma wrap_of_word z : in_word w z -> wrap w z = z.
  Proof using POSITIVE.
    pose proof two_halves. unfold in_word, wrap. intros z_in. rewrite Z.mod_small by lia. lia.
  Qed.

  Lemma wrap_mod z : wrap w (z mod 2 ^ w) = wrap w z.
  Proof using. unfold wrap. rewrite Zplus_mod_idemp_l. reflexivity. Qed.

  Lemma signed_of_unsigned z : to_signed w (z mod 2 ^ w) = wrap w z.
  Proof using POSITIVE.
    rewrite <- wrap_mod. pose proof two_halves. pose proof half_positive.
    assert (0 <= z mod 2 ^ w < 2 ^ w) by (apply Z.mod_pos_bound; lia).
    generalize dependent (z mod 2 ^ w). intros u u_in. unfold to_signed, wrap.
    destruct (Z.ltb_spec u (half w)) as [small|large].
    - rewrite Z.mod_small; lia.
    - replace (u + half w) with ((u - half w) + 1 * 2 ^ w) by lia.
      rewrite Z.mod_add, Z.mod_small; lia.
  Qed.

  Lemma sum_written a b :
    to_signed w ((to_unsigned w a + to_unsigned w b) mod 2 ^ w) = op2 (wrapped w) Add a b.
  Proof using POSITIVE.
    unfold to_unsigned. rewrite <- Zplus_mod. apply signed_of_unsigned.
  Qed.

  Lemma difference_written a b :
    to_signed w ((to_unsigned w a - to_unsigned w b) mod 2 ^ w) = op2 (wrapped w) Sub a b.
  Proof using POSITIVE.
    unfold to_unsigned. rewrite <- Zminus_mod. apply signed_of_unsigned.
  Qed.

  Lemma product_written a b :
    to_signed w ((to_unsigned w a * to_unsigned w b) mod 2 ^ w) = op2 (wrapped w) Mul a b.
  Proof using POSITIVE.
    unfold to_unsigned. rewrite <- Zmult_mod. apply signed_of_unsigned.
  Qed.

  Lemma negation_written a : to_signed w ((0 - to_unsigned w a) mod 2 ^ w) = op1 (wrapped w) Neg a.
  Proof using POSITIVE.
    unfold to_unsigned. rewrite Zminus_mod_idemp_r. apply signed_of_unsigned.
  Qed.

  Lemma quotient_written a b : in_word w a -> in_word w b ->
    op2 (wrapped w) Div a b =
    if b =? 0 then 0 else
    if b =? -1 then to_signed w ((0 - to_unsigned w a) mod 2 ^ w) else Z.quot a b.
  Proof using POSITIVE.
    intros a_in b_in. rewrite negation_written. cbn [op1 op2 wrapped]. unfold quotient.
    destruct (Z.eqb_spec b 0) as [nought|some]; [reflexivity|].
    destruct (Z.eqb_spec b (-1)) as [minus|other].
    - rewrite minus. f_equal. change (-1) with (- (1)). rewrite Z.quot_opp_r by lia. now rewrite Z.quot_1_r.
    - apply wrap_of_word. unfold in_word in *. pose proof half_positive.
      assert (b = 1 \/ 2 <= Z.abs b) as [one|two] by lia.
      + rewrite one, Z.quot_1_r. exact a_in.
      + assert (Z.abs (Z.quot a b) * 2 <= Z.abs a).
        { rewrite <- Z.quot_abs by exact some.
          pose proof (Z.mul_quot_le (Z.abs a) (Z.abs b)).
          assert (0 <= Z.quot (Z.abs a) (Z.abs b)) by (apply Z.quot_pos; lia). nia. }
        lia.
  Qed.
End WORDS.
