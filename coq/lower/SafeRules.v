(** Safety of the rules that map, reduce, bind and combine.

    [element_reads]     in iteration j a map touches the acceptor's root at element j only,
                        so that its iterations are independent
    [lower_map_safe] [lower_red_safe] [lower_red_into_safe] [lower_let_view_safe]
    [lower_let_acc_safe] [lower_pair_acc_safe] [lower_cat_acc_safe] [lower_lay_acc_safe] *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Syntax imp.Semantics imp.Footprint imp.Frame imp.Safety.
From Vouch Require Import lower.Align lower.Lower lower.Scope lower.WritesProof.
From Vouch Require Import lower.TagsProof lower.RenameProof lower.ViewTagsProof.
From Vouch Require Import lower.LowerSpec lower.MapProof lower.LowerProof.
From Vouch Require Import lower.ReadsSpec lower.ReadsProof lower.SafeSpec.
Import ListNotations.

Section SAFE.
  Context (sg : nat -> nat).

  Notation size_val := (size_val sg).
  Notation ty_val := (ty_val sg).
  Notation view_ok := (view_ok sg).
  Notation acc_ok := (acc_ok sg).
  Notation comm_safe := (comm_safe sg).
  Notation hot := (hot sg).
  Notation view_fun_safe := (view_fun_safe sg).
  Notation acc_fun_safe := (acc_fun_safe sg).

  Section MAP.
    Context (T : list tag) (X : list nat) (G : list sty) (kd : kind) (n : size) (d1 d2 : ty).
    Context (C : view_fun) (A : acc_fun) (e : exp).
    Context (C_OK : view_fun_ok sg C) (A_OK : acc_fun_ok sg A (ty_val d2)).
    Context (TAGGED : view_tagged sg X G C e (SAry (size_val n) (ty_val d1))).
    Context (NO_ANY : no_any (unrow (view_tag T e)) = true).
    Context (SAFE_C : view_fun_safe X G C (SAry (size_val n) (ty_val d1))).
    Context (SAFE_A : acc_fun_safe (cons_tag (unrow (view_tag T e)) (map lowered T))
      (size_val n :: X) (ty_val d1 :: G) A (ty_val d2)).
    Context (READS_A : acc_reads_ok sg (cons_tag (unrow (view_tag T e)) (map lowered T))
      (size_val n :: X) (ty_val d1 :: G) A (ty_val d2)).

    Lemma elements_hot ie i j a rho Q xi x :
      scoped Q i xi rho -> view_in Q i x -> acc_below i a -> j < size_val n ->
      touches sg (view_tag T e) ie a (SAry (size_val n) (ty_val d2))
        (SAry (size_val n) (ty_val d1)) x ->
      hot T ie G rho a (SAry (size_val n) (ty_val d2)) ->
      hot (cons_tag (unrow (view_tag T e)) (map lowered T)) (bind ie i j) (ty_val d1 :: G)
        (view_at x i :: rho) (acc_at a i) (ty_val d2).
    Proof using NO_ANY.
      intros SC x_in a_below j_lt TOUCH HOT. apply hot_cons.
      - apply (touches_element sg T n d1 d2 e); auto. apply x_in.
      - apply (hot_lowered sg T _ G rho a _ (SAry (size_val n) (ty_val d2))); [reflexivity|].
        exact (hot_bind sg Q i xi T ie j G rho a _ SC a_below HOT).
    Qed.

    (** In iteration j the body touches the acceptor's root at element j only. *)
    Lemma element_reads ie i j a rho l :
      hot (cons_tag (unrow (view_tag T e)) (map lowered T)) (bind ie i j) (ty_val d1 :: G)
        rho (acc_at a i) (ty_val d2) ->
      fst l = root a ->
      good_read sg (cons_tag (unrow (view_tag T e)) (map lowered T)) (ty_val d1 :: G)
        (bind ie i j) rho l ->
      slot sg (bind ie i j) (acc_at a i) (ty_val d2) l.
    Proof using NO_ANY.
      intros HOT same_root (x & D & q & found & q_in & is_good & reads).
      destruct (HOT x D found) as [fits TOUCH].
      specialize (TOUCH q l q_in reads same_root). rewrite nth_cons_tag in *.
      destruct x as [|x]; simpl in fits, TOUCH, is_good.
      - destruct (tag_reads_inb _ _ _ _ _ _ NO_ANY fits q_in TOUCH) as (r & r_in & same).
        split; [exact same_root|]. exists r. auto.
      - rewrite nth_lowered in *. exfalso.
        apply (lowered_none (lowered (nth x T Cold)) _ q (snd l)) in TOUCH; [exact TOUCH|].
        rewrite lowered_lowered. exact is_good.
    Qed.

    Lemma lower_map_safe :
      acc_fun_safe T X G (lower_map C A kd n d2) (SAry (size_val n) (ty_val d2)).
    Proof using C_OK A_OK TAGGED NO_ANY SAFE_C SAFE_A READS_A.
      intros d P k xi rho a ie g _ SC bounds ENV HOT a_below root_lt a_inj ACC.
      unfold lower_map. destruct (SAFE_C P k xi rho ie g SC bounds ENV) as [pre_safe x_safe].
      pose proof (TAGGED T xi rho k ie a _ root_lt bounds HOT) as TOUCH.
      destruct (C_OK P k xi rho SC) as [_ x_in].
      destruct (C xi rho k) as [pre x]. simpl fst in *. simpl snd in *.
      apply wrap_safe; [exact pre_safe|]. set (i := k + length pre) in *.
      set (g1 := ext_ty g k pre) in *.
      assert (a_below1 : acc_below i a) by (apply (acc_below_incr k); [lia | exact a_below]).
      pose proof (scoped_ext P k (length pre) xi rho SC) as SC1. fold i in SC1.
      pose proof (scoped_loop _ _ xi rho x x_in SC1) as SC2.
      assert (elem_below : acc_below (S i) (acc_at a i))
        by (simpl; split; [lia | apply (acc_below_incr i); [lia | exact a_below1]]).
      assert (elem_root : root (acc_at a i) < S i) by (simpl; lia).
      assert (elem_bounds : forall j, j < size_val n ->
                in_bounds (map (bind ie i j) (i :: xi)) (size_val n :: X))
        by (intros j j_lt; apply in_bounds_loop; auto; apply (scoped_loops _ _ _ _ SC1)).
      assert (elem_hot := fun j j_lt => elements_hot ie i j a rho _ xi x SC1 x_in a_below1 j_lt
                            TOUCH HOT).
      split.
      - intros j j_lt.
        refine (SAFE_A d2 _ (S i) _ _ _ (bind ie i j) g1 eq_refl SC2 (elem_bounds j j_lt) _
                  (elem_hot j j_lt) elem_below elem_root _ _).
        + apply env_safe_cons.
          * apply (view_ok_at sg _ ie i j g1 x (size_val n) _ x_in j_lt x_safe).
          * apply (env_safe_agree sg (ext P k (length pre)) i xi g1 g1 ie); auto.
            { intros v v_lt. symmetry. apply bind_below, v_lt. }
            apply (env_safe_ext sg P k xi); assumption.
        + apply (acc_inj_at sg ie i j a (size_val n)); assumption.
        + apply (acc_ok_at sg g1 ie i j a (size_val n)); auto. apply acc_ok_ext; assumption.
      - intros _ j j1 l j_lt j1_lt different writes.
        assert (in_j : slot sg (bind ie i j) (acc_at a i) (ty_val d2) l)
          by exact (A_OK d2 _ (S i) _ _ _ _ l eq_refl SC2 elem_below elem_root writes).
        split; intros touches_l; apply different;
          apply (slot_at_disjoint sg ie i j j1 a (size_val n) (ty_val d2) l); auto.
        + destruct (READS_A d2 _ (S i) _ _ _ _ l eq_refl SC2 (elem_bounds j1 j1_lt) elem_below
                      elem_root touches_l) as [written|env]; [exact written|].
          apply (element_reads ie i j1 a (view_at x i :: rho)); auto. apply in_j.
        + exact (A_OK d2 _ (S i) _ _ _ _ l eq_refl SC2 elem_below elem_root touches_l).
    Qed.
  End MAP.

  (** The loop of a reduction: one iteration, with the element and the accumulator bound. *)
  Section STEP.
    Context (T : list tag) (X : list nat) (G : list sty) (n : size) (d1 d2 : ty) (A : acc_fun).
    Context (P : nat -> Prop) (i : nat) (xi : list nat) (rho : list view) (x y : view).
    Context (a : acc) (ie : nat -> nat) (g : ty_env).
    Context (SC : scoped P i xi rho) (BOUNDS : in_bounds (map ie xi) X) (X_IN : view_in P i x).
    Context (BELOW : acc_below i a) (ROOT : root a < i) (INJ : acc_inj sg ie a (ty_val d2)).
    Context (ENV : env_safe sg g ie G rho) (HOT : hot T ie G rho a (ty_val d2)).
    Context (X_OK : view_ok g ie x (SAry (size_val n) (ty_val d1))).
    Context (COLD : touches sg Cold ie a (ty_val d2) (SAry (size_val n) (ty_val d1)) x).
    Context (ACC : acc_ok g ie a (ty_val d2)).
    Context (Y_SAFE : forall ie1 p, acc_in sg g ie1 a p -> view_safe sg g ie1 y p).
    Context (Y_READS : forall ie1 p, view_reads sg ie1 y p = [(root a, acc_path sg ie1 a p)]).
    Context (SC_STEP : scoped (fun v => P v \/ v = root a) (S i) (i :: xi)
      (view_at x i :: y :: rho)).
    Context (SAFE : acc_fun_safe (cons_tag Cold (cons_tag Aligned (map lowered T)))
      (size_val n :: X) (ty_val d1 :: ty_val d2 :: G) A (ty_val d2)).

    Lemma step_safe j : j < size_val n ->
      comm_safe g (A d2 (i :: xi) (view_at x i :: y :: rho) (S i) a) (bind ie i j).
    Proof using SC BOUNDS X_IN BELOW ROOT INJ ENV HOT X_OK COLD ACC Y_SAFE Y_READS SC_STEP SAFE.
      intros j_lt.
      refine (SAFE d2 _ (S i) (i :: xi) _ a (bind ie i j) g eq_refl SC_STEP
                (in_bounds_loop ie i j _ xi X (scoped_loops _ _ _ _ SC) j_lt BOUNDS)
                _ _ (acc_below_incr i (S i) a (le_S _ _ (le_n i)) BELOW)
                (Nat.lt_lt_succ_r _ _ ROOT) _ (acc_ok_bind sg g ie i j a _ BELOW ACC)).
      - apply env_safe_cons; [|apply env_safe_cons].
        + exact (view_ok_at sg P ie i j g x (size_val n) _ X_IN j_lt X_OK).
        + intros p p_in. apply Y_SAFE, (acc_ok_bind sg g ie i j a _ BELOW ACC), p_in.
        + apply (env_safe_agree sg P i xi g g ie); auto.
          intros v v_lt. symmetry. apply bind_below, v_lt.
      - apply hot_cons; [|apply hot_cons].
        + split; [exact I|]. intros p l p_in reads same_root.
          rewrite view_at_reads in reads by apply X_IN.
          apply (proj2 COLD (Ix j :: p) l); simpl; auto.
        + split; [reflexivity|]. intros p l p_in reads same_root. simpl.
          rewrite Y_READS in reads. destruct reads as [reads|[]]. rewrite <- reads. reflexivity.
        + apply (hot_lowered sg T _ G rho a _ (ty_val d2)); [reflexivity|].
          exact (hot_bind sg P i xi T ie j G rho a _ SC BELOW HOT).
      - intros p q p_in q_in. rewrite !(acc_path_bind sg ie i i j a) by auto.
        apply INJ; assumption.
    Qed.
  End STEP.

  Lemma lower_red_safe X G w once C Ai Af n d1 d2 :
    view_fun_ok sg C -> view_fun_safe X G C (SAry (size_val n) (ty_val d1)) ->
    acc_fun_safe [] X G Ai (ty_val d2) ->
    acc_fun_safe (if once : bool then [Cold; Aligned] else []) (size_val n :: X)
      (ty_val d1 :: ty_val d2 :: G) Af (ty_val d2) ->
    view_fun_safe X G (lower_red w once C Ai Af n d2) (ty_val d2).
  Proof.
    intros C_ok SAFE_C SAFE_I SAFE_F P k xi rho ie g SC bounds ENV. unfold lower_red.
    destruct (SAFE_C P k xi rho ie g SC bounds ENV) as [pre_safe x_safe].
    destruct (C_ok P k xi rho SC) as [_ x_in].
    destruct (C xi rho k) as [pre x]. simpl fst in *. simpl snd in *.
    set (v := k + length pre) in *. set (g1 := ext_ty g k pre) in *.
    set (Q := ext P k (length pre)) in *. set (g2 := set_ty g1 v d2).
    pose proof (scoped_ext P k (length pre) xi rho SC) as SC1. fold Q v in SC1.
    assert (not_Q : ~ Q v) by (intros v_in; apply (scoped_vars _ _ _ _ SC1) in v_in; lia).
    assert (g2_other : forall u, Q u -> g1 u = g2 u)
      by (intros u u_in; symmetry; apply set_ty_other; congruence).
    assert (ENV2 : env_safe sg g2 ie G rho).
    { apply (env_safe_agree sg Q v xi g1 g2 ie ie); auto.
      apply (env_safe_ext sg P k xi); assumption. }
    assert (X2 : view_ok g2 ie x (SAry (size_val n) (ty_val d1)))
      by (apply (view_ok_agree sg Q v g1 g2 ie ie); auto).
    assert (ACC2 : acc_ok g2 ie (AVar v) (ty_val d2))
      by (apply acc_ok_var; unfold g2; rewrite set_ty_same; reflexivity).
    assert (HOT2 : hot [] ie G rho (AVar v) (ty_val d2))
      by (apply (hot_apart sg Q v xi); assumption).
    assert (vars : forall u, Q u \/ u = v -> u < S v)
      by (intros u [u_in|u_v]; [apply (scoped_vars _ _ _ _ SC1) in u_in|]; lia).
    assert (x_in1 : view_in Q (S v) x) by (apply (view_in_incr Q _ v); auto).
    assert (SC_STEP : scoped (fun u => Q u \/ u = v) (S (S v)) (S v :: xi)
                        (view_at x (S v) :: IVar v :: rho)).
    { apply scoped_loop; [apply (view_in_incr Q _ v); auto|].
      apply scoped_cons; [split; simpl; auto | apply (scoped_incr Q _ v); auto]. }
    split; [apply prelude_safe_app; [exact pre_safe|]; split; [|exact I]|].
    - fold v g1 g2. split.
      + exact (SAFE_I d2 Q (S v) xi rho (AVar v) ie g2 eq_refl (scoped_S _ _ _ _ SC1) bounds ENV2
                 HOT2 I (le_n _) (acc_inj_var sg ie v _) ACC2).
      + split; [|destruct w; discriminate]. intros j j_lt. unfold red_step. destruct once.
        * apply (step_safe [] X G n d1 d2 Af Q (S v) xi rho x (IVar v) (AVar v) ie g2);
            auto using scoped_S, acc_inj_var.
          { exact I. }
          { apply touches_apart. intros o. apply not_Q, (proj1 x_in), o. }
          { intros ie1 p [inside _]. exact inside. }
        * set (g3 := set_ty g2 (S (S v)) d2). split.
          { refine (SAFE_F d2 _ (S (S (S v))) (S v :: xi) _ (AVar (S (S v))) (bind ie (S v) j) g3
                      eq_refl (scoped_S _ _ _ _ SC_STEP)
                      (in_bounds_loop ie (S v) j _ xi X
                         (scoped_loops _ _ _ _ (scoped_S _ _ _ _ SC1)) j_lt bounds)
                      _ _ I (le_n _) (acc_inj_var sg _ _ _) _).
            - assert (g3_other : forall u, u < S (S v) -> g3 u = g2 u)
                by (intros u u_lt; apply set_ty_other; lia).
              apply env_safe_cons; [|apply env_safe_cons].
              + apply (view_ok_at sg Q ie (S v) j g3 x (size_val n) _ x_in1 j_lt).
                apply (view_ok_agree sg Q (S v) g2 g3 ie ie); auto. intros u u_in. symmetry.
                apply g3_other. apply (scoped_vars _ _ _ _ SC1) in u_in. lia.
              + intros p p_in. simpl. rewrite g3_other by lia. unfold g2.
                rewrite set_ty_same. exact p_in.
              + apply (env_safe_agree sg Q (S v) xi g2 g3 ie); auto using scoped_S.
                * intros u u_in. symmetry. apply g3_other.
                  apply (scoped_vars _ _ _ _ SC1) in u_in. lia.
                * intros u u_lt. symmetry. apply bind_below, u_lt.
            - apply (hot_apart sg _ (S (S v)) (S v :: xi) _ _ _ _ _ SC_STEP). simpl.
              intros u_in. apply vars in u_in. lia.
            - apply acc_ok_var. unfold g3. rewrite set_ty_same. reflexivity. }
          { apply (assign_safe sg d2 (fun u => u = S (S v))).
            - split; simpl; auto.
            - exact I.
            - intros p p_in. simpl. unfold g3. rewrite set_ty_same. exact p_in.
            - apply acc_ok_var. unfold g3. rewrite set_ty_other by lia. unfold g2.
              rewrite set_ty_same. reflexivity. }
    - rewrite ext_ty_app. fold v g1. intros p p_in. simpl. rewrite set_ty_same. exact p_in.
  Qed.

  Lemma lower_red_into_safe T X G w C Ai Af e n d1 d2 :
    view_fun_ok sg C -> view_tagged sg X G C e (SAry (size_val n) (ty_val d1)) ->
    is_cold (view_tag T e) = true ->
    view_fun_safe X G C (SAry (size_val n) (ty_val d1)) ->
    acc_fun_safe T X G Ai (ty_val d2) ->
    acc_fun_safe (cons_tag Cold (cons_tag Aligned (map lowered T))) (size_val n :: X)
      (ty_val d1 :: ty_val d2 :: G) Af (ty_val d2) ->
    acc_fun_safe T X G (lower_red_into w C Ai Af n d2) (ty_val d2).
  Proof.
    intros C_ok TAGGED cold_e SAFE_C SAFE_I SAFE_F d P k xi rho a ie g d_D SC bounds ENV HOT
      a_below root_lt a_inj ACC. unfold lower_red_into.
    destruct (SAFE_C P k xi rho ie g SC bounds ENV) as [pre_safe x_safe].
    pose proof (TAGGED T xi rho k ie a _ root_lt bounds HOT) as COLD.
    rewrite (is_cold_eq _ cold_e) in COLD.
    destruct (C_ok P k xi rho SC) as [_ x_in].
    destruct (C xi rho k) as [pre x]. simpl fst in *. simpl snd in *.
    apply wrap_safe; [exact pre_safe|].
    set (v := k + length pre) in *. set (g1 := ext_ty g k pre) in *.
    pose proof (scoped_ext P k (length pre) xi rho SC) as SC1. fold v in SC1.
    assert (a_below1 : acc_below v a) by (apply (acc_below_incr k); [lia | exact a_below]).
    assert (root_lt1 : root a < v) by lia.
    assert (ENV1 : env_safe sg g1 ie G rho) by (apply (env_safe_ext sg P k xi); assumption).
    assert (ACC1 : acc_ok g1 ie a (ty_val d2)) by (apply acc_ok_ext; assumption).
    split; [|split; [|destruct w; discriminate]].
    - exact (SAFE_I d _ v xi rho a ie g1 d_D SC1 bounds ENV1 HOT a_below1 root_lt1 a_inj ACC1).
    - apply (step_safe T X G n d1 d2 Af _ v xi rho x (IAcc a) a ie g1 SC1); auto.
      apply scoped_step; assumption.
  Qed.

  Lemma lower_let_view_safe X G C1 C2 D1 D2 :
    view_fun_ok sg C1 -> view_fun_safe X G C1 D1 -> view_fun_safe X (D1 :: G) C2 D2 ->
    view_fun_safe X G (lower_let_view C1 C2) D2.
  Proof.
    intros C1_ok SAFE1 SAFE2 P k xi rho ie g SC bounds ENV. unfold lower_let_view.
    destruct (SAFE1 P k xi rho ie g SC bounds ENV) as [pre1_safe x1_safe].
    destruct (C1_ok P k xi rho SC) as [_ in1].
    destruct (C1 xi rho k) as [pre1 x1]. simpl in pre1_safe, x1_safe, in1.
    destruct (SAFE2 _ _ xi (x1 :: rho) ie (ext_ty g k pre1)
                (scoped_cons _ _ _ _ _ in1 (scoped_ext P k (length pre1) xi rho SC)) bounds)
      as [pre2_safe x2_safe].
    { apply env_safe_cons; [exact x1_safe | apply (env_safe_ext sg P k xi); assumption]. }
    destruct (C2 xi (x1 :: rho) (k + length pre1)) as [pre2 x2]. simpl in *. split.
    - apply prelude_safe_app; assumption.
    - rewrite ext_ty_app. exact x2_safe.
  Qed.

  Lemma lower_let_acc_safe T X G C1 A2 e1 D1 D2 :
    view_fun_ok sg C1 -> view_tagged sg X G C1 e1 D1 -> view_fun_safe X G C1 D1 ->
    acc_fun_safe (cons_tag (view_tag T e1) T) X (D1 :: G) A2 D2 ->
    acc_fun_safe T X G (lower_let_acc C1 A2) D2.
  Proof.
    intros C1_ok TAGGED SAFE1 SAFE2 d P k xi rho a ie g d_D SC bounds ENV HOT a_below root_lt
      a_inj ACC. unfold lower_let_acc.
    destruct (SAFE1 P k xi rho ie g SC bounds ENV) as [pre1_safe x1_safe].
    pose proof (TAGGED T xi rho k ie a _ root_lt bounds HOT) as TOUCH.
    destruct (C1_ok P k xi rho SC) as [_ in1].
    destruct (C1 xi rho k) as [pre1 x1]. simpl fst in *. simpl snd in *.
    apply wrap_safe; [exact pre1_safe|].
    refine (SAFE2 d _ _ xi (x1 :: rho) a ie _ d_D
              (scoped_cons _ _ _ _ _ in1 (scoped_ext P k (length pre1) xi rho SC)) bounds
              _ (hot_cons sg _ _ _ _ _ _ _ _ _ TOUCH HOT) _ _ a_inj _).
    - apply env_safe_cons; [exact x1_safe | apply (env_safe_ext sg P k xi); assumption].
    - apply (acc_below_incr k); [lia | exact a_below].
    - lia.
    - apply acc_ok_ext; assumption.
  Qed.

  Lemma lower_pair_acc_safe T X G A1 A2 D1 D2 :
    acc_fun_safe (map lowered T) X G A1 D1 -> acc_fun_safe (map lowered T) X G A2 D2 ->
    acc_fun_safe T X G (lower_pair_acc A1 A2) (SPair D1 D2).
  Proof.
    intros SAFE1 SAFE2 d P k xi rho a ie g d_D SC bounds ENV HOT a_below root_lt a_inj ACC.
    destruct d as [|n d1|d1 d2]; try discriminate. simpl in d_D. injection d_D as d_D1 d_D2.
    assert (fst_ok := step_ok_fst sg ie D1 D2). assert (snd_ok := step_ok_snd sg ie D1 D2). split.
    - apply (SAFE1 d1 P k xi rho (AStep FstStep a) ie g d_D1 SC bounds ENV).
      + apply (hot_lowered sg T ie G rho a _ (SPair D1 D2)); [reflexivity | exact HOT].
      + exact a_below.
      + exact root_lt.
      + apply (acc_inj_step sg ie _ a _ _ fst_ok a_inj).
      + apply (acc_ok_step sg g ie _ a _ _ fst_ok); [simpl; auto | exact ACC].
    - apply (SAFE2 d2 P k xi rho (AStep SndStep a) ie g d_D2 SC bounds ENV).
      + apply (hot_lowered sg T ie G rho a _ (SPair D1 D2)); [reflexivity | exact HOT].
      + exact a_below.
      + exact root_lt.
      + apply (acc_inj_step sg ie _ a _ _ snd_ok a_inj).
      + apply (acc_ok_step sg g ie _ a _ _ snd_ok); [simpl; auto | exact ACC].
  Qed.

  Lemma lower_cat_acc_safe T X G A1 A2 n m d0 :
    acc_fun_safe (map lowered T) X G A1 (SAry (size_val n) (ty_val d0)) ->
    acc_fun_safe (map lowered T) X G A2 (SAry (size_val m) (ty_val d0)) ->
    acc_fun_safe T X G (lower_cat_acc A1 A2 n m d0) (SAry (size_val n + size_val m) (ty_val d0)).
  Proof.
    intros SAFE1 SAFE2 d P k xi rho a ie g _ SC bounds ENV HOT a_below root_lt a_inj ACC.
    assert (off_ok := step_ok_off sg ie n (size_val m) (ty_val d0)). split.
    - apply (SAFE1 (TAry n d0) P k xi rho a ie g eq_refl SC bounds ENV); auto.
      + eapply (hot_lowered sg T ie G rho a); [reflexivity | exact HOT].
      + apply (acc_inj_prefix sg ie a _ _ _ a_inj).
      + intros p p_in. apply ACC, inb_prefix, p_in.
    - apply (SAFE2 (TAry m d0) P k xi rho (AStep (OffStep n) a) ie g eq_refl SC bounds ENV); auto.
      + eapply (hot_lowered sg T ie G rho a); [reflexivity | exact HOT].
      + apply (acc_inj_step sg ie _ a _ _ off_ok a_inj).
      + apply (acc_ok_step sg g ie _ a _ _ off_ok); [simpl; auto | exact ACC].
  Qed.

  Lemma lower_lay_acc_safe T X G l A S D :
    lay_inverse_ok sg l S D -> acc_fun_safe (map lowered T) X G A S ->
    acc_fun_safe T X G (lower_lay_acc l A) D.
  Proof.
    intros INV SAFE d P k xi rho a ie g d_D SC bounds ENV HOT a_below root_lt a_inj ACC.
    assert (source : ty_val (lay_source l d) = S) by (rewrite ty_val_source, d_D; apply INV).
    assert (lay_is_ok := step_ok_lay sg ie l S D INV).
    apply (SAFE _ P k xi rho (AStep (LayStep l) a) ie g source SC bounds ENV); auto.
    - eapply (hot_lowered sg T ie G rho a); [reflexivity | exact HOT].
    - apply (acc_inj_step sg ie _ a _ _ lay_is_ok a_inj).
    - apply (acc_ok_step sg g ie _ a _ _ lay_is_ok); [|exact ACC].
      intros p p_in. simpl. apply INV, p_in.
  Qed.
End SAFE.
