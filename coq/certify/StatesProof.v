(** [states_sound]: a statement that is checked has the value of the term at the path. *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.IndexCheck.
From Vouch Require Import imp.Flat lower.Flatten lower.OffsetProof.
From Vouch Require Import certify.Certificate certify.Reading certify.Remainders.
From Vouch Require Import certify.Statement certify.States certify.StatesSpec.
Import ListNotations.

Section SOUNDNESS.
  Context (sg : nat -> nat) (K : scalars) (m : mem K).

  Notation statement_val := (statement_val sg K m).
  Notation path_at w := (path_val sg (w_index w)).
  Notation is_variable := (is_variable sg K m).
  Notation fixed_indices := (fixed_indices sg K).
  Notation fixed_path := (fixed_path sg K).
  Notation all_known := (all_known sg K).

  Lemma states_sound e : forall known iv ns vals vs d w p ps r,
    all_known d w known ->
    fixed_indices d w iv ns -> Forall2 (is_variable d w) vals vs -> fixed_path d w p ps ->
    states known iv vals e d p r = true -> eval sg K ns vs e ps = statement_val d w r.
  Proof.
    induction e as [x|t c|o e1 IH1|e1 IH1 e2 IH2|l e1 IH1|lo n hi c e1 IH1|g e1 IH1 e2 IH2
                   |k n t1 t2 f IHf e1 IH1|k n t1 t2 f IHf e1 IH1 e2 IH2|e1 IH1 e2 IH2|t e1 IH1
                   |n n1 t e1 IH1 e2 IH2]; intros known iv ns vals vs d w p ps r ALL INDICES VARIABLES PATH;
      pose proof (ALL w (agrees_refl K d w)) as KNOWN.
    - simpl. intros ok.
      exact (nth_variable d w vals vs VARIABLES x d w known p ps r (le_n d) (agrees_refl K d w) ALL PATH ok).
    - simpl. destruct c as [m1 e1|negative|].
      + destruct r; try discriminate. intros ok. simpl. rewrite (const_same_eq _ _ ok). reflexivity.
      + destruct r; try discriminate. intros ok. simpl. rewrite (const_same_eq _ _ ok). reflexivity.
      + destruct p as [|[i| |] q]; try discriminate. destruct r; try discriminate. intros ok.
        destruct (fixed_head d w i q ps PATH) as (x & qs & ps_is & _ & x_is). rewrite ps_is. simpl.
        rewrite <- (index_states_sound sg (w_index w) known KNOWN _ _ ok), (x_is w (agrees_refl K d w)).
        reflexivity.
    - pose proof (fun q halves r1 => IH1 known iv ns vals vs d w q (path_at w q) r1 ALL INDICES VARIABLES
                    (fixed_halves d w q halves)) as ARGUMENT.
      assert (NONE : forall i, ~ In (XIx i) []) by (intros i []).
      destruct o as [o|o|o]; simpl; destruct r as [| | | |o1 r1|o1 r1 r2|o1 r1 r2 r3| | | | |];
        try discriminate; rewrite ?andb_true_iff.
      + destruct (uop_eq_dec o o1) as [o_is|]; [|intros [no _]; discriminate].
        intros [_ ok]. rewrite <- o_is. simpl. f_equal. apply (ARGUMENT []); auto.
      + destruct (bop_eq_dec o o1) as [o_is|]; [|intros [[no _] _]; discriminate].
        intros [[_ ok1] ok2]. rewrite <- o_is. simpl.
        f_equal; [apply (ARGUMENT [XLft]) | apply (ARGUMENT [XRgt])]; auto;
          intros i [no|[]]; discriminate.
      + destruct (top_eq_dec o o1) as [o_is|]; [|intros [[[no _] _] _]; discriminate].
        intros [[[_ ok1] ok2] ok3]. rewrite <- o_is. simpl.
        f_equal; [apply (ARGUMENT [XLft]) | apply (ARGUMENT [XRgt; XLft])
                 | apply (ARGUMENT [XRgt; XRgt])]; auto;
          intros i; simpl; intuition discriminate.
    - simpl. destruct p as [|[i| |] q]; try discriminate; intros ok.
      + destruct (fixed_half d w XLft q ps I PATH) as (qs & ps_is & PATH1). rewrite ps_is.
        exact (IH1 known iv ns vals vs d w q qs r ALL INDICES VARIABLES PATH1 ok).
      + destruct (fixed_half d w XRgt q ps I PATH) as (qs & ps_is & PATH1). rewrite ps_is.
        exact (IH2 known iv ns vals vs d w q qs r ALL INDICES VARIABLES PATH1 ok).
    - simpl. intros ok. refine (IH1 known iv ns vals vs d w _ _ r ALL INDICES VARIABLES _ ok).
      intros w1 same. rewrite lay_spath_val, layout_at_path, (INDICES w1 same), (PATH w1 same).
      reflexivity.
    - simpl. destruct p as [|[i| |] q]; try discriminate. destruct r; try discriminate.
      rewrite !andb_true_iff. intros [[[[[same_lo same_i] same_j] same_hi] same_c] ok].
      destruct (fixed_head d w i q ps PATH) as (x & qs & ps_is & PATH1 & x_is). rewrite ps_is.
      simpl. rewrite <- (index_states_sound sg (w_index w) known KNOWN _ _ same_lo).
      rewrite <- (index_states_sound sg (w_index w) known KNOWN _ _ same_i).
      rewrite <- (index_states_sound sg (w_index w) known KNOWN _ _ same_j).
      rewrite <- (index_states_sound sg (w_index w) known KNOWN _ _ same_hi).
      rewrite (x_is w (agrees_refl K d w)), (const_same_eq _ _ same_c). simpl.
      destruct (_ <=? _) eqn:above; [|reflexivity]. destruct (_ <? _); [|reflexivity].
      refine (IH1 (difference known i (XSize lo)) iv ns vals vs d w _ _ _ _ INDICES VARIABLES _ ok).
      { intros w1 same. apply difference_known; [exact (ALL w1 same)|].
        rewrite (x_is w1 same). apply Nat.leb_le, above. }
      apply fixed_cons; [|exact PATH1]. intros w1 same. simpl. rewrite (x_is w1 same). reflexivity.
    - simpl. destruct r; try discriminate. rewrite !andb_true_iff. intros [[same ok1] ok2]. simpl.
      rewrite (guard_states_val w known iv g KNOWN _ same), (INDICES w (agrees_refl K d w)).
      destruct (guard_val _ _ _).
      + exact (IH1 known iv ns vals vs d w p ps _ ALL INDICES VARIABLES PATH ok1).
      + exact (IH2 known iv ns vals vs d w p ps _ ALL INDICES VARIABLES PATH ok2).
    - simpl. destruct p as [|[i| |] q]; try discriminate. intros ok.
      destruct (fixed_head d w i q ps PATH) as (x & qs & ps_is & PATH1 & x_is). rewrite ps_is.
      refine (IHf known (i :: iv) (x :: ns) _ _ d w q qs r ALL _ _ PATH1 ok).
      + intros w1 same. simpl. rewrite (x_is w1 same), (INDICES w1 same). reflexivity.
      + constructor; [|exact VARIABLES]. intros d1 w1 known1 q1 qs1 r1 d_le same ALL1 fixed ok1.
        refine (IH1 known1 iv ns vals vs d1 w1 _ _ r1 ALL1 _ _ _ ok1).
        * exact (fixed_indices_deeper d d1 w w1 iv ns d_le same INDICES).
        * exact (variables_deeper d d1 w w1 vals vs d_le same VARIABLES).
        * apply fixed_cons; [|exact fixed]. intros w2 same2. apply x_is.
          exact (agrees_trans K d d1 w w1 w2 d_le same same2).
    - simpl. destruct r as [| | | | | | | | |n1 start step| |]; try discriminate.
      rewrite !andb_true_iff. intros [[same_n ok1] ok2]. simpl.
      refine (fold_same K (size_val sg n) _ _ _ _ _ ps _ _ _).
      + exact (index_states_sound sg (w_index w) known KNOWN _ _ same_n).
      + intros j a. simpl. set (w1 := with_step w d j (a ps)).
        assert (DEEPER : agrees d w w1) by apply agrees_step.
        assert (J : forall d2 w2, S d <= d2 -> agrees (S d) w1 w2 -> w_index w2 d = j).
        { intros d2 w2 _ same. destruct (same d ltac:(lia)) as [index _]. rewrite index.
          simpl. rewrite Nat.eqb_refl. reflexivity. }
        refine (IHf known (XVar d :: iv) (j :: ns) _ _ (S d) w1 p ps step
                  (all_known_deeper d (S d) w w1 known ltac:(lia) DEEPER ALL) _ _ _ ok2).
        * intros w2 same. simpl. rewrite (J (S d) w2 (le_n _) same). f_equal.
          apply INDICES. exact (agrees_trans K d (S d) w w1 w2 ltac:(lia) DEEPER same).
        * constructor; [|constructor].
          -- intros d2 w2 known2 q qs r2 d_le same ALL2 fixed ok. simpl.
             assert (SAME : agrees d w w2)
               by exact (agrees_trans K d (S d) w w1 w2 ltac:(lia) DEEPER same).
             refine (IH2 known2 iv ns vals vs d2 w2 _ _ r2 ALL2 _ _ _ ok).
             ++ exact (fixed_indices_deeper d d2 w w2 iv ns ltac:(lia) SAME INDICES).
             ++ exact (variables_deeper d d2 w w2 vals vs ltac:(lia) SAME VARIABLES).
             ++ apply fixed_cons; [|exact fixed]. intros w3 same3. simpl.
                apply (J d2); [exact d_le|].
                exact (agrees_trans K (S d) d2 w1 w2 w3 d_le same same3).
          -- apply is_scalar_sound, PATH.
          -- exact (variables_deeper d (S d) w w1 vals vs ltac:(lia) DEEPER VARIABLES).
        * exact (fixed_path_deeper d (S d) w w1 p ps ltac:(lia) DEEPER PATH).
      + exact (IH1 known iv ns vals vs d w p ps start ALL INDICES VARIABLES PATH ok1).
    - assert (SEEN : states known iv ((fun known1 d1 q1 => states known1 iv vals e1 d1 q1) :: vals) e2 d p r = true ->
                     eval sg K ns vs (ELet e1 e2) ps = statement_val d w r).
      { intros ok. refine (IH2 known iv ns _ _ d w p ps r ALL INDICES _ PATH ok).
        constructor; [|exact VARIABLES]. intros d1 w1 known1 q1 qs r1 d_le same ALL1 fixed ok1.
        refine (IH1 known1 iv ns vals vs d1 w1 q1 qs r1 ALL1 _ _ fixed ok1).
        - exact (fixed_indices_deeper d d1 w w1 iv ns d_le same INDICES).
        - exact (variables_deeper d d1 w w1 vals vs d_le same VARIABLES). }
      simpl. destruct (stored_rank e1) as [k|]; [|exact SEEN].
      destruct r as [| | | | | | | | | |k1 stored body|]; try exact SEEN. clear SEEN.
      rewrite !andb_true_iff, Nat.eqb_eq. intros [[k_is ok1] ok2]. simpl. rewrite <- k_is.
      set (f := fun i => statement_val (d + k) (with_indices w d i) stored).
      refine (IH2 known iv ns _ _ (S d) (with_value w d f) p ps body
                (all_known_deeper d (S d) w _ known ltac:(lia) (agrees_value K d w f) ALL) _ _ _ ok2).
      * exact (fixed_indices_deeper d (S d) w _ iv ns ltac:(lia) (agrees_value K d w f) INDICES).
      * constructor.
        -- apply is_value_sound. intros i rank_is. unfold f.
           pose proof (fixed_bound sg K d w i) as BOUND. rewrite rank_is in BOUND.
           refine (IH1 known iv ns vals vs (d + k) (with_indices w d i) _ _ _
                     (all_known_deeper d (d + k) w _ known ltac:(lia) (agrees_indices K d w i) ALL)
                     _ _ BOUND ok1).
           ++ exact (fixed_indices_deeper d (d + k) w _ iv ns ltac:(lia)
                       (agrees_indices K d w i) INDICES).
           ++ exact (variables_deeper d (d + k) w _ vals vs ltac:(lia)
                       (agrees_indices K d w i) VARIABLES).
        -- exact (variables_deeper d (S d) w _ vals vs ltac:(lia) (agrees_value K d w f) VARIABLES).
      * exact (fixed_path_deeper d (S d) w _ p ps ltac:(lia) (agrees_value K d w f) PATH).
    - simpl. intros ok. exact (IH1 known iv ns vals vs d w p ps r ALL INDICES VARIABLES PATH ok).
    - simpl. destruct p as [|[i| |] q]; try discriminate. destruct r as [| | | | | | | |g r1 r2| | |];
        try discriminate. destruct g as [i1 m1| | | |]; try discriminate.
      rewrite !andb_true_iff. intros [[[same_i same_n] ok1] ok2].
      destruct (fixed_head d w i q ps PATH) as (x & qs & ps_is & PATH1 & x_is). rewrite ps_is. simpl.
      rewrite <- (index_states_sound sg (w_index w) known KNOWN _ _ same_i).
      rewrite <- (index_states_sound sg (w_index w) known KNOWN _ _ same_n), (x_is w (agrees_refl K d w)). simpl.
      destruct (x <? size_val sg n) eqn:above.
      + rewrite <- ps_is. exact (IH1 known iv ns vals vs d w _ ps r1 ALL INDICES VARIABLES PATH ok1).
      + refine (IH2 (difference known i (XSize n)) iv ns vals vs d w _ _ r2 _ INDICES VARIABLES _ ok2).
        { intros w1 same. apply difference_known; [exact (ALL w1 same)|].
          rewrite (x_is w1 same). apply Nat.ltb_ge, above. }
        apply fixed_cons; [|exact PATH1]. intros w1 same. simpl. rewrite (x_is w1 same). reflexivity.
  Qed.
End SOUNDNESS.
