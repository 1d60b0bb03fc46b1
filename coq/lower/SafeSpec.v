(** What it means for a lowered term to be safe, and safety of its simple parts.

    [ext_ty]             types after the temporaries of a prelude
    [env_safe]           the views of the environment are safe
    [view_fun_safe] [acc_fun_safe]   the commands of C and A are safe, and so is C's view
    The lemmas say so of copies, temporaries and views; [SafeProof] of all terms. *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Syntax imp.Semantics imp.Footprint imp.Frame imp.Safety.
From Vouch Require Import lower.Align lower.Lower lower.Scope lower.WritesProof.
From Vouch Require Import lower.TagsProof lower.RenameProof lower.ViewTagsProof.
From Vouch Require Import lower.LowerSpec.
Import ListNotations.

Section SAFE.
  Context (sg : nat -> nat).

  Notation size_val := (size_val sg).
  Notation ty_val := (ty_val sg).
  Notation view_ok := (view_ok sg).
  Notation acc_ok := (acc_ok sg).
  Notation comm_safe := (comm_safe sg).
  Notation hot := (hot sg).

  (** Types after the temporaries of a prelude. *)
  Fixpoint ext_ty (g : ty_env) (k : nat) (pre : prelude) : ty_env :=
    match pre with
    | [] => g
    | (d, _) :: rest => ext_ty (set_ty g k d) (S k) rest
    end.

  Fixpoint prelude_safe (g : ty_env) (k : nat) (pre : prelude) (ie : nat -> nat) : Prop :=
    match pre with
    | [] => True
    | (d, c) :: rest =>
        comm_safe (set_ty g k d) c ie /\ prelude_safe (set_ty g k d) (S k) rest ie
    end.

  Lemma set_ty_same g v d : set_ty g v d v = d.
  Proof. unfold set_ty. rewrite Nat.eqb_refl. reflexivity. Qed.

  Lemma set_ty_other g v d w : w <> v -> set_ty g v d w = g w.
  Proof. unfold set_ty. destruct (Nat.eqb_spec w v); congruence. Qed.

  Lemma ext_ty_below pre : forall g k v, v < k -> ext_ty g k pre v = g v.
  Proof.
    induction pre as [|[d c] pre IH]; simpl; intros g k v v_lt; [reflexivity|].
    rewrite IH by lia. apply set_ty_other. lia.
  Qed.

  Lemma ext_ty_app pre1 pre2 : forall g k,
    ext_ty g k (pre1 ++ pre2) = ext_ty (ext_ty g k pre1) (k + length pre1) pre2.
  Proof.
    induction pre1 as [|[d c] pre1 IH]; simpl; intros g k.
    - rewrite Nat.add_0_r. reflexivity.
    - rewrite IH. f_equal. lia.
  Qed.

  Lemma prelude_safe_app pre1 pre2 : forall g k ie,
    prelude_safe g k pre1 ie -> prelude_safe (ext_ty g k pre1) (k + length pre1) pre2 ie ->
    prelude_safe g k (pre1 ++ pre2) ie.
  Proof.
    induction pre1 as [|[d c] pre1 IH]; simpl; intros g k ie safe1 safe2.
    - rewrite Nat.add_0_r in safe2. exact safe2.
    - destruct safe1 as [safe_c safe1]. split; [exact safe_c|]. apply IH; [exact safe1|].
      replace (S k + length pre1) with (k + S (length pre1)) by lia. exact safe2.
  Qed.

  Lemma wrap_safe pre body : forall g k ie,
    prelude_safe g k pre ie -> comm_safe (ext_ty g k pre) body ie ->
    comm_safe g (wrap k pre body) ie.
  Proof.
    induction pre as [|[d c] pre IH]; simpl; intros g k ie safe body_safe; [exact body_safe|].
    destruct safe as [safe_c safe]. split; [exact safe_c | apply IH; assumption].
  Qed.

  Definition env_safe (g : ty_env) (ie : nat -> nat) (G : list sty) (rho : list view) : Prop :=
    forall x D, nth_error G x = Some D -> view_ok g ie (nth x rho (ICst zero)) D.

  Definition view_fun_safe (X : list nat) (G : list sty) (C : view_fun) (D : sty) : Prop :=
    forall P k xi rho ie g, scoped P k xi rho -> in_bounds (map ie xi) X ->
      env_safe g ie G rho ->
      prelude_safe g k (fst (C xi rho k)) ie /\
      view_ok (ext_ty g k (fst (C xi rho k))) ie (snd (C xi rho k)) D.

  Definition acc_fun_safe (T : list tag) (X : list nat) (G : list sty) (A : acc_fun) (D : sty)
      : Prop :=
    forall d P k xi rho a ie g, ty_val d = D -> scoped P k xi rho -> in_bounds (map ie xi) X ->
      env_safe g ie G rho -> hot T ie G rho a D ->
      acc_below k a -> root a < k -> acc_inj sg ie a D -> acc_ok g ie a D ->
      comm_safe g (A d xi rho k a) ie.

  Lemma view_ok_agree P k g g1 ie ie1 x D :
    view_in P k x -> (forall v, P v -> g v = g1 v) -> (forall i, i < k -> ie i = ie1 i) ->
    view_ok g ie x D -> view_ok g1 ie1 x D.
  Proof.
    intros [vars below] same_ty same_loops OK p p_in.
    apply (view_safe_agree sg k g g1 ie ie1 same_loops x p below); auto.
  Qed.

  Lemma view_ok_at P ie k j g x n D :
    view_in P k x -> j < n -> view_ok g ie x (SAry n D) ->
    view_ok g (bind ie k j) (view_at x k) D.
  Proof.
    intros [vars below] j_lt OK p p_in. simpl. split; [exact I|]. rewrite bind_same.
    apply (view_safe_agree sg k g g ie); auto.
    - intros i i_lt. symmetry. apply bind_below, i_lt.
    - apply OK. simpl. auto.
  Qed.

  Lemma env_safe_cons g ie G rho x D :
    view_ok g ie x D -> env_safe g ie G rho -> env_safe g ie (D :: G) (x :: rho).
  Proof.
    intros OK SAFE y E found. destruct y as [|y]; simpl in *.
    - injection found as D_E. rewrite <- D_E. exact OK.
    - exact (SAFE y E found).
  Qed.

  Lemma env_safe_agree P k xi g g1 ie ie1 G rho :
    scoped P k xi rho -> (forall v, P v -> g v = g1 v) -> (forall i, i < k -> ie i = ie1 i) ->
    env_safe g ie G rho -> env_safe g1 ie1 G rho.
  Proof.
    intros SC same_ty same_loops SAFE x D found.
    apply (view_ok_agree P k g g1 ie ie1); auto. exact (view_in_nth P k xi rho x SC).
  Qed.

  Lemma env_safe_ext P k xi g pre ie G rho :
    scoped P k xi rho -> env_safe g ie G rho -> env_safe (ext_ty g k pre) ie G rho.
  Proof.
    intros SC. apply (env_safe_agree P k xi _ _ ie ie); auto. intros v v_in. symmetry.
    apply ext_ty_below, (scoped_vars _ _ _ _ SC), v_in.
  Qed.

  Lemma acc_ok_ext g k pre ie a D :
    root a < k -> acc_ok g ie a D -> acc_ok (ext_ty g k pre) ie a D.
  Proof.
    intros root_lt OK p p_in. destruct (OK p p_in) as [inside safe].
    split; [|exact safe]. rewrite ext_ty_below by exact root_lt. exact inside.
  Qed.

  Lemma assign_safe d : forall P g ie k a x,
    view_in P k x -> acc_below k a -> view_ok g ie x (ty_val d) -> acc_ok g ie a (ty_val d) ->
    comm_safe g (assign d k a x) ie.
  Proof.
    induction d as [|n d IHd|d1 IH1 d2 IH2]; simpl; intros P g ie k a x x_in a_below X_OK A_OK.
    - split; [apply A_OK | apply X_OK]; exact I.
    - split; [|discriminate]. intros j j_lt. apply (IHd P).
      + apply view_in_at, x_in.
      + simpl. split; [lia|]. apply (acc_below_incr k); [lia | exact a_below].
      + apply (view_ok_at P ie k j g x (size_val n)); assumption.
      + apply (acc_ok_at sg g ie k j a (size_val n)); assumption.
    - destruct x_in as [vars below]. split.
      + apply (IH1 P); auto.
        * split; simpl; auto.
        * intros p p_in. simpl. split; [exact I | apply X_OK; exact p_in].
        * apply (acc_ok_step sg g ie _ a _ _ (step_ok_fst sg ie (ty_val d1) (ty_val d2)));
            simpl; auto.
      + apply (IH2 P); auto.
        * split; simpl; auto.
        * intros p p_in. simpl. split; [exact I | apply X_OK; exact p_in].
        * apply (acc_ok_step sg g ie _ a _ _ (step_ok_snd sg ie (ty_val d1) (ty_val d2)));
            simpl; auto.
  Qed.

  Lemma copy_out_safe T X G C D :
    view_fun_ok sg C -> view_fun_safe X G C D -> acc_fun_safe T X G (copy_out C) D.
  Proof.
    intros C_ok SAFE d P k xi rho a ie g d_D SC bounds ENV _ a_below root_lt _ A_OK.
    unfold copy_out. destruct (SAFE P k xi rho ie g SC bounds ENV) as [pre_safe x_safe].
    destruct (C_ok P k xi rho SC) as [_ x_in].
    destruct (C xi rho k) as [pre x]. simpl in *. apply wrap_safe; [exact pre_safe|].
    rewrite <- d_D in *. apply (assign_safe d _ _ ie _ a x x_in); auto.
    - apply (acc_below_incr k); [lia | exact a_below].
    - apply acc_ok_ext; assumption.
  Qed.

  Lemma spill_safe X G A d :
    acc_fun_safe [] X G A (ty_val d) -> view_fun_safe X G (spill d A) (ty_val d).
  Proof.
    intros SAFE P k xi rho ie g SC bounds ENV. simpl.
    assert (not_P : ~ P k) by (intros k_in; apply (scoped_vars _ _ _ _ SC) in k_in; lia).
    split.
    - split; [|exact I].
      refine (SAFE d P (S k) xi rho (AVar k) ie _ eq_refl (scoped_S _ _ _ _ SC) bounds _ _ I
                (le_n _) (acc_inj_var sg ie k _) _).
      + apply (env_safe_agree P k xi g _ ie ie); auto. intros v v_in. symmetry.
        apply set_ty_other. congruence.
      + apply (hot_apart sg P (S k) xi); [apply scoped_S, SC | exact not_P].
      + apply acc_ok_var. rewrite set_ty_same. reflexivity.
    - intros p p_in. simpl. rewrite set_ty_same. exact p_in.
  Qed.

  Lemma view1_safe X G C f S D :
    view_fun_safe X G C S ->
    (forall ie xi x g, in_bounds (map ie xi) X -> view_ok g ie x S -> view_ok g ie (f xi x) D) ->
    view_fun_safe X G (view1 C f) D.
  Proof.
    intros SAFE f_ok P k xi rho ie g SC bounds ENV.
    destruct (SAFE P k xi rho ie g SC bounds ENV) as [pre_safe x_safe].
    unfold view1. destruct (C xi rho k) as [pre x]. simpl in *. auto.
  Qed.

  Lemma view2_safe X G C1 C2 f D1 D2 D :
    view_fun_ok sg C1 -> view_fun_safe X G C1 D1 -> view_fun_safe X G C2 D2 ->
    (forall ie xi x y g, in_bounds (map ie xi) X -> view_ok g ie x D1 -> view_ok g ie y D2 ->
       view_ok g ie (f xi x y) D) ->
    view_fun_safe X G (view2 C1 C2 f) D.
  Proof.
    intros C1_ok SAFE1 SAFE2 f_ok P k xi rho ie g SC bounds ENV.
    destruct (SAFE1 P k xi rho ie g SC bounds ENV) as [pre1_safe x1_safe].
    destruct (C1_ok P k xi rho SC) as [_ in1].
    unfold view2. destruct (C1 xi rho k) as [pre1 x1]. simpl in pre1_safe, x1_safe, in1.
    pose proof (scoped_ext P k (length pre1) xi rho SC) as SC1.
    destruct (SAFE2 _ _ xi rho ie (ext_ty g k pre1) SC1 bounds (env_safe_ext P k xi g pre1 ie G rho SC ENV))
      as [pre2_safe x2_safe].
    destruct (C2 xi rho (k + length pre1)) as [pre2 x2]. simpl in *. split.
    - apply prelude_safe_app; assumption.
    - rewrite ext_ty_app. apply f_ok; auto.
      apply (view_ok_agree _ _ (ext_ty g k pre1) _ ie ie _ _ in1); auto. intros v v_in.
      symmetry. apply ext_ty_below, (scoped_vars _ _ _ _ SC1), v_in.
  Qed.
End SAFE.
