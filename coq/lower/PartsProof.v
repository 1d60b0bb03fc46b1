(** Correctness of the rules that combine views and parts of an acceptor.

    [view2_values]           two views, one after the other
    [lower_pair_acc_correct] [lower_cat_acc_correct] [lower_lay_acc_correct]
    [lower_let_view_correct] [lower_let_acc_correct] *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Syntax imp.Semantics imp.Footprint imp.Frame.
From Vouch Require Import lower.Align lower.Lower lower.Scope lower.WritesProof.
From Vouch Require Import lower.TagsProof lower.RenameProof lower.ViewTagsProof.
From Vouch Require Import lower.LowerSpec lower.LoopProof lower.MapProof.
Import ListNotations.

Section PARTS.
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
  Notation env_fresh := (env_fresh sg K).

  Context (X : list nat) (G : list sty).

  Lemma view2_values C1 C2 e1 e2 D1 D2 P k xi rho vals ie s :
    view_fun_ok sg C1 -> view_fun_ok sg C2 ->
    view_correct X G C1 e1 D1 -> view_correct X G C2 e2 D2 ->
    scoped P k xi rho -> in_bounds (map ie xi) X -> env_fresh [] ie s G rho vals ->
    let k2 := k + length (fst (C1 xi rho k)) in
    let s2 := run_prelude k (fst (C1 xi rho k) ++ fst (C2 xi rho k2)) ie s in
    (forall p, inb D1 p -> read ie s2 (snd (C1 xi rho k)) p = eval (map ie xi) vals e1 p) /\
    (forall p, inb D2 p -> read ie s2 (snd (C2 xi rho k2)) p = eval (map ie xi) vals e2 p).
  Proof.
    intros C1_ok C2_ok CORRECT1 CORRECT2 SC bounds FRESH k2 s2. unfold s2.
    rewrite run_prelude_app. destruct (C1_ok P k xi rho SC) as [fresh1 in1].
    pose proof (scoped_ext P k (length (fst (C1 xi rho k))) xi rho SC) as SC1. split.
    - intros p p_in.
      rewrite (view_later sg K junk C2 P k xi rho ie _ _ _ p _ C2_ok SC in1 eq_refl).
      apply (CORRECT1 P); assumption.
    - apply (CORRECT2 _ k2 xi rho vals ie _ SC1 bounds).
      apply (env_fresh_prelude sg K junk P k xi); assumption.
  Qed.

  Lemma pair_view_correct C1 C2 e1 e2 D1 D2 :
    view_fun_ok sg C1 -> view_fun_ok sg C2 ->
    view_correct X G C1 e1 D1 -> view_correct X G C2 e2 D2 ->
    view_correct X G (view2 C1 C2 (fun _ => IPair)) (EPair e1 e2) (SPair D1 D2).
  Proof.
    intros C1_ok C2_ok CORRECT1 CORRECT2 P k xi rho vals ie s SC bounds FRESH p p_in.
    destruct (view2_values C1 C2 e1 e2 D1 D2 P k xi rho vals ie s C1_ok C2_ok CORRECT1 CORRECT2
                SC bounds FRESH) as [value1 value2].
    unfold view2. destruct (C1 xi rho k) as [pre1 x1]. simpl in *.
    destruct (C2 xi rho (k + length pre1)) as [pre2 x2]. simpl in *.
    destruct p as [|[i| |] q]; try tauto; auto.
  Qed.

  Lemma if_view_correct C1 C2 g e1 e2 D :
    view_fun_ok sg C1 -> view_fun_ok sg C2 ->
    view_correct X G C1 e1 D -> view_correct X G C2 e2 D ->
    view_correct X G (view2 C1 C2 (fun xi => IIf (guard_rename xi g))) (EIf g e1 e2) D.
  Proof.
    intros C1_ok C2_ok CORRECT1 CORRECT2 P k xi rho vals ie s SC bounds FRESH p p_in.
    destruct (view2_values C1 C2 e1 e2 D D P k xi rho vals ie s C1_ok C2_ok CORRECT1 CORRECT2
                SC bounds FRESH) as [value1 value2].
    unfold view2. destruct (C1 xi rho k) as [pre1 x1]. simpl in *.
    destruct (C2 xi rho (k + length pre1)) as [pre2 x2]. simpl in *.
    rewrite guard_val_rename. destruct (guard_val sg (index_env (map ie xi)) g); auto.
  Qed.

  (** Two commands, each for a part of the acceptor that the other leaves alone. *)
  Section TWO_PARTS.
    Context (T : list tag) (D : sty) (A1 A2 : acc_fun) (e1 e2 : exp) (d1 d2 : ty) (a1 a2 a : acc).
    Context (A1_OK : acc_fun_ok sg A1 (ty_val d1)) (A2_OK : acc_fun_ok sg A2 (ty_val d2)).
    Context (CORRECT1 : acc_correct (map lowered T) X G A1 e1 (ty_val d1)).
    Context (CORRECT2 : acc_correct (map lowered T) X G A2 e2 (ty_val d2)).
    Context (P : nat -> Prop) (k : nat) (xi : list nat) (rho : list view).
    Context (vals : list (value K)) (ie : nat -> nat) (s : store K).
    Context (SC : scoped P k xi rho) (BOUNDS : in_bounds (map ie xi) X).
    Context (FRESH : env_fresh T ie s G rho vals) (HOT : hot sg T ie G rho a D).
    Context (BELOW1 : acc_below k a1) (BELOW2 : acc_below k a2).
    Context (ROOT : root a < k) (ROOT1 : root a1 = root a) (ROOT2 : root a2 = root a).
    Context (INJ1 : acc_inj sg ie a1 (ty_val d1)) (INJ2 : acc_inj sg ie a2 (ty_val d2)).
    Context (APART : forall p q, inb (ty_val d1) p -> inb (ty_val d2) q ->
      acc_path ie a1 p <> acc_path ie a2 q).

    Let s1 : store K := exec (A1 d1 xi rho k a1) ie s.

    Lemma first_part p : inb (ty_val d1) p ->
      exec (A2 d2 xi rho k a2) ie s1 (root a1) (acc_path ie a1 p) = eval (map ie xi) vals e1 p.
    Proof using A2_OK CORRECT1 SC BOUNDS FRESH HOT BELOW1 BELOW2 ROOT ROOT1 ROOT2 INJ1 APART.
      intros p_in. rewrite exec_frame.
      - refine (CORRECT1 d1 P k xi rho vals ie s a1 eq_refl SC BOUNDS _ _ BELOW1 _ INJ1 p p_in).
        + apply env_fresh_lowered, FRESH.
        + apply (hot_lowered sg T ie G rho a a1 D); [congruence | exact HOT].
        + lia.
      - intros writes. rewrite <- ROOT2 in ROOT.
        destruct (A2_OK d2 P k xi rho a2 ie _ eq_refl SC BELOW2 ROOT writes)
          as [_ (q & q_in & same)].
        exact (APART p q p_in q_in same).
    Qed.

    Lemma second_part p : inb (ty_val d2) p ->
      exec (A2 d2 xi rho k a2) ie s1 (root a2) (acc_path ie a2 p) = eval (map ie xi) vals e2 p.
    Proof using A1_OK CORRECT2 SC BOUNDS FRESH HOT BELOW1 BELOW2 ROOT ROOT1 ROOT2 INJ2.
      intros p_in.
      refine (CORRECT2 d2 P k xi rho vals ie s1 a2 eq_refl SC BOUNDS _ _ BELOW2 _ INJ2 p p_in).
      - apply (env_fresh_keep sg K T ie s s1 G rho vals a D HOT).
        + intros v q not_root. unfold s1. apply exec_frame. intros writes. apply not_root.
          rewrite <- ROOT1 in ROOT |- *.
          exact (proj1 (A1_OK d1 P k xi rho a1 ie _ eq_refl SC BELOW1 ROOT writes)).
        + apply env_fresh_lowered, FRESH.
      - apply (hot_lowered sg T ie G rho a a2 D); [congruence | exact HOT].
      - lia.
    Qed.
  End TWO_PARTS.

  Lemma lower_pair_acc_correct T A1 A2 e1 e2 D1 D2 :
    acc_fun_ok sg A1 D1 -> acc_fun_ok sg A2 D2 ->
    acc_correct (map lowered T) X G A1 e1 D1 -> acc_correct (map lowered T) X G A2 e2 D2 ->
    acc_correct T X G (lower_pair_acc A1 A2) (EPair e1 e2) (SPair D1 D2).
  Proof.
    intros A1_ok A2_ok CORRECT1 CORRECT2 d P k xi rho vals ie s a d_D SC bounds FRESH HOT
      a_below root_lt a_inj p p_in.
    destruct d as [|n d1|d1 d2]; try discriminate. simpl in d_D. injection d_D as d_D1 d_D2.
    rewrite <- d_D1, <- d_D2 in *. cbn [lower_pair_acc Semantics.exec].
    assert (inj1 := acc_inj_step sg ie _ a _ _
                      (step_ok_fst sg ie (ty_val d1) (ty_val d2)) a_inj).
    assert (inj2 := acc_inj_step sg ie _ a _ _
                      (step_ok_snd sg ie (ty_val d1) (ty_val d2)) a_inj).
    assert (apart : forall q r, inb (ty_val d1) q -> inb (ty_val d2) r ->
      acc_path ie (AStep FstStep a) q <> acc_path ie (AStep SndStep a) r).
    { intros q r q_in r_in same. simpl in same. apply a_inj in same; simpl; auto. discriminate. }
    destruct p as [|[i| |] q]; simpl in p_in; try tauto.
    - exact (first_part T (SPair (ty_val d1) (ty_val d2)) A1 A2 e1 d1 d2 (AStep FstStep a)
        (AStep SndStep a) a A2_ok CORRECT1 P k xi rho vals ie s SC bounds FRESH HOT a_below
        a_below root_lt eq_refl eq_refl inj1 apart q p_in).
    - exact (second_part T (SPair (ty_val d1) (ty_val d2)) A1 A2 e2 d1 d2 (AStep FstStep a)
        (AStep SndStep a) a A1_ok CORRECT2 P k xi rho vals ie s SC bounds FRESH HOT a_below
        a_below root_lt eq_refl eq_refl inj2 q p_in).
  Qed.

  Lemma lower_cat_acc_correct T A1 A2 n m d0 e1 e2 :
    acc_fun_ok sg A1 (SAry (size_val n) (ty_val d0)) ->
    acc_fun_ok sg A2 (SAry (size_val m) (ty_val d0)) ->
    acc_correct (map lowered T) X G A1 e1 (SAry (size_val n) (ty_val d0)) ->
    acc_correct (map lowered T) X G A2 e2 (SAry (size_val m) (ty_val d0)) ->
    acc_correct T X G (lower_cat_acc A1 A2 n m d0) (ECat n m d0 e1 e2)
      (SAry (size_val n + size_val m) (ty_val d0)).
  Proof.
    intros A1_ok A2_ok CORRECT1 CORRECT2 d P k xi rho vals ie s a _ SC bounds FRESH HOT
      a_below root_lt a_inj p p_in.
    cbn [lower_cat_acc Semantics.exec].
    assert (inj1 := acc_inj_prefix sg ie a _ _ _ a_inj).
    assert (inj2 := acc_inj_step sg ie _ a _ _
                      (step_ok_off sg ie n (size_val m) (ty_val d0)) a_inj).
    assert (apart : forall q r, inb (ty_val (TAry n d0)) q -> inb (ty_val (TAry m d0)) r ->
      acc_path ie a q <> acc_path ie (AStep (OffStep n) a) r).
    { intros [|[i| |] q] [|[j| |] r]; simpl; try tauto. intros [i_lt q_in] [j_lt r_in] same.
      apply a_inj in same; simpl; [|split; [lia | auto]..]. injection same. lia. }
    destruct p as [|[i| |] q]; simpl in p_in; try tauto. destruct p_in as [i_lt q_in].
    cbn [Semantics.eval]. destruct (Nat.ltb_spec i (size_val n)) as [i_n|i_n].
    - exact (first_part T _ A1 A2 e1 (TAry n d0) (TAry m d0) a (AStep (OffStep n) a) a
        A2_ok CORRECT1 P k xi rho vals ie s SC bounds FRESH HOT a_below a_below root_lt
        eq_refl eq_refl inj1 apart (Ix i :: q) (conj i_n q_in)).
    - replace (acc_path ie a (Ix i :: q))
        with (acc_path ie (AStep (OffStep n) a) (Ix (i - size_val n) :: q))
        by (simpl; repeat f_equal; lia).
      assert (r_in : inb (ty_val (TAry m d0)) (Ix (i - size_val n) :: q))
        by (simpl; split; [lia | exact q_in]).
      exact (second_part T _ A1 A2 e2 (TAry n d0) (TAry m d0) a (AStep (OffStep n) a) a
        A1_ok CORRECT2 P k xi rho vals ie s SC bounds FRESH HOT a_below a_below root_lt
        eq_refl eq_refl inj2 _ r_in).
  Qed.

  Lemma lower_lay_acc_correct T l A e S D :
    (forall iv, in_bounds iv X -> lay_ok sg (index_env iv) l S D) ->
    lay_inverse_ok sg l S D -> acc_correct (map lowered T) X G A e S ->
    acc_correct T X G (lower_lay_acc l A) (ELay l e) D.
  Proof.
    intros OK INV CORRECT d P k xi rho vals ie s a d_D SC bounds FRESH HOT a_below root_lt
      a_inj p p_in.
    destruct (OK _ bounds) as [_ INTO]. destruct (INTO p p_in) as [q_in _].
    pose proof INV as (source & back & _).
    rewrite <- (back p p_in (index_env (map ie xi))) at 1.
    refine (CORRECT (lay_source l d) P k xi rho vals ie s (AStep (LayStep l) a) _ SC bounds
              _ _ a_below root_lt _ _ q_in).
    - rewrite ty_val_source, d_D. exact source.
    - apply env_fresh_lowered, FRESH.
    - apply (hot_lowered sg T ie G rho a _ D); [reflexivity | exact HOT].
    - apply (acc_inj_step sg ie _ a D S); [apply step_ok_lay, INV | exact a_inj].
  Qed.

  Lemma lower_let_view_correct C1 C2 e1 e2 D1 D2 :
    view_fun_ok sg C1 -> view_correct X G C1 e1 D1 -> view_correct X (D1 :: G) C2 e2 D2 ->
    view_correct X G (lower_let_view C1 C2) (ELet e1 e2) D2.
  Proof.
    intros C1_ok CORRECT1 CORRECT2 P k xi rho vals ie s SC bounds FRESH p p_in.
    unfold lower_let_view. pose proof (CORRECT1 P k xi rho vals ie s SC bounds FRESH) as value1.
    destruct (C1_ok P k xi rho SC) as [fresh1 in1].
    destruct (C1 xi rho k) as [pre1 x1]. simpl fst in *. simpl snd in *.
    pose proof (scoped_ext P k (length pre1) xi rho SC) as SC1.
    specialize (CORRECT2 _ _ xi (x1 :: rho) (eval (map ie xi) vals e1 :: vals) ie
                  (run_prelude k pre1 ie s) (scoped_cons _ _ _ _ _ in1 SC1) bounds).
    destruct (C2 xi (x1 :: rho) (k + length pre1)) as [pre2 x2]. simpl fst in *.
    simpl snd in *. rewrite run_prelude_app. apply CORRECT2; [|exact p_in].
    apply (env_fresh_cons sg K [] _ _ G rho vals Cold).
    - intros q _ q_in. apply value1, q_in.
    - apply (env_fresh_prelude sg K junk P k xi); assumption.
  Qed.

  Lemma lower_let_acc_correct T C1 A2 e1 e2 D1 D2 :
    view_fun_ok sg C1 -> view_tagged sg X G C1 e1 D1 -> view_correct X G C1 e1 D1 ->
    reads_fresh T e1 = true ->
    acc_correct (cons_tag (view_tag T e1) T) X (D1 :: G) A2 e2 D2 ->
    acc_correct T X G (lower_let_acc C1 A2) (ELet e1 e2) D2.
  Proof.
    intros C1_ok TAGGED CORRECT1 fresh_e CORRECT2 d P k xi rho vals ie s a d_D SC bounds FRESH
      HOT a_below root_lt a_inj p p_in. unfold lower_let_acc.
    pose proof (view_fresh sg K junk X G C1 e1 D1 T P k xi rho vals ie s CORRECT1 fresh_e SC
                  bounds FRESH) as value1.
    pose proof (TAGGED T xi rho k ie a _ root_lt bounds HOT) as TOUCH.
    destruct (C1_ok P k xi rho SC) as [fresh1 in1].
    destruct (C1 xi rho k) as [pre1 x1]. simpl fst in *. simpl snd in *.
    rewrite exec_wrap by (auto; lia).
    refine (CORRECT2 d _ _ xi (x1 :: rho) _ ie _ a d_D
              (scoped_cons _ _ _ _ _ in1 (scoped_ext P k (length pre1) xi rho SC)) bounds
              _ _ _ _ a_inj p p_in).
    - apply env_fresh_cons; [intros q _ q_in; apply value1, q_in|].
      apply (env_fresh_prelude sg K junk P k xi); assumption.
    - apply hot_cons; assumption.
    - apply (acc_below_incr k); [lia | exact a_below].
    - lia.
  Qed.
End PARTS.
