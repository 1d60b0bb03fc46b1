(** What index variables stand for when axes are walked by a plan, and sums in blocks.

    [sees_moved] ..   the stand-ins of index/Plan.v have the values that they should
    [iterate_blocks]  a loop in blocks; [iterate_plus]: in two parts
    [part_val]        a part of a sum, whose loop variable stands for another one *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Tile index.TileProof.
From Vouch Require Import index.Plan.
Import ListNotations.

Section INDICES.
  Context (sg : nat -> nat).

  Notation sees := (sees sg).

  Lemma sees_variables A B C from n : from = length A -> n = length B ->
    sees (variables from n) (A ++ B ++ C) B.
  Proof using.
    intros from_is n_is. subst from n. revert A.
    induction B as [|x B IH]; intros A; [constructor|]. cbn [length]. unfold variables. cbn [seq map].
    constructor.
    - cbn [iterm_val]. rewrite app_nth2, Nat.sub_diag by lia. reflexivity.
    - specialize (IH (A ++ [x])). rewrite app_length, <- app_assoc in IH. cbn [length app] in IH.
      rewrite Nat.add_1_r in IH. exact IH.
  Qed.

  Lemma sees_app s1 s2 iv k1 k2 : sees s1 iv k1 -> sees s2 iv k2 -> sees (s1 ++ s2) iv (k1 ++ k2).
  Proof using. apply Forall2_app. Qed.

  (** Axes: [A] before, [x] the one that is moved, [B] after; [kv] outside. *)
  Lemma sees_moved A x B kv n outer :
    n = S (length A + length B) -> outer = length kv ->
    sees (moved n (length A) outer) (rev (x :: A ++ B) ++ kv) (rev (A ++ x :: B) ++ kv).
  Proof using.
    intros n_is outer_is. subst n outer. unfold moved.
    replace (S (length A + length B) - 1 - length A) with (length B) by lia.
    replace (S (length A + length B) - 1) with (length A + length B) by lia.
    cbn [rev]. rewrite !rev_app_distr. cbn [rev].
    assert (FLAT : ((rev B ++ rev A) ++ [x]) ++ kv = rev B ++ rev A ++ [x] ++ kv)
      by (rewrite <- !app_assoc; reflexivity).
    rewrite FLAT, <- !app_assoc. apply sees_app.
    - apply (sees_variables []); [reflexivity | symmetry; apply rev_length].
    - cbn [app]. constructor.
      + cbn [iterm_val]. rewrite app_nth2; rewrite rev_length; [|lia].
        rewrite app_nth2; rewrite rev_length; [|lia].
        replace (length A + length B - length B - length A) with 0 by lia. reflexivity.
      + apply sees_app.
        * apply sees_variables; symmetry; apply rev_length.
        * replace (rev B ++ rev A ++ x :: kv) with ((rev B ++ rev A ++ [x]) ++ kv ++ [])
            by (rewrite app_nil_r, <- !app_assoc; reflexivity).
          apply sees_variables; [|reflexivity].
          rewrite !app_length, !rev_length. cbn [length]. lia.
  Qed.

  Lemma sees_blocked rest ib j i kv n outer w :
    n = S (length rest) -> outer = length kv -> i = N.to_nat w * ib + j ->
    sees (blocked n outer w) (rev (ib :: j :: rest) ++ kv) (rev (i :: rest) ++ kv).
  Proof using.
    intros n_is outer_is i_is. subst n outer i. unfold blocked.
    replace (S (length rest) - 1) with (length rest) by lia.
    cbn [rev]. rewrite <- !app_assoc. cbn [app]. apply sees_app.
    - apply (sees_variables []); [reflexivity | symmetry; apply rev_length].
    - constructor.
      + cbn [iterm_val]. rewrite !app_nth2; rewrite ?rev_length; [|lia|lia].
        replace (S (length rest) - length rest) with 1 by lia. rewrite Nat.sub_diag. cbn [nth]. lia.
      + replace (rev rest ++ j :: ib :: kv) with ((rev rest ++ [j; ib]) ++ kv ++ [])
          by (rewrite app_nil_r, <- !app_assoc; reflexivity).
        apply sees_variables; [|reflexivity]. rewrite app_length, rev_length. cbn [length]. lia.
  Qed.

  Lemma sees_merged rest i j kv n outer w :
    n = S (S (length rest)) -> outer = length kv -> j < Pos.to_nat w ->
    sees (merged n outer w) (rev (i * Pos.to_nat w + j :: rest) ++ kv) (rev (i :: j :: rest) ++ kv).
  Proof using.
    intros n_is outer_is j_lt. subst n outer. unfold merged.
    replace (S (S (length rest)) - 2) with (length rest) by lia.
    replace (S (S (length rest)) - 1) with (S (length rest)) by lia.
    set (k := i * Pos.to_nat w + j). cbn [rev]. rewrite <- !app_assoc. cbn [app].
    assert (k_is : Z.of_nat k = (Z.of_nat i * Zpos w + Z.of_nat j)%Z) by (unfold k; lia).
    assert (AT : iterm_val sg (rev rest ++ k :: kv) (IVar (length rest)) = Z.of_nat k).
    { cbn [iterm_val]. rewrite app_nth2; rewrite rev_length; [|lia]. rewrite Nat.sub_diag. reflexivity. }
    apply sees_app.
    - apply (sees_variables []); [reflexivity | symmetry; apply rev_length].
    - constructor; [|constructor].
      + cbn [iterm_val] in *. rewrite AT, k_is, Z.add_comm, Z.mod_add, Z.mod_small; lia.
      + cbn [iterm_val] in *. rewrite AT, k_is, Z.div_add_l, Z.div_small; lia.
      + replace (rev rest ++ k :: kv) with ((rev rest ++ [k]) ++ kv ++ [])
          by (rewrite app_nil_r, <- !app_assoc; reflexivity).
        apply sees_variables; [|reflexivity]. rewrite app_length, rev_length. cbn [length]. lia.
  Qed.

  Lemma size_term_val iv s : iterm_val sg iv (size_term s) = Z.of_nat (size_val sg s).
  Proof using.
    destruct s as [v|c|a b|[v|c|a1 a2|a1 a2|p v] b|p v]; cbn [size_term iterm_val size_val]; lia.
  Qed.

  Lemma sees_after rest i j kv n outer lo :
    n = S (length rest) -> outer = length kv -> i = j + size_val sg lo ->
    sees (after n outer lo) (rev (j :: rest) ++ kv) (rev (i :: rest) ++ kv).
  Proof using.
    intros n_is outer_is i_is. subst n outer i. unfold after.
    replace (S (length rest) - 1) with (length rest) by lia.
    cbn [rev]. rewrite <- !app_assoc. cbn [app]. apply sees_app.
    - apply (sees_variables []); [reflexivity | symmetry; apply rev_length].
    - constructor.
      + cbn [iterm_val]. rewrite app_nth2; rewrite rev_length; [|lia].
        rewrite Nat.sub_diag, size_term_val. cbn [nth]. lia.
      + replace (rev rest ++ j :: kv) with ((rev rest ++ [j]) ++ kv ++ [])
          by (rewrite app_nil_r, <- !app_assoc; reflexivity).
        apply sees_variables; [|reflexivity]. rewrite app_length, rev_length. cbn [length]. lia.
  Qed.

  Lemma sees_before rest i j kv n outer b :
    n = S (length rest) -> outer = length kv -> j = N.to_nat b + i ->
    sees (before n outer b) (rev (j :: rest) ++ kv) (rev (i :: rest) ++ kv).
  Proof using.
    intros n_is outer_is j_is. subst n outer j. unfold before.
    replace (S (length rest) - 1) with (length rest) by lia.
    cbn [rev]. rewrite <- !app_assoc. cbn [app]. apply sees_app.
    - apply (sees_variables []); [reflexivity | symmetry; apply rev_length].
    - constructor.
      + cbn [iterm_val]. rewrite app_nth2; rewrite rev_length; [|lia].
        rewrite Nat.sub_diag. cbn [nth]. lia.
      + replace (rev rest ++ N.to_nat b + i :: kv) with ((rev rest ++ [N.to_nat b + i]) ++ kv ++ [])
          by (rewrite app_nil_r, <- app_assoc; reflexivity).
        apply sees_variables; [|reflexivity]. rewrite app_length, rev_length. cbn [length]. lia.
  Qed.

  Lemma sees_cut at_axes kb r i kv n outer w :
    n = length at_axes -> outer = length kv -> i = N.to_nat w * kb + r ->
    sees (cut n outer w) (r :: rev at_axes ++ kb :: kv) (i :: rev at_axes ++ kv).
  Proof using.
    intros n_is outer_is i_is. subst n outer i. unfold cut. constructor.
    - cbn [iterm_val nth]. rewrite app_nth2; rewrite rev_length; [|lia].
      rewrite Nat.sub_diag. cbn [nth]. lia.
    - apply sees_app.
      + apply (sees_variables [r]); [reflexivity | symmetry; apply rev_length].
      + replace (r :: rev at_axes ++ kb :: kv) with ((r :: rev at_axes ++ [kb]) ++ kv ++ [])
          by (rewrite app_nil_r; cbn [app]; rewrite <- app_assoc; reflexivity).
        apply sees_variables; [|reflexivity]. cbn [length]. rewrite app_length, rev_length. cbn [length]. lia.
  Qed.

  Lemma sees_later r i kv n lo :
    n = length kv -> i = r + N.to_nat lo ->
    sees (IAdd (IVar 0) (ICon (Z.of_N lo)) :: variables 1 n) (r :: kv) (i :: kv).
  Proof using.
    intros n_is i_is. subst n i. constructor; [cbn [iterm_val nth]; lia|].
    replace (r :: kv) with ([r] ++ kv ++ []) by (rewrite app_nil_r; reflexivity).
    apply sees_variables; reflexivity.
  Qed.

  Lemma sees_length st iv kv : sees st iv kv -> length st = length kv.
  Proof using. intros SEES. induction SEES; cbn [length]; congruence. Qed.

  Lemma sees_in_tile extents indices : length indices = length extents ->
    forall li iv st kv, sees st (li ++ iv) kv ->
    sees (in_tile extents (length li) st) (li ++ rev indices ++ iv) (rev indices ++ kv).
  Proof using.
    revert indices. induction extents as [|e more IH]; intros [|i indices] long; try discriminate;
      intros li iv st kv SEES; [exact SEES|].
    cbn [in_tile rev]. rewrite <- !app_assoc. cbn [app].
    apply IH; [injection long; auto|].
    rewrite <- insert_app. apply with_var_sees; [rewrite app_length; lia | exact SEES].
  Qed.
End INDICES.

Section SUMS.
  Context (sg : nat -> nat) (K : scalars) (ts : list (tensor K)).

  Lemma iterate_ext {A : Type} n (f g : nat -> A -> A) a : (forall i b, f i b = g i b) ->
    iterate n f a = iterate n g a.
  Proof using.
    intros same. induction n as [|n IH]; [reflexivity|]. cbn [iterate]. rewrite IH. apply same.
  Qed.

  Lemma iterate_plus {A : Type} n m (f : nat -> A -> A) a :
    iterate (n + m) f a = iterate m (fun i => f (i + n)) (iterate n f a).
  Proof using.
    induction m as [|m IH]; [rewrite Nat.add_0_r; reflexivity|].
    rewrite Nat.add_succ_r. cbn [iterate]. rewrite IH, (Nat.add_comm n m). reflexivity.
  Qed.

  Lemma iterate_blocks {A : Type} m w (f : nat -> A -> A) a :
    iterate (m * w) f a = iterate m (fun ib => iterate w (fun r => f (w * ib + r))) a.
  Proof using.
    induction m as [|m IH]; [reflexivity|].
    replace (S m * w) with (m * w + w) by lia. rewrite iterate_plus. cbn [iterate]. rewrite IH.
    apply iterate_ext. intros i b. f_equal. lia.
  Qed.

  (** A part of a sum, whose loop variable stands for another one of the whole sum. *)
  Lemma part_val st n loops c b iv kv a (f : nat -> nat) :
    (forall r, sees sg st (r :: iv) (f r :: kv)) ->
    match part_at st n (loops, c, b) with
    | Onto loops1 c1 b1 => fold_val sg K loops1 c1 b1 iv ts a
    | Whole _ => a
    end = iterate (N.to_nat n) (fun r => fold_val sg K (tl loops) c b (f r :: kv) ts) a.
  Proof using.
    intros SEES. cbn [part_at fold_val size_val]. apply iterate_ext. intros r x.
    apply fold_at_val, SEES.
  Qed.
End SUMS.
