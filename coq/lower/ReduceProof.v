(** Correctness of reductions.

    [lower_red_correct]       into a fresh temporary, in place or through a second buffer
    [lower_red_into_correct]  straight into the acceptor, in place *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Syntax imp.Semantics imp.Footprint imp.Frame.
From Vouch Require Import lower.Align lower.Lower lower.Scope lower.WritesProof.
From Vouch Require Import lower.TagsProof lower.RenameProof lower.ViewTagsProof.
From Vouch Require Import lower.LowerSpec lower.LoopProof lower.MapProof lower.StepProof.
Import ListNotations.

Section REDUCE.
  Context (sg : nat -> nat) (K : scalars) (junk : nat -> ty -> value K).

  Notation size_val := (size_val sg).
  Notation ty_val := (ty_val sg).
  Notation acc_path := (acc_path sg).
  Notation read := (read sg K).
  Notation exec := (exec sg K junk).
  Notation run_prelude := (run_prelude sg K junk).
  Notation eval := (eval sg K).
  Notation view_correct := (view_correct sg K junk).
  Notation acc_correct := (acc_correct sg K junk).

  Context (X : list nat) (G : list sty) (w : place) (n : size) (d1 d2 : ty).
  Context (C : view_fun) (Ai Af : acc_fun) (f i e : exp).
  Context (C_OK : view_fun_ok sg C).
  Context (AI_OK : acc_fun_ok sg Ai (ty_val d2)) (AF_OK : acc_fun_ok sg Af (ty_val d2)).
  Context (CORRECT_E : view_correct X G C e (SAry (size_val n) (ty_val d1))).

  Let XF : list nat := size_val n :: X.
  Let GF : list sty := ty_val d1 :: ty_val d2 :: G.

  Lemma lower_red_correct (once : bool) :
    acc_correct [] X G Ai i (ty_val d2) ->
    acc_correct (if once then [Cold; Aligned] else []) XF GF Af f (ty_val d2) ->
    view_correct X G (lower_red w once C Ai Af n d2) (ERed w n d1 d2 f i e) (ty_val d2).
  Proof using C_OK AI_OK AF_OK CORRECT_E.
    intros CORRECT_I CORRECT_F P k xi rho vals ie s SC bounds FRESH p p_in.
    unfold lower_red.
    pose proof (CORRECT_E P k xi rho vals ie s SC bounds FRESH) as VALUE.
    destruct (C_OK P k xi rho SC) as [pre_fresh x_in].
    destruct (C xi rho k) as [pre x]. simpl fst in *. simpl snd in *.
    rewrite run_prelude_app. set (v := k + length pre) in *.
    set (s1 := run_prelude k pre ie s) in *. cbn [Semantics.run_prelude Semantics.exec].
    set (s2 := set_var K s1 v (junk v d2)).
    set (s3 := exec (Ai d2 xi rho (S v) (AVar v)) ie s2).
    set (Q := ext P k (length pre)) in *.
    pose proof (scoped_ext P k (length pre) xi rho SC) as SC1. fold Q v in SC1.
    assert (not_Q : ~ Q v)
      by (intros v_in; apply (scoped_vars _ _ _ _ SC1) in v_in; lia).
    assert (s2_other : forall u q, u <> v -> s2 u q = s1 u q)
      by (intros u q not_v; apply set_var_other, not_v).
    assert (s3_other : forall u q, u <> v -> s3 u q = s1 u q).
    { intros u q not_v. unfold s3. rewrite exec_frame; [apply s2_other, not_v|].
      intros writes. apply not_v.
      exact (acc_fun_ok_var sg Ai d2 Q (S v) xi rho v AI_OK (scoped_S _ _ _ _ SC1)
               (le_n _) ie _ writes). }
    assert (FRESH1 : env_fresh sg K [] ie s1 G rho vals)
      by (apply (env_fresh_prelude sg K junk P k xi); assumption).
    assert (FRESH3 : env_fresh sg K [] ie s3 G rho vals).
    { apply (env_fresh_agree sg K Q v xi [] ie ie s1); auto. intros u q u_in.
      symmetry. apply s3_other. congruence. }
    assert (X_VALUE : forall q, inb (SAry (size_val n) (ty_val d1)) q ->
      read ie s3 x q = eval (map ie xi) vals e q).
    { intros q q_in. rewrite <- VALUE by exact q_in. apply (read_in sg K Q v); auto.
      intros u r u_in. apply s3_other. congruence. }
    refine (proj2 (iterate_correct sg K junk (S v) (size_val n)
              (red_step once Af d2 v (S v) xi x rho) (ty_val d2) (AVar v) ie s3
              (fun j V => step_value sg K e f xi vals ie j V) (eval (map ie xi) vals i)
              _ _ _ (size_val n) (le_n _)) p p_in); simpl.
    - intros j s4 V j_lt other same q q_in. destruct once.
      + apply (step_in_place_correct sg K junk X G n d1 d2 Af e f Q (S v) xi rho vals ie s3 x
                 (scoped_S _ _ _ _ SC1) bounds (view_in_incr _ _ v (S v) x (le_S _ _ (le_n v))
                 (fun u u_in => u_in) x_in) X_VALUE [] (AVar v) (IVar v) CORRECT_F);
          simpl; auto.
        * apply (hot_apart sg Q v xi); [exact SC1 | exact not_Q].
        * apply touches_apart. intros o. apply not_Q, (proj1 x_in), o.
        * apply acc_inj_var.
        * assert (vars : forall u, Q u \/ u = v -> u < S v).
          { intros u [u_in|u_v]; [apply (scoped_vars _ _ _ _ SC1) in u_in|]; lia. }
          apply scoped_loop.
          { apply (view_in_incr Q _ v); auto. }
          apply scoped_cons; [split; simpl; auto|].
          apply (scoped_incr Q _ v); auto.
      + apply (step_buffered_correct sg K junk X G n d1 d2 Af e f Q v xi rho vals ie s3 x);
          auto using scoped_S.
        apply (view_in_incr Q _ v); auto.
    - intros j l writes.
      assert (vars : forall u, Q u \/ u = v -> u < S v).
      { intros u [u_in|u_v]; [apply (scoped_vars _ _ _ _ SC1) in u_in|]; lia. }
      refine (red_step_writes sg once Af d2 v xi x rho (fun u => Q u \/ u = v) AF_OK _
                (or_intror eq_refl) _ _ l writes).
      + apply (scoped_incr Q _ v); auto.
      + apply (view_in_incr Q _ v); auto.
    - intros q q_in.
      refine (CORRECT_I d2 Q (S v) xi rho vals ie s2 (AVar v) eq_refl (scoped_S _ _ _ _ SC1)
                bounds _ _ I (le_n _) (acc_inj_var sg ie v _) q q_in).
      + apply (env_fresh_agree sg K Q v xi [] ie ie s1); auto. intros u r u_in.
        symmetry. apply s2_other. congruence.
      + apply (hot_apart sg Q v xi); [exact SC1 | exact not_Q].
  Qed.

  Lemma lower_red_into_correct T :
    view_tagged sg X G C e (SAry (size_val n) (ty_val d1)) ->
    reads_fresh T e = true -> is_cold (view_tag T e) = true ->
    acc_correct T X G Ai i (ty_val d2) ->
    acc_correct (cons_tag Cold (cons_tag Aligned (map lowered T))) XF GF Af f (ty_val d2) ->
    acc_correct T X G (lower_red_into w C Ai Af n d2) (ERed w n d1 d2 f i e) (ty_val d2).
  Proof using C_OK AI_OK AF_OK CORRECT_E.
    intros TAGGED fresh_e cold_e CORRECT_I CORRECT_F d P k xi rho vals ie s a d_D SC bounds
      FRESH HOT a_below root_lt a_inj p p_in. unfold lower_red_into.
    pose proof (view_fresh sg K junk X G C e _ T P k xi rho vals ie s CORRECT_E fresh_e SC
                  bounds FRESH) as VALUE.
    pose proof (TAGGED T xi rho k ie a _ root_lt bounds HOT) as COLD.
    rewrite (is_cold_eq _ cold_e) in COLD.
    destruct (C_OK P k xi rho SC) as [pre_fresh x_in].
    destruct (C xi rho k) as [pre x]. simpl fst in *. simpl snd in *.
    rewrite exec_wrap by (auto; lia).
    set (v := k + length pre) in *. set (s1 := run_prelude k pre ie s) in *.
    cbn [Semantics.exec]. set (s3 := exec (Ai d xi rho v a) ie s1).
    pose proof (scoped_ext P k (length pre) xi rho SC) as SC1. fold v in SC1.
    assert (a_below1 : acc_below v a) by (apply (acc_below_incr k); [lia | exact a_below]).
    assert (root_lt1 : root a < v) by lia.
    assert (s3_other : forall u q, u <> root a -> s3 u q = s1 u q).
    { intros u q not_root. unfold s3. apply exec_frame. intros writes. apply not_root.
      destruct (AI_OK d _ v xi rho a ie _ d_D SC1 a_below1 root_lt1 writes) as [same _].
      exact same. }
    assert (FRESH1 : env_fresh sg K T ie s1 G rho vals)
      by (apply (env_fresh_prelude sg K junk P k xi); assumption).
    refine (proj2 (iterate_correct sg K junk v (size_val n) _ (ty_val d2) a ie s3
              (fun j V => step_value sg K e f xi vals ie j V) (eval (map ie xi) vals i)
              _ _ _ (size_val n) (le_n _)) p p_in).
    - intros j s4 V j_lt other same q q_in.
      apply (step_in_place_correct sg K junk X G n d1 d2 Af e f _ v xi rho vals ie s3 x
               SC1 bounds x_in) with (T := T); auto.
      + intros r r_in. rewrite <- VALUE by exact r_in.
        apply (read_cold sg K ie s1 s3 a _ _ x r COLD); assumption.
      + apply (env_fresh_keep sg K T ie s1 s3 G rho vals a _ HOT); [exact s3_other|].
        apply env_fresh_lowered, FRESH1.
      + apply scoped_step; assumption.
    - intros j l writes.
      refine (proj1 (AF_OK d2 _ _ _ _ a _ l eq_refl
                (scoped_step _ _ _ _ x a x_in a_below1 SC1 root_lt1) _ _ writes)).
      + apply (acc_below_incr v); [lia | exact a_below1].
      + lia.
    - intros q q_in.
      exact (CORRECT_I d _ v xi rho vals ie s1 a d_D SC1 bounds FRESH1 HOT a_below1 root_lt1
               a_inj q q_in).
  Qed.
End REDUCE.
