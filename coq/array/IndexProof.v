(** The checker's bounds of index terms are right.

    [all_facts_hold]     inside loops, their extents are at least one
    [ixe_ok_sound]       an accepted index term is safe and within its bounds
    [ixe_lt_sound]       and below the size it was compared with
    [guard_ok_sound] *)

From Coq Require Import ZArith Lia List Bool.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics array.Typing.
From Vouch Require Import array.Check.
Import ListNotations.
Local Open Scope Z_scope.

Section INDICES.
  Context (sg : nat -> nat) (facts : list fact) (FACTS : facts_hold sg facts).
  Context (X : list size) (iv : list nat) (BOUNDS : in_bounds iv (map (size_val sg) X)).

  Notation val := (fun e => Z.of_nat (ixe_val sg (index_env iv) e)).
  Notation safe := (ixe_safe sg (index_env iv)).
  Notation poly_val := (poly_val sg).

  Lemma in_bounds_in n : In n X -> (1 <= size_val sg n)%nat.
  Proof using BOUNDS.
    clear FACTS. revert iv BOUNDS.
    induction X as [|m Y IHX]; simpl; intros jv bounds; [tauto|].
    inversion bounds as [|j k jv1 Y1 j_lt rest]. intros [n_m|n_in].
    - rewrite <- n_m. lia.
    - exact (IHX jv1 rest n_in).
  Qed.

  Lemma all_facts_hold : facts_hold sg (all_facts facts X).
  Proof using FACTS BOUNDS.
    intros a b ab_in. unfold all_facts in ab_in. apply in_app_iff in ab_in as [ab_in|ab_in].
    - apply in_map_iff in ab_in as (n & same & n_in). injection same as a_eq b_eq.
      rewrite <- a_eq, <- b_eq. exact (in_bounds_in n n_in).
    - exact (FACTS a b ab_in).
  Qed.

  Lemma nonneg_sound p : nonneg facts X p = true -> 0 <= poly_val p.
  Proof using FACTS BOUNDS. apply poly_nonneg_sound, all_facts_hold. Qed.

  Lemma index_below i : (i < length X)%nat ->
    (index_env iv i < size_val sg (nth i X (SConst 0)))%nat.
  Proof using BOUNDS.
    clear FACTS. unfold index_env. revert i iv BOUNDS.
    induction X as [|m Y IHX]; simpl; intros i jv bounds i_lt; [lia|].
    inversion bounds as [|j k jv1 Y1 j_lt rest].
    destruct i as [|i]; simpl; [exact j_lt|]. apply IHX; [exact rest | lia].
  Qed.

  Lemma ixe_ok_sound e : ixe_ok facts X e = true ->
    safe e /\ poly_val (ixe_lower X e) <= val e <= poly_val (ixe_upper X e).
  Proof using FACTS BOUNDS.
    unfold ixe_lower, ixe_upper.
    induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb];
      cbn [ixe_ok ixe_bounds ixe_safe ixe_val]; intros ok.
    - apply Nat.ltb_lt in ok. apply index_below in ok. split; [exact I|].
      cbn [fst snd]. rewrite poly_sub_val, poly_const_val, norm_val. simpl SizeCheck.poly_val. lia.
    - split; [exact I|]. cbn [fst snd]. rewrite norm_val. lia.
    - apply andb_true_iff in ok as [ok_a ok_b].
      destruct (IHa ok_a) as [safe_a bounds_a]. destruct (IHb ok_b) as [safe_b bounds_b].
      destruct (ixe_bounds X a) as [la ua]. destruct (ixe_bounds X b) as [lb ub].
      cbn [fst snd] in *. rewrite !poly_add_val. split; [tauto | lia].
    - apply andb_true_iff in ok as [ok below]. apply andb_true_iff in ok as [ok_a ok_b].
      destruct (IHa ok_a) as [safe_a bounds_a]. destruct (IHb ok_b) as [safe_b bounds_b].
      unfold ixe_lower, ixe_upper in below. apply nonneg_sound in below.
      rewrite poly_sub_val in below.
      destruct (ixe_bounds X a) as [la ua]. destruct (ixe_bounds X b) as [lb ub].
      cbn [fst snd] in *. rewrite !poly_sub_val. split; [|lia].
      split; [|split]; [assumption | assumption | lia].
    - apply andb_true_iff in ok as [ok_a ok_b].
      destruct (IHa ok_a) as [safe_a bounds_a]. destruct (IHb ok_b) as [safe_b bounds_b].
      destruct (ixe_bounds X a) as [la ua]. destruct (ixe_bounds X b) as [lb ub].
      cbn [fst snd] in *. rewrite !poly_mul_val, Nat2Z.inj_mul. split; [tauto|]. split; [|nia].
      destruct (coeffs_nonneg la && coeffs_nonneg lb) eqn:both; [|simpl; nia].
      apply andb_true_iff in both as [nonneg_a nonneg_b].
      apply (coeffs_nonneg_sound sg) in nonneg_a, nonneg_b.
      rewrite poly_mul_val. nia.
    - apply andb_true_iff in ok as [ok positive]. apply andb_true_iff in ok as [ok_a ok_b].
      destruct (IHa ok_a) as [safe_a bounds_a]. destruct (IHb ok_b) as [safe_b bounds_b].
      apply nonneg_sound in positive. rewrite poly_sub_val, poly_const_val in positive.
      unfold ixe_lower in positive. cbn [fst snd] in *.
      split; [split; [|split]; [assumption | assumption | lia]|].
      rewrite Nat2Z.inj_div. simpl (SizeCheck.poly_val sg []).
      split; [apply Z.div_pos; lia|].
      apply Z.le_trans with (m := val a); [|lia]. apply Z.div_le_upper_bound; [lia|]. nia.
    - apply andb_true_iff in ok as [ok positive]. apply andb_true_iff in ok as [ok_a ok_b].
      destruct (IHa ok_a) as [safe_a bounds_a]. destruct (IHb ok_b) as [safe_b bounds_b].
      apply nonneg_sound in positive. rewrite poly_sub_val, poly_const_val in positive.
      unfold ixe_lower in positive. cbn [fst snd] in *.
      split; [split; [|split]; [assumption | assumption | lia]|].
      rewrite Nat2Z.inj_mod. simpl (SizeCheck.poly_val sg []).
      rewrite poly_sub_val, poly_const_val.
      pose proof (Z.mod_pos_bound (val a) (val b)). lia.
  Qed.

  Lemma ixe_lt_sound e n : ixe_lt facts X e n = true ->
    safe e /\ (ixe_val sg (index_env iv) e < size_val sg n)%nat.
  Proof using FACTS BOUNDS.
    unfold ixe_lt. intros ok. apply andb_true_iff in ok as [ok below].
    apply nonneg_sound in below. rewrite !poly_sub_val, poly_const_val, norm_val in below.
    destruct (ixe_ok_sound e ok) as [safe_e bounds_e]. split; [exact safe_e | lia].
  Qed.

  Lemma guard_ok_sound g : guard_ok facts X g = true -> guard_safe sg (index_env iv) g.
  Proof using FACTS BOUNDS.
    induction g as [a b|a b|g1 IH1 g2 IH2|g1 IH1 g2 IH2|g1 IH1]; simpl; intros ok;
      try (apply andb_true_iff in ok as [ok1 ok2]); auto.
    - split; apply ixe_ok_sound; assumption.
    - split; apply ixe_ok_sound; assumption.
  Qed.
End INDICES.
