(** Correctness of the rules that copy a view out and that map.

    [copy_out_correct]   a view copied into the acceptor
    [spill_correct]      a temporary filled, then viewed
    [lower_map_correct]  a map, also over views that touch the acceptor's root *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Syntax imp.Semantics imp.Footprint imp.Frame.
From Vouch Require Import lower.Align lower.Lower lower.Scope lower.WritesProof.
From Vouch Require Import lower.TagsProof lower.RenameProof lower.ViewTagsProof.
From Vouch Require Import lower.LowerSpec lower.LoopProof.
Import ListNotations.

Section MAP.
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

  (** The view of C touches the acceptor's root as the tag of e says. *)
  Definition view_tagged (X : list nat) (G : list sty) (C : view_fun) (e : exp) (D : sty)
      : Prop :=
    forall T xi rho k ie a D0, root a < k -> in_bounds (map ie xi) X ->
      hot sg T ie G rho a D0 -> touches sg (view_tag T e) ie a D0 D (snd (C xi rho k)).

  Lemma copy_out_correct T X G C e D :
    view_fun_ok sg C -> view_tagged X G C e D -> view_correct X G C e D ->
    reads_fresh T e = true -> is_aligned (view_tag T e) = true \/ D = SNum ->
    acc_correct T X G (copy_out C) e D.
  Proof.
    intros C_ok TAGGED CORRECT fresh al d P k xi rho vals ie s a d_D SC bounds FRESH HOT
      a_below root_lt a_inj p p_in. unfold copy_out.
    pose proof (view_fresh sg K junk X G C e D T P k xi rho vals ie s CORRECT fresh SC bounds
                  FRESH p p_in) as VALUE.
    destruct (TAGGED T xi rho k ie a D root_lt bounds HOT) as [fits TOUCH].
    destruct (C_ok P k xi rho SC) as [pre_fresh x_in].
    destruct (C xi rho k) as [pre x]. simpl in *.
    rewrite exec_wrap by (auto; lia). rewrite <- VALUE.
    destruct al as [al|is_num].
    - rewrite <- d_D in *. apply assign_correct; auto.
      + apply x_in.
      + apply (acc_below_incr k); [lia | exact a_below].
      + intros q l q_in reads same_root.
        apply (tag_reads_aligned _ _ _ _ al), TOUCH; assumption.
    - rewrite is_num in *. destruct d; try discriminate. destruct p; [|destruct p_in].
      simpl. apply write_same.
  Qed.

  Lemma spill_correct X G A e d :
    acc_correct [] X G A e (ty_val d) -> view_correct X G (spill d A) e (ty_val d).
  Proof.
    intros CORRECT P k xi rho vals ie s SC bounds FRESH p p_in. simpl.
    assert (not_P : ~ P k) by (intros k_in; apply (scoped_vars _ _ _ _ SC) in k_in; lia).
    refine (CORRECT d P (S k) xi rho vals ie _ (AVar k) eq_refl (scoped_S _ _ _ _ SC) bounds
              _ _ I (le_n _) (acc_inj_var sg ie k _) p p_in).
    - apply (env_fresh_agree sg K P k xi [] ie ie s); auto. intros v q v_in.
      symmetry. apply set_var_other. congruence.
    - apply (hot_apart sg P (S k) xi); [apply scoped_S, SC | exact not_P].
  Qed.

  Section LOOP.
    Context (T : list tag) (X : list nat) (G : list sty) (kd : kind) (n : size) (d1 d2 : ty).
    Context (C : view_fun) (A : acc_fun) (e f : exp).
    Context (C_OK : view_fun_ok sg C) (A_OK : acc_fun_ok sg A (ty_val d2)).
    Context (TAGGED : view_tagged X G C e (SAry (size_val n) (ty_val d1))).
    Context (CORRECT_E : view_correct X G C e (SAry (size_val n) (ty_val d1))).
    Context (FRESH_E : reads_fresh T e = true) (NO_ANY : no_any (unrow (view_tag T e)) = true).
    Context (CORRECT_F : acc_correct (cons_tag (unrow (view_tag T e)) (map lowered T))
      (size_val n :: X) (ty_val d1 :: G) A f (ty_val d2)).

    Let t : tag := unrow (view_tag T e).

    (** Element j of a view over the elements of the acceptor touches element j only. *)
    Lemma touches_element ie k j a x :
      view_below k x -> acc_below k a -> j < size_val n ->
      touches sg (view_tag T e) ie a (SAry (size_val n) (ty_val d2))
        (SAry (size_val n) (ty_val d1)) x ->
      touches sg t (bind ie k j) (acc_at a k) (ty_val d2) (ty_val d1) (view_at x k).
    Proof using NO_ANY.
      intros x_below a_below j_lt [fits TOUCH]. split.
      - destruct (unrow_fits _ _ _ _ NO_ANY fits) as [cold|(E & E_eq & fits1)].
        + unfold t. rewrite cold. exact I.
        + injection E_eq as E_eq. rewrite <- E_eq in fits1. exact fits1.
      - intros p l p_in reads same_root. simpl in reads. rewrite bind_same in reads.
        rewrite (view_reads_below sg k _ ie) in reads; [| |exact x_below].
        + assert (ix_in : inb (SAry (size_val n) (ty_val d1)) (Ix j :: p)) by (simpl; auto).
          apply (tag_reads_ext t (fun r => acc_path ie a (Ix j :: r))).
          * intros q. symmetry. apply acc_path_at, a_below.
          * apply unrow_reads; [exact NO_ANY|]. apply TOUCH; assumption.
        + intros i i_lt. apply bind_below, i_lt.
    Qed.

    Lemma lower_map_correct :
      acc_correct T X G (lower_map C A kd n d2) (EMap kd n d1 d2 f e)
        (SAry (size_val n) (ty_val d2)).
    Proof using C_OK A_OK TAGGED CORRECT_E FRESH_E NO_ANY CORRECT_F.
      intros d P k xi rho vals ie s a _ SC bounds FRESH HOT a_below root_lt a_inj p p_in.
      unfold lower_map.
      pose proof (view_fresh sg K junk X G C e _ T P k xi rho vals ie s CORRECT_E FRESH_E SC
                    bounds FRESH) as VALUE.
      pose proof (TAGGED T xi rho k ie a _ root_lt bounds HOT) as TOUCH.
      destruct (C_OK P k xi rho SC) as [pre_fresh x_in].
      destruct (C xi rho k) as [pre x]. simpl fst in *. simpl snd in *.
      rewrite exec_wrap by (auto; lia).
      set (i := k + length pre) in *. set (s1 := run_prelude k pre ie s) in *.
      assert (a_below1 : acc_below i a) by (apply (acc_below_incr k); [lia | exact a_below]).
      pose proof (scoped_ext P k (length pre) xi rho SC) as SC1. fold i in SC1.
      pose proof (scoped_loop _ _ xi rho x x_in SC1) as SC2.
      assert (FRESH1 : env_fresh sg K (map lowered T) ie s1 G rho vals).
      { apply env_fresh_lowered. apply (env_fresh_prelude sg K junk P k xi); assumption. }
      refine (loop_correct sg K junk kd i n (ty_val d2) _ a ie
                (eval (map ie xi) vals (EMap kd n d1 d2 f e)) s1 _ _ a_below1 a_inj p p_in).
      - intros j s2 j_lt other same q q_in.
        rewrite <- (acc_path_at sg ie i j a q a_below1).
        change (root a) with (root (acc_at a i)).
        assert (below_i : forall v, v < i -> ie v = bind ie i j v)
          by (intros v v_lt; symmetry; apply bind_below, v_lt).
        rewrite (CORRECT_F d2 _ (S i) (i :: xi) (view_at x i :: rho)
          ((fun r => eval (map ie xi) vals e (Ix j :: r)) :: vals) (bind ie i j) s2 (acc_at a i)
          eq_refl SC2); auto.
        + simpl eval. rewrite <- (map_bind ie i j xi) by apply (scoped_loops _ _ _ _ SC1).
          reflexivity.
        + apply in_bounds_loop; auto. apply (scoped_loops _ _ _ _ SC1).
        + apply env_fresh_cons.
          * intros r _ r_in. simpl. rewrite bind_same.
            rewrite <- VALUE by (simpl; auto). transitivity (read ie s2 x (Ix j :: r)).
            { symmetry. apply (read_below sg K i); [exact below_i | apply x_in]. }
            apply read_agree. intros l reads.
            destruct (Nat.eq_dec (fst l) (root a)) as [is_root|is_root]; [|auto].
            assert (ix_in : inb (SAry (size_val n) (ty_val d1)) (Ix j :: r)) by (simpl; auto).
            destruct TOUCH as [fits TOUCH]. specialize (TOUCH _ l ix_in reads is_root).
            apply unrow_reads in TOUCH; [|exact NO_ANY].
            destruct (unrow_fits _ _ _ _ NO_ANY fits) as [cold|(E & E_eq & fits1)].
            { rewrite cold in TOUCH. destruct TOUCH. }
            injection E_eq as E_eq. rewrite <- E_eq in fits1.
            destruct (tag_reads_inb _ _ _ _ _ _ NO_ANY fits1 r_in TOUCH) as (u & u_in & u_eq).
            rewrite is_root, u_eq. apply same, u_in.
          * apply (env_fresh_agree sg K P k xi _ ie (bind ie i j) s2); auto.
            { intros v v_lt. apply below_i. lia. }
            apply (env_fresh_keep sg K T ie s1 s2 G rho vals a _ HOT); assumption.
        + apply hot_cons.
          * apply touches_element; auto. apply x_in.
          * apply (hot_lowered sg T _ G rho a _ (SAry (size_val n) (ty_val d2)));
              [reflexivity|].
            exact (hot_bind sg _ i xi T ie j G rho a _ SC1 a_below1 HOT).
        + simpl. split; [lia|]. apply (acc_below_incr i); [lia | exact a_below1].
        + simpl. lia.
        + apply (acc_inj_at sg ie i j a (size_val n)); assumption.
      - intros j l j_lt writes.
        refine (A_OK d2 _ _ _ _ _ _ l eq_refl SC2 _ _ writes).
        + simpl. split; [lia|]. apply (acc_below_incr i); [lia | exact a_below1].
        + simpl. lia.
    Qed.
  End LOOP.
End MAP.
