(** The view of a lowered term touches an acceptor's root as its tag says.

    [hot T ie G rho a D0]  every view in the environment touches the root of a as T says
    [view_tags]            then so does the view of a term *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Syntax imp.Semantics imp.Footprint imp.Frame.
From Vouch Require Import lower.Align lower.Lower lower.RenameProof lower.TagsProof.
Import ListNotations.

Section VIEW_TAGS.
  Context (sg : nat -> nat).

  Notation touches := (touches sg).

  Definition hot (T : list tag) (ie : nat -> nat) (G : list sty) (rho : list view)
      (a : acc) (D0 : sty) : Prop :=
    forall x D, nth_error G x = Some D ->
      touches (nth x T Cold) ie a D0 D (nth x rho (ICst zero)).

  Lemma hot_cons T ie G rho a D0 t D x :
    touches t ie a D0 D x -> hot T ie G rho a D0 ->
    hot (cons_tag t T) ie (D :: G) (x :: rho) a D0.
  Proof.
    intros X HOT y Dy found. rewrite nth_cons_tag. destruct y as [|y]; simpl in *.
    - injection found as D_eq. rewrite <- D_eq. exact X.
    - exact (HOT y Dy found).
  Qed.

  Lemma touches_var ie a D0 D v : root a < v -> touches Cold ie a D0 D (IVar v).
  Proof.
    intros later. split; [exact I|]. simpl. intros p l _ [same|[]] same_root.
    rewrite <- same in same_root. simpl in same_root. lia.
  Qed.

  (** A view that does not mention the root. *)
  Lemma touches_apart ie a D0 D x : ~ occurs x (root a) -> touches Cold ie a D0 D x.
  Proof.
    intros apart. split; [exact I|]. intros p l _ reads same_root.
    apply view_reads_occurs in reads. congruence.
  Qed.

  (** Acceptors, and what they read back. *)
  Lemma touches_bind t ie k j a D0 D x :
    view_below k x -> acc_below k a ->
    touches t ie a D0 D x -> touches t (bind ie k j) a D0 D x.
  Proof.
    intros x_below a_below [fits X]. split; [exact fits|].
    intros p l p_in reads same_root.
    assert (same : forall i, i < k -> bind ie k j i = ie i)
      by (intros i i_lt; apply bind_below, i_lt).
    rewrite (view_reads_below sg k _ ie same x p x_below) in reads.
    apply (tag_reads_ext t (acc_path sg ie a)); [|auto].
    intros q. symmetry. apply (acc_path_below sg k _ ie same), a_below.
  Qed.

  Theorem view_tags X G e D : has_ty sg X G e D ->
    forall T xi rho k ie a D0, root a < k -> in_bounds (map ie xi) X ->
    hot T ie G rho a D0 -> touches (view_tag T e) ie a D0 D (snd (fst (lower e) xi rho k)).
  Proof.
    intros TY. induction TY as
      [X G x D found|X G d c|X G o e _ IHe|X G e1 e2 D1 D2 _ IH1 _ IH2|X G l e S D OK _ _ IHe
      |X G lo n hi c e A _ IHe|X G g e1 e2 D _ _ IH1 _ IH2|X G k n d1 d2 f e _ _ _ _
      |X G w n d1 d2 f i e _ _ _ _ _ _|X G e1 e2 D1 D2 _ IH1 _ IH2|X G d e _ _
      |X G n m d e1 e2 _ _ _ _]; intros T xi rho v ie a D0 later bounds HOT;
      cbn [lower by_view fst snd view_tag].
    - apply HOT, found.
    - apply touches_apart. simpl. auto.
    - specialize (IHe T xi rho v ie a D0 later bounds HOT). unfold view1.
      destruct (fst (lower e) xi rho v) as [pre x]. apply touches_op, IHe.
    - specialize (IH1 T xi rho v ie a D0 later bounds HOT). unfold view2.
      destruct (fst (lower e1) xi rho v) as [pre1 x1].
      specialize (IH2 T xi rho (v + length pre1) ie a D0 ltac:(lia) bounds HOT).
      destruct (fst (lower e2) xi rho (v + length pre1)) as [pre2 x2].
      apply touches_pair; [exact IH1 | exact IH2].
    - specialize (IHe T xi rho v ie a D0 later bounds HOT). unfold view1.
      destruct (fst (lower e) xi rho v) as [pre x]. simpl.
      rewrite <- (tag_lay_rename xi). apply (touches_lay sg _ ie a D0 _ S D x); [|exact IHe].
      apply lay_ok_rename, OK, bounds.
    - specialize (IHe T xi rho v ie a D0 later bounds HOT). unfold view1.
      destruct (fst (lower e) xi rho v) as [pre x]. apply touches_pad, IHe.
    - specialize (IH1 T xi rho v ie a D0 later bounds HOT). unfold view2.
      destruct (fst (lower e1) xi rho v) as [pre1 x1].
      specialize (IH2 T xi rho (v + length pre1) ie a D0 ltac:(lia) bounds HOT).
      destruct (fst (lower e2) xi rho (v + length pre1)) as [pre2 x2].
      apply touches_either; [exact IH1 | exact IH2].
    - apply touches_var, later.
    - unfold lower_red. destruct (fst (lower e) xi rho v) as [pre x].
      apply touches_var. lia.
    - unfold lower_let_view. specialize (IH1 T xi rho v ie a D0 later bounds HOT).
      destruct (fst (lower e1) xi rho v) as [pre1 x1]. simpl in IH1.
      specialize (IH2 _ xi (x1 :: rho) (v + length pre1) ie a D0 ltac:(lia) bounds
                    (hot_cons _ _ _ _ _ _ _ _ _ IH1 HOT)).
      destruct (fst (lower e2) xi (x1 :: rho) (v + length pre1)) as [pre2 x2]. exact IH2.
    - apply touches_var, later.
    - apply touches_var, later.
  Qed.
End VIEW_TAGS.
