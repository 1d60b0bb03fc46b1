(** Integers that wrap around have the laws of addition: kernels of integers may add in any order, and
    nothing changes.

    [words w]         integers of w bits with the operations of [wrapped w] (array/Wrapped.v)
    [word_op1] ..     they are those operations
    [words_additive]  their addition has its laws *)

From Coq Require Import ZArith Bool Lia Eqdep_dec.
From Vouch Require Import array.Syntax array.Semantics array.Wrapped regroup.Additive.
Local Open Scope Z_scope.

Section WORDS.
  Context (w : Z) (SOME : 1 < w).

  Definition is_word (z : Z) : bool := (- half w <=? z) && (z <? half w).

  Lemma is_word_true z : is_word z = true <-> in_word w z.
  Proof using Type. unfold is_word, in_word. rewrite andb_true_iff, Z.leb_le, Z.ltb_lt. lia. Qed.

  Definition word : Type := { z : Z | is_word z = true }.

  Definition to_word (z : Z) : word :=
    exist _ (wrap w z) (proj2 (is_word_true _) (wrap_in_word w ltac:(lia) z)).

  Definition words : scalars := {|
    num := word;
    cst := fun c => to_word (cst (wrapped w) c);
    op1 := fun o x => to_word (op1 (wrapped w) o (proj1_sig x));
    op2 := fun o x y => to_word (op2 (wrapped w) o (proj1_sig x) (proj1_sig y));
    op3 := fun o x y z => to_word (op3 (wrapped w) o (proj1_sig x) (proj1_sig y) (proj1_sig z)) |}.

  Lemma word_equal (x y : word) : proj1_sig x = proj1_sig y -> x = y.
  Proof using Type.
    destruct x as [x x_in], y as [y y_in]. cbn. intros <-. f_equal. apply UIP_dec, bool_dec.
  Qed.

  Let word_in (x : word) : in_word w (proj1_sig x).
  Proof using Type. apply is_word_true, (proj2_sig x). Qed.

  Let small_in z : 0 <= z <= 1 -> in_word w z.
  Proof using SOME.
    intros range. unfold in_word, half. assert (2 <= 2 ^ (w - 1)); [|lia].
    change 2 with (2 ^ 1) at 1. apply Z.pow_le_mono_r; lia.
  Qed.

  Let wrapped_in z : in_word w (wrap w z).
  Proof using SOME. apply wrap_in_word. lia. Qed.

  Ltac in_words := first
    [ apply wrapped_in | apply small_in; lia | apply word_in
    | match goal with |- in_word w (if ?b then _ else _) => destruct b; in_words end ].

  Theorem word_cst c : proj1_sig (cst words c) = cst (wrapped w) c.
  Proof using SOME.
    cbn. apply wrap_of_word; [lia|]. destruct c as [m e| |]; try destruct e; in_words.
  Qed.

  Theorem word_op1 o x : proj1_sig (op1 words o x) = op1 (wrapped w) o (proj1_sig x).
  Proof using SOME. cbn. apply wrap_of_word; [lia|]. destruct o; in_words. Qed.

  Theorem word_op2 o x y :
    proj1_sig (op2 words o x y) = op2 (wrapped w) o (proj1_sig x) (proj1_sig y).
  Proof using SOME.
    cbn. apply wrap_of_word; [lia|]. pose proof (word_in x) as x_in. pose proof (word_in y) as y_in.
    unfold in_word in x_in, y_in.
    destruct o; cbn; unfold quotient, truth; try in_words; unfold in_word; lia.
  Qed.

  Theorem word_op3 o x y z :
    proj1_sig (op3 words o x y z) = op3 (wrapped w) o (proj1_sig x) (proj1_sig y) (proj1_sig z).
  Proof using SOME. cbn. apply wrap_of_word; [lia|]. destruct o; in_words. Qed.

  Lemma wrap_sum a b : wrap w (a + wrap w b) = wrap w (a + b).
  Proof using Type.
    unfold wrap. replace (a + ((b + half w) mod 2 ^ w - half w) + half w)
      with (a + (b + half w) mod 2 ^ w) by lia.
    rewrite Zplus_mod_idemp_r. do 2 f_equal. lia.
  Qed.

  Theorem words_additive : additive words.
  Proof using SOME.
    constructor; intros; apply word_equal; rewrite ?word_op2, ?word_cst; cbn.
    - rewrite wrap_sum, (Z.add_comm (wrap w _)), wrap_sum. f_equal. lia.
    - f_equal. lia.
    - rewrite Z.add_comm, wrap_sum, Z.add_0_r. apply wrap_of_word; [lia|]. apply word_in.
  Qed.
End WORDS.
