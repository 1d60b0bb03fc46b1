(** The table of layouts: each is well typed where the checker says so, and has its inverse.

    [lay_result_sound]     a layout sends cells of its result to cells of its argument
    [lay_inverse_sound]    an invertible one has [lay_inverse] as inverse *)

From Coq Require Import Arith ZArith Lia List Bool.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics array.Typing.
From Vouch Require Import array.Check array.IndexProof.
Import ListNotations.

Lemma split_index i n m : i < n * m -> i / n < m /\ i mod n < n /\ n <> 0 /\
  (i / n) * n + i mod n = i.
Proof.
  intros i_lt. assert (n_pos : n <> 0) by (intros n_zero; rewrite n_zero in i_lt; lia).
  repeat split.
  - apply Nat.div_lt_upper_bound; assumption.
  - apply Nat.mod_upper_bound, n_pos.
  - exact n_pos.
  - pose proof (Nat.div_mod i n n_pos). lia.
Qed.

Lemma join_index i j n m : i < m -> j < n ->
  i * n + j < n * m /\ (i * n + j) / n = i /\ (i * n + j) mod n = j.
Proof.
  intros i_lt j_lt. repeat split.
  - nia.
  - rewrite Nat.div_add_l by lia. rewrite Nat.div_small by exact j_lt. lia.
  - rewrite Nat.add_comm, Nat.mod_add by lia. apply Nat.mod_small, j_lt.
Qed.

Lemma when_some {A : Type} (b : bool) (x y : A) : when b x = Some y -> b = true /\ x = y.
Proof. destruct b; simpl; [intros same; injection same; auto | discriminate]. Qed.

Section LAYOUTS.
  Context (sg : nat -> nat) (facts : list fact) (FACTS : facts_hold sg facts).

  Notation ty_val := (ty_val sg).
  Notation size_val := (size_val sg).

  Section IN_BOUNDS.
    Context (X : list size) (iv : list nat) (BOUNDS : in_bounds iv (map size_val X)).

    Notation lay_ok := (lay_ok sg (index_env iv)).

    Lemma slide_sound w k s d n a :
      ixe_lt facts [w; k] (slide_index s d) n = true ->
      lay_ok (LSlide w k s d) (ty_val (TAry n a)) (ty_val (TAry w (TAry k a))).
    Proof using FACTS.
      intros ok. split; [exact I|]. intros p p_in.
      destruct p as [|[i| |] [|[j| |] q]]; simpl in p_in; try tauto.
      destruct p_in as (i_lt & j_lt & q_in). simpl. repeat split; auto.
      assert (bounds : in_bounds [i; j] (map size_val [w; k]))
        by (repeat constructor; assumption).
      exact (proj2 (ixe_lt_sound sg facts FACTS [w; k] [i; j] bounds _ n ok)).
    Qed.

    Lemma lay_result_sound l : forall S D,
      lay_result facts X l S = Some D -> lay_ok l (ty_val S) (ty_val D).
    Proof using FACTS BOUNDS.
      induction l as [| |e| | |n m|n m| |n|w k s d|o n|n|l IHl]; intros S D found.
      - destruct S as [|k a|a b]; try discriminate. injection found as D_eq. rewrite <- D_eq.
        split; [exists (ty_val b); reflexivity|]. simpl. auto.
      - destruct S as [|k a|a b]; try discriminate. injection found as D_eq. rewrite <- D_eq.
        split; [exists (ty_val a); reflexivity|]. simpl. auto.
      - destruct S as [|k a|a b]; try discriminate.
        apply when_some in found as [ok D_eq]. rewrite <- D_eq.
        destruct (ixe_lt_sound sg facts FACTS X iv BOUNDS e k ok) as [safe below].
        split; [exact I|]. simpl. auto.
      - destruct S as [|k a|[|n a|] [|m b|]]; try discriminate.
        apply when_some in found as [ok D_eq]. rewrite <- D_eq. simpl.
        rewrite <- (size_eqb_sound sg _ _ ok).
        split; [eexists _, _, _; split; reflexivity|]. intros p p_in.
        destruct p as [|[i| |] [|[j| |] q]]; simpl in *; tauto.
      - destruct S as [|n [| |a b]|]; try discriminate.
        injection found as D_eq. rewrite <- D_eq. split; [exact I|]. intros p p_in.
        destruct p as [|[i| |] [|[j| |] q]]; simpl in *; tauto.
      - destruct S as [|k a|a b]; try discriminate.
        apply when_some in found as [ok D_eq]. rewrite <- D_eq.
        apply (size_eqb_sound sg) in ok. simpl in ok. split; [exact I|]. intros p p_in.
        destruct p as [|[i| |] [|[j| |] q]]; simpl in *; try tauto. rewrite ok.
        destruct p_in as (i_lt & j_lt & q_in).
        destruct (join_index i j _ _ i_lt j_lt) as [below _]. auto.
      - destruct S as [|m1 [|n1 a|]|]; try discriminate.
        apply when_some in found as [ok D_eq]. rewrite <- D_eq.
        apply andb_true_iff in ok as [ok_m ok_n].
        apply (size_eqb_sound sg) in ok_m, ok_n. split; [exact I|]. intros p p_in.
        destruct p as [|[i| |] q]; simpl in *; try tauto. rewrite ok_m, ok_n.
        destruct p_in as (i_lt & q_in).
        destruct (split_index i _ _ i_lt) as (div_lt & mod_lt & n_pos & _). auto.
      - destruct S as [|m1 [|n1 a|]|]; try discriminate.
        injection found as D_eq. rewrite <- D_eq. split; [exact I|]. intros p p_in.
        destruct p as [|[i| |] [|[j| |] q]]; simpl in *; tauto.
      - destruct S as [|n1 a|a b]; try discriminate.
        apply when_some in found as [ok D_eq]. rewrite <- D_eq.
        apply (size_eqb_sound sg) in ok. split; [exact I|]. intros p p_in.
        destruct p as [|[i| |] q]; simpl in *; try tauto. rewrite ok.
        destruct p_in as (i_lt & q_in). repeat split; auto; lia.
      - destruct S as [|n a|a b]; try discriminate.
        apply when_some in found as [ok D_eq]. rewrite <- D_eq. apply slide_sound, ok.
      - destruct S as [|m a|a b]; try discriminate.
        apply when_some in found as [ok D_eq]. rewrite <- D_eq.
        apply (size_leb_sound sg _ _ _ FACTS) in ok. simpl in ok.
        split; [exact I|]. intros p p_in.
        destruct p as [|[i| |] q]; simpl in *; try tauto. repeat split; try tauto; lia.
      - injection found as D_eq. rewrite <- D_eq. split; [exact I|]. intros p p_in.
        destruct p as [|[i| |] q]; simpl in *; tauto.
      - destruct S as [|n a|a b]; try discriminate. simpl in found.
        destruct (lay_result facts X l a) as [b|] eqn:inner; try discriminate.
        injection found as D_eq. rewrite <- D_eq. destruct (IHl a b inner) as [_ OK].
        split; [exact I|]. intros p p_in.
        destruct p as [|[i| |] q]; simpl in *; try tauto. destruct p_in as [i_lt q_in].
        destruct (OK q q_in). auto.
    Qed.
  End IN_BOUNDS.

  Lemma lay_inverse_sound X l : forall S D,
    invertible l = true -> lay_result facts X l S = Some D ->
    lay_inverse_ok sg l (ty_val S) (ty_val D).
  Proof using FACTS.
    clear FACTS.
    induction l as [| |e| | |n m|n m| |n|w k s d|o n|n|l IHl]; intros S D inv found;
      try discriminate inv.
    - destruct S as [|k a|[|n a|] [|m b|]]; try discriminate.
      apply when_some in found as [ok D_eq]. rewrite <- D_eq. simpl.
      rewrite <- (size_eqb_sound sg _ _ ok). split; [reflexivity|]. split.
      + intros p p_in env. destruct p as [|[i| |] [|[j| |] q]]; simpl in *; tauto.
      + intros q q_in. destruct q as [|[i| |] [|[j| |] r]]; simpl in *; tauto.
    - destruct S as [|n [| |a b]|]; try discriminate.
      injection found as D_eq. rewrite <- D_eq. split; [reflexivity|]. split.
      + intros p p_in env. destruct p as [|[i| |] [|[j| |] q]]; simpl in *; tauto.
      + intros q q_in. destruct q as [|[i| |] [|[j| |] r]]; simpl in *; tauto.
    - destruct S as [|k a|a b]; try discriminate.
      apply when_some in found as [ok D_eq]. rewrite <- D_eq.
      apply (size_eqb_sound sg) in ok. simpl in ok. split; [simpl; congruence|]. split.
      + intros p p_in env. destruct p as [|[i| |] [|[j| |] q]]; simpl in *; try tauto.
        destruct p_in as (i_lt & j_lt & _).
        destruct (join_index i j _ _ i_lt j_lt) as (_ & div & mod_). congruence.
      + intros q q_in. destruct q as [|[i| |] r]; simpl in *; try tauto. rewrite ok in q_in.
        destruct q_in as [i_lt r_in].
        destruct (split_index i _ _ i_lt) as (div_lt & mod_lt & n_pos & back).
        repeat split; auto. intros env. rewrite back. reflexivity.
    - destruct S as [|m1 [|n1 a|]|]; try discriminate.
      apply when_some in found as [ok D_eq]. rewrite <- D_eq.
      apply andb_true_iff in ok as [ok_m ok_n]. apply (size_eqb_sound sg) in ok_m, ok_n.
      split; [simpl; congruence|]. split.
      + intros p p_in env. destruct p as [|[i| |] q]; simpl in *; try tauto.
        destruct p_in as (i_lt & _). destruct (split_index i _ _ i_lt) as (_ & _ & _ & back).
        rewrite back. reflexivity.
      + intros q q_in. destruct q as [|[i| |] [|[j| |] r]]; simpl in *; try tauto.
        rewrite ok_m, ok_n in q_in. destruct q_in as (i_lt & j_lt & r_in).
        destruct (join_index i j _ _ i_lt j_lt) as (below & div & mod_).
        repeat split; auto. intros env. congruence.
    - destruct S as [|m1 [|n1 a|]|]; try discriminate.
      injection found as D_eq. rewrite <- D_eq. split; [reflexivity|]. split.
      + intros p p_in env. destruct p as [|[i| |] [|[j| |] q]]; simpl in *; tauto.
      + intros q q_in. destruct q as [|[i| |] [|[j| |] r]]; simpl in *; tauto.
    - destruct S as [|n1 a|a b]; try discriminate.
      apply when_some in found as [ok D_eq]. rewrite <- D_eq.
      apply (size_eqb_sound sg) in ok. split; [simpl; congruence|]. split.
      + intros p p_in env. destruct p as [|[i| |] q]; simpl in *; try tauto.
        repeat f_equal. lia.
      + intros q q_in. destruct q as [|[i| |] r]; simpl in *; try tauto. rewrite ok in q_in.
        destruct q_in as [i_lt r_in]. repeat split; auto; try lia.
        intros env. repeat f_equal. lia.
    - destruct S as [|n a|a b]; try discriminate. simpl in found, inv.
      destruct (lay_result facts X l a) as [b|] eqn:inner; try discriminate.
      injection found as D_eq. rewrite <- D_eq.
      destruct (IHl a b inv inner) as (source & back & forth).
      split; [simpl; rewrite source; reflexivity|]. split.
      + intros p p_in env. destruct p as [|[i| |] q]; simpl in *; try tauto.
        rewrite back by tauto. reflexivity.
      + intros q q_in. destruct q as [|[i| |] r]; simpl in *; try tauto.
        destruct q_in as [i_lt r_in]. destruct (forth r r_in) as (into & safe & again).
        repeat split; auto. intros env. rewrite again. reflexivity.
  Qed.
End LAYOUTS.
